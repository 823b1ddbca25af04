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
)

// labeller is a labelling under way. It counts positions: one with several labels, for several depths, is one.
type labeller struct {
	Request
	in      *shards.Dataset
	out     *output.Folder
	state   state
	pool    Searcher
	shared  Shared // the pool, if workers elsewhere search for it, too
	columns []int  // of the fingerprints
	donors  []donor
	// bannedBefore are workers that were banned before an interruption, whose labels do not count.
	bannedBefore   map[int]bool
	opened         []*shards.Dataset // of Reuse
	finishedShards []*shards.Reader  // finished shards of the output
	known          knownLabels       // of these; belongs to the goroutine that scans a shard

	saved    Saved
	terminal int64
	skipped  int64 // by SkipImported
	network  int   // whose priors choose the candidates
	// noCandidates counts samples without candidates in the shards that are done.
	noCandidates int64
	exact        exactLabels
	solved       solvedLabels
	// skippedExact counts samples that SkipExact leaves out.
	skippedExact int64
	samples      int64 // done, this process and before
	doneBefore   int64 // done before, or taken from elsewhere
}

// state is what progress.json keeps of a labelling.
type state struct {
	Own dataset.Counts `json:"own"` // labels of the fingerprint being made, by status
}

// sideFile says which files of the output folder are the labelling's own: the journals, of which those of shards that
// are not finished are wanted, and what is kept for workers elsewhere.
func (l *labeller) sideFile(name string, shards int) (own, wanted bool) {
	if strings.HasPrefix(name, fleet.FilePrefix) {
		return true, true
	}
	return strings.HasPrefix(name, journalPrefix), strings.HasPrefix(name, journalPrefix) && name >= journalName(shards)
}

// open begins or resumes the output, whose manifest is that of the input with the fingerprints that it lacks.
func (l *labeller) open(ctx context.Context) error {
	prints := l.pool.Fingerprints()
	m := l.manifest(prints)
	ids := make([]string, len(prints))
	for i, f := range prints {
		ids[i] = f.ID()
		c := slices.IndexFunc(m.Fingerprints, func(g dataset.Fingerprint) bool { return g.ID() == f.ID() })
		if c < 0 {
			c = len(m.Fingerprints)
			m.Fingerprints = append(m.Fingerprints, f)
		}
		l.columns = append(l.columns, c)
	}
	if err := l.exact.open(ctx, &l.Request, &m); err != nil {
		return err
	}
	l.solved.open(&m)
	identity := struct {
		Parent       string
		Fingerprints []string
	}{m.Parents[0].Manifest, ids}
	var err error
	if l.out, err = output.Open(l.Out, m, identity,
		output.Options{Workers: 2, State: &l.state, SideFile: l.sideFile, ResumeCommand: l.ResumeCommand, Existing: l.Existing,
			Warn: l.Warn}); err != nil {
		return mixingDepths(err, prints)
	}
	if err := l.checkInput(ctx); err != nil {
		return err
	}
	if err := l.openDonors(prints); err != nil {
		return err
	}
	if err := l.openFleet(ctx); err != nil {
		return err
	}
	own := &l.state.Own
	l.doneBefore = own.Labelled + own.Terminal + own.Failed
	l.samples, l.saved.Resumed = l.doneBefore, l.doneBefore
	return nil
}

// manifest is that of the output before the first shard.
func (l *labeller) manifest(prints []dataset.Fingerprint) dataset.Manifest {
	var limits []string
	for _, f := range prints {
		limits = append(limits, f.Limit)
	}
	var flags []dataset.Tag
	if len(prints) > 0 {
		flags = []dataset.Tag{{Name: "limit", Value: strings.Join(limits, ", ")},
			{Name: "multipv", Value: strconv.Itoa(max(l.Engine.MultiPV, 1))}}
	}
	if l.Fraction.Part() {
		flags = append(flags, l.Fraction.Flag())
	}
	if l.Part.N > 0 {
		flags = append(flags, dataset.Tag{Name: partFlag, Value: l.Part.String()})
	}
	if l.SkipImported {
		flags = append(flags, dataset.Tag{Name: "skip-imported", Value: "true"})
	}
	if l.Candidates > 0 {
		flags = append(flags, dataset.Tag{Name: "candidates", Value: l.Engine.SearchMoves})
	}
	flags = append(flags, l.Flags...)
	return l.in.Manifest.Child(l.In, "label", flags...)
}

// openDonors opens the datasets from which labels may be taken: Reuse, the input if it has the fingerprints, and
// finished shards.
func (l *labeller) openDonors(prints []dataset.Fingerprint) error {
	for _, dir := range append([]string{l.In}, l.Reuse...) {
		d, err := shards.OpenDataset(dir, shards.WithColumns(shards.AllLabels))
		if err != nil {
			return err
		}
		l.opened = append(l.opened, d)
		switch columns := donorColumns(d.Manifest.Fingerprints, prints); {
		case columns != nil:
			l.donors = append(l.donors, donor{d.Shards, columns})
		case dir != l.In && donorColumns(d.Manifest.Fingerprints, beforeLinesRule(prints)) != nil:
			l.warn(fmt.Errorf("%q has labels with this engine, options and limit, but of mixed depths, as earlier "+
				"versions made them; nothing to reuse", dir))
		case dir != l.In:
			l.warn(fmt.Errorf("%q has no labels with this engine, options and limit; nothing to reuse", dir))
		}
	}
	for _, s := range l.out.Manifest().Shards {
		if err := l.openFinished(s.File); err != nil {
			return err
		}
	}
	return nil
}

// openFinished opens a finished shard of the output.
func (l *labeller) openFinished(file string) error {
	r, err := shards.Open(l.out.Path(file), shards.WithColumns(shards.AllLabels))
	if err == nil {
		l.finishedShards = append(l.finishedShards, r)
	}
	return err
}

func (l *labeller) close() {
	for _, d := range l.opened {
		d.Close()
	}
	for _, r := range l.finishedShards {
		r.Close()
	}
	l.known.close()
	l.exact.close()
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

// journalIdentity is the SHA-256 of what decides the labels of a shard: the command, the fingerprints in the order of
// the labels, and the shard of the input.
func (l *labeller) journalIdentity(i int) [32]byte {
	var prints []dataset.Fingerprint
	for _, c := range l.columns {
		prints = append(prints, l.out.Manifest().Fingerprints[c])
	}
	text, err := json.Marshal(struct {
		Command      string
		Fingerprints []dataset.Fingerprint
		Shard        int
		Input        string
	}{l.out.Command(), prints, i, l.in.Manifest.Shards[i].SHA256})
	if err != nil {
		return [32]byte{} // strings and integers only
	}
	return sha256.Sum256(text)
}

func (l *labeller) warn(err error) {
	if l.Warn != nil {
		l.Warn(err)
	}
}

// report tells how far the work has come.
func (l *labeller) report() {
	if l.Progress == nil {
		return
	}
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
	l.Progress(p)
}
