package label

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/internal/humanize"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/shards"
	"talbot/stockfish"
	"talbot/tablebase/mates"
	"talbot/tablebase/syzygy"
)

// labeller is a labelling under way. It counts positions: one with several labels, for several depths, is one. It
// belongs to one goroutine: the pool calls jobs and result in turns.
type labeller struct {
	Request
	in      *shards.Dataset
	out     *output.Folder
	state   state
	pool    Searcher
	shared  Shared // the pool, if workers elsewhere search for it, too
	columns []int  // of the fingerprints
	// bannedBefore are workers that were banned before an interruption, whose labels do not count.
	bannedBefore map[int]bool
	network      int               // whose priors choose the candidates
	tables       *stockfish.Tables // that exact asks; nil: none
	exact        asideColumn
	solved       asideColumn

	journalStart int64 // where the entries of this process begin
	known        known
	queue        []*pendingLine // lines that are not written yet, in order
	searching    map[lineNumber]*pendingLine
	underWay     map[searchKey]*search
	unanswered   int // searches that the pool has not answered

	sum        Summary // what is counted on the way
	samples    int64   // done, this process and before
	doneBefore int64   // done before, or taken from elsewhere
}

// state is what progress.json keeps of a labelling.
type state struct {
	Own dataset.Counts `json:"own"` // labels of the fingerprint being made, by status
}

// sideFile tells which files of the output folder are the labelling's own, and wanted until it is finished: the
// journal, and what is kept for workers elsewhere.
func (l *labeller) sideFile(name string, _ int) (own, wanted bool) {
	own = name == journalName || strings.HasPrefix(name, fleet.FilePrefix)
	return own, own
}

// open begins or resumes the output, whose manifest is that of the input with the fingerprints that it lacks. set are
// the endgame tables, if there are any.
func (l *labeller) open(ctx context.Context, set *syzygy.Set) error {
	prints := l.pool.Fingerprints()
	m := l.manifest(prints)
	ids := make([]string, len(prints))
	for i, f := range prints {
		ids[i] = f.ID()
		l.columns = append(l.columns, addFingerprint(&m, f))
	}
	var err error
	if set != nil {
		if l.tables, err = stockfish.OpenTables(ctx, l.Engine, set); err != nil {
			return err
		}
		l.exact = byTables(l.tables)
		l.exact.open(&m, l.tables.Fingerprint(), "syzygy", l.tables.Fingerprint().Build)
		m.Flags.Add(l.SkipExact, "skip-exact", "true")
	}
	if l.Mates {
		l.solved.open(&m, mates.Fingerprint, "mates", "true")
	}
	identity := struct {
		Parent       string
		Fingerprints []string
	}{m.Parents[0].Manifest, ids}
	if l.out, err = output.Open(m, identity,
		output.Options{Job: l.Job, Workers: 2, State: &l.state, SideFile: l.sideFile}); err != nil {
		return err
	}
	if err := l.checkInput(ctx); err != nil {
		return err
	}
	if err := l.openFleet(ctx); err != nil {
		return err
	}
	if err := l.openLabels(ctx); err != nil {
		return err
	}
	own := &l.state.Own
	l.doneBefore = own.Labelled + own.Terminal + own.Failed
	l.samples, l.sum.Saved.Resumed = l.doneBefore, l.doneBefore
	return nil
}

// manifest is that of the output before the first shard.
func (l *labeller) manifest(prints []dataset.Fingerprint) dataset.Manifest {
	var limits []string
	for _, f := range prints {
		limits = append(limits, f.Limit)
	}
	var flags dataset.Flags
	flags.Add(len(prints) > 0, "limit", strings.Join(limits, ", "))
	flags.Add(len(prints) > 0, "multipv", strconv.Itoa(max(l.Engine.MultiPV, 1)))
	if l.Fraction.Part() {
		flags = append(flags, l.Fraction.Flag())
	}
	flags.Add(l.Part.N > 0, output.PartFlag, l.Part.String())
	flags.Add(l.SkipImported, "skip-imported", "true")
	flags.Add(l.Candidates > 0, "candidates", l.Engine.SearchMoves)
	flags = append(flags, l.Flags...)
	return l.in.Manifest.Child(l.In, "label", flags...)
}

// takeLabels takes the labels of the fingerprints being made from the input, if it has any, and from the datasets of
// Reuse.
func (l *labeller) takeLabels(ctx context.Context) error {
	prints := l.pool.Fingerprints()
	for _, dir := range append([]string{l.In}, l.Reuse...) {
		d, err := shards.OpenDataset(dir, shards.AllLabels)
		if err != nil {
			return err
		}
		if columns := columnsOf(d.Manifest.Fingerprints, prints); columns != nil {
			err = l.takeFrom(ctx, d, columns)
		} else if dir != l.In {
			l.Warning(fmt.Errorf("%q has no labels with this engine, options and limit; nothing to reuse", dir))
		}
		d.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// closeLabels closes the journal. A second call does nothing.
func (l *labeller) closeLabels() (err error) {
	if l.known.journal != nil {
		err = l.known.journal.Close()
		l.known.journal = nil
	}
	return err
}

func (l *labeller) close() {
	_ = l.closeLabels() // its error is returned where the labels are needed
	if l.tables != nil {
		l.tables.Close()
	}
	if l.out != nil {
		l.out.Close()
	}
}

// chosen reports whether the sample at a ply of a line is to be labelled. hash identifies the line.
func (l *labeller) chosen(line *dataset.Line, hash [16]byte, sample, ply int) bool {
	if l.selected != nil {
		return l.selected(line, hash, sample, ply)
	}
	if l.Part.N > 0 && partOf(hash, l.Part.N) != l.Part.I {
		return false
	}
	return l.Fraction.Has(line, hash, ply)
}

// hasImported reports whether the k-th sample of a line has an evaluation that its source carried.
func (l *labeller) hasImported(line *dataset.Line, k int) bool {
	return slices.ContainsFunc(line.Labels, func(c dataset.LabelColumn) bool {
		return l.out.Manifest().Fingerprints[c.Fingerprint].IsImported() && c.Labels[k].Status != dataset.Missing
	})
}

// journalID is the SHA-256 of what decides the labels: the command, the fingerprints in the order of the labels, and
// the input.
func (l *labeller) journalID() [32]byte {
	var prints []dataset.Fingerprint
	for _, c := range l.columns {
		prints = append(prints, l.out.Manifest().Fingerprints[c])
	}
	text, err := json.Marshal(struct {
		Command      string
		Fingerprints []dataset.Fingerprint
		Input        string
	}{l.out.Command(), prints, l.in.Manifest.Hash()})
	if err != nil {
		return [32]byte{} // strings and integers only
	}
	return sha256.Sum256(text)
}

// report tells how far the work has come.
func (l *labeller) report() {
	s := l.pool.Stats()
	total := l.in.Manifest.Counts.Samples
	if l.Fraction.Part() {
		total = int64(float64(l.Fraction) * float64(total))
	}
	if l.selected != nil {
		total = l.expected
	}
	if l.Part.N > 0 {
		total /= int64(l.Part.N)
	}
	p := progress.Progress{
		Verb: "label", Unit: "positions", Count: l.samples, Rate: s.Labelled,
		First: l.doneBefore, Done: l.samples, Total: max(total, l.samples),
		Free: max(0, l.samples-l.doneBefore-s.Labelled),
	}
	if l.shared != nil {
		l.shared.SetRemaining(p.Total - p.Done)
	}
	var notes []string
	if l.shared != nil {
		notes = append(notes, humanize.Count(int64(s.Workers), "engine"))
	}
	if u, ok := s.Utilisation(); ok {
		notes = append(notes, fmt.Sprintf("engines %.1f %% busy", 100*u))
	}
	if s.Failed > 0 {
		notes = append(notes, humanize.Thousands(s.Failed)+" failed")
	}
	if s.Restarts > 0 {
		notes = append(notes, humanize.Count(int64(s.Restarts), "engine")+" restarted")
	}
	p.Note = strings.Join(notes, ", ")
	l.Report(p)
}

// checkInput replays every line of the shards that are still to be labelled, variations of labels included: a checksum
// proves that a line is as it was written, not that its moves are legal. Illegal ones are found before anything is
// stored under the name of an engine. Damage names shard, block and line, as [shards.Verify] does, the first in order.
func (l *labeller) checkInput(ctx context.Context) error {
	left := shards.Dataset{Shards: l.in.Shards[len(l.out.Manifest().Shards):]}
	var all int64
	for _, r := range left.Shards {
		all += r.Info().Lines
	}
	return left.EachLine(ctx, l.Workers, func(read shards.Block) {
		if l.Checked != nil {
			l.Checked(int64(read.Lines), all)
		}
	}, func(_ int, line *dataset.Line) error { return line.Check() })
}
