package pipeline

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"talbot/dataset"
	"talbot/shards"
	"talbot/stockfish"
)

// labeller is a labelling under way.
type labeller struct {
	Label
	in           *shards.Dataset
	out          *output
	pool         *stockfish.Pool
	column       int // of the fingerprint
	exact        exactLabels
	reused       int64
	skipped      int64 // by SkipImported
	skippedExact int64
	samples      int64 // done, this process and before
	first        int64 // done before
}

// sameFolder reports whether both paths name one folder.
func sameFolder(a, b string) (bool, error) {
	ai, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	bi, err := os.Stat(b)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(ai, bi), err
}

// open begins or takes up the output, whose manifest is that of the input with
// one more fingerprint, unless the input has it already.
func (l *labeller) open(ctx context.Context) error {
	parent := l.in.Manifest
	fingerprint := l.pool.Fingerprint()
	m := dataset.Manifest{
		Verb: "label", Seed: parent.Seed, Splits: parent.Splits, Inputs: parent.Inputs,
		Parents:      []dataset.Parent{{Manifest: parent.Hash(), Name: filepath.Base(filepath.Clean(l.In))}},
		Flags:        []dataset.Tag{{Name: "limit", Value: fingerprint.Limit}, {Name: "multipv", Value: strconv.Itoa(max(l.Engine.MultiPV, 1))}},
		Fingerprints: slices.Clone(parent.Fingerprints),
	}
	if l.Fraction > 0 && l.Fraction < 1 {
		m.Flags = append([]dataset.Tag{{Name: "fraction", Value: strconv.FormatFloat(l.Fraction, 'g', -1, 64)}}, m.Flags...)
	}
	if l.SkipImported {
		m.Flags = append(m.Flags, dataset.Tag{Name: "skip-imported", Value: "true"})
	}
	l.column = slices.IndexFunc(m.Fingerprints, func(f dataset.Fingerprint) bool { return f.ID() == fingerprint.ID() })
	if l.column < 0 {
		l.column = len(m.Fingerprints)
		m.Fingerprints = append(m.Fingerprints, fingerprint)
	}
	if err := l.exact.open(ctx, &l.Label, &m); err != nil {
		return err
	}
	identity := struct{ Parent, Fingerprint string }{m.Parents[0].Manifest, fingerprint.ID()}
	var err error
	if l.out, err = openOutput(l.Out, m, identity, 1); err != nil {
		return err
	}
	own := &l.out.progress.Own
	l.first = own.Labelled + own.Terminal + own.Failed
	l.samples, l.reused = l.first, l.first
	return nil
}

// waiting is a line whose labels are being made.
type waiting struct {
	line   dataset.Line
	labels []dataset.Label
	exact  []dataset.Label // nil: none
	first  int64           // number of its first sample in the shard
	open   int             // labels still to come
}

// chosen reports whether the sample at a ply of a line is in the fraction that
// is labelled. hash identifies the line.
func (l *labeller) chosen(hash [16]byte, ply int) bool {
	if l.Fraction <= 0 || l.Fraction >= 1 {
		return true
	}
	b := binary.LittleEndian.AppendUint32(hash[:], uint32(ply))
	return float64(xxhash.Sum64(b)>>11)/(1<<53) < l.Fraction
}

// hasImported reports whether the k-th sample of a line has an evaluation that its source carried.
func (l *labeller) hasImported(line *dataset.Line, k int) bool {
	for _, c := range line.Labels {
		if l.out.manifest().Fingerprints[c.Fingerprint].IsImported() && c.Labels[k].Status != dataset.Missing {
			return true
		}
	}
	return false
}

// shard labels one shard of the input into one of the output.
func (l *labeller) shard(ctx context.Context, i int) error {
	have := map[int64]dataset.Label{}
	j, err := openJournal(l.out.dir, i, func(sample int64, label dataset.Label) { have[sample] = label })
	if err != nil {
		return err
	}
	err = l.search(ctx, i, j, have)
	if err := errors.Join(err, j.close()); err != nil {
		return err
	}
	if l.out.writer == nil { // a shard without lines
		return fmt.Errorf("shard %d of %q: %w: no lines", i, l.In, dataset.ErrDamaged)
	}
	if err := l.out.endShard(); err != nil {
		return err
	}
	return os.Remove(filepath.Join(l.out.dir, journalName(i)))
}

// search labels the samples of a shard that have no label yet and writes the
// lines in order.
func (l *labeller) search(ctx context.Context, i int, j *journal, have map[int64]dataset.Label) error {
	var queue []*waiting // lines not written yet, in order
	var inLine []*waiting
	var readErr error
	var plies, chosen []int // of the line: the samples to search
	next := int64(0)
	jobs := func(yield func(stockfish.Job) bool) {
		for line, err := range l.in.Shards[i].Lines() {
			if err != nil {
				readErr = err
				return
			}
			w := &waiting{line: *line, first: next}
			w.labels = make([]dataset.Label, line.SampleCount())
			next += int64(len(w.labels))
			l.reuse(w, have)
			if w.exact, readErr = l.exact.of(ctx, line); readErr != nil {
				return
			}
			hash := line.GameHash()
			plies, chosen = plies[:0], chosen[:0]
			for k, ply := range line.Samples.Plies(nil, len(line.Moves)) {
				if w.labels[k].Status != dataset.Missing || !l.chosen(hash, ply) {
					continue
				}
				if l.SkipImported && l.hasImported(line, k) {
					l.skipped++
				} else if l.SkipExact && isExact(w.exact, k) {
					l.skippedExact++
				} else {
					chosen = append(chosen, k)
					plies = append(plies, ply)
				}
			}
			w.open = len(chosen)
			queue = append(queue, w)
			if w.open == 0 {
				if readErr = l.flush(&queue); readErr != nil {
					return
				}
			}
			for i, k := range chosen {
				inLine = append(inLine, w)
				if !yield(stockfish.Job{Index: w.first + int64(k), Start: w.line.Start, Moves: w.line.Moves[:plies[i]]}) {
					return
				}
			}
		}
	}
	err := l.pool.Label(ctx, jobs, func(r stockfish.Result) error {
		w := inLine[0]
		inLine = inLine[1:]
		w.labels[r.Index-w.first] = r.Label
		if r.Err != nil && l.Failed != nil {
			l.Failed(fmt.Errorf("input %d, number %d: %w", w.line.Input, w.line.Number, r.Err))
		}
		if err := j.append(r.Index, &r.Label); err != nil {
			return err
		}
		l.samples++
		l.report()
		if w.open--; w.open > 0 {
			return nil
		}
		return l.flush(&queue)
	})
	if err := errors.Join(readErr, err); err != nil {
		return err
	}
	return l.flush(&queue)
}

// reuse takes over labels that are there: of the journal, and of the input if
// it was labelled under the same fingerprint.
func (l *labeller) reuse(w *waiting, have map[int64]dataset.Label) {
	for _, c := range w.line.Labels {
		if c.Fingerprint == l.column {
			copy(w.labels, c.Labels)
		}
	}
	for k := range w.labels {
		if w.labels[k].Status == dataset.Failed {
			w.labels[k] = dataset.Label{} // another run tries again
		}
		if label, ok := have[w.first+int64(k)]; ok {
			w.labels[k] = label
			delete(have, w.first+int64(k))
		}
		switch w.labels[k].Status {
		case dataset.Failed, dataset.Terminal, dataset.Labelled:
			l.reused++
			l.samples++
			l.first++
		}
	}
}

// flush writes the lines at the head of the queue that are done.
func (l *labeller) flush(queue *[]*waiting) error {
	for len(*queue) > 0 && (*queue)[0].open == 0 {
		w := (*queue)[0]
		*queue = (*queue)[1:]
		line := w.line
		line.Labels = slices.DeleteFunc(slices.Clone(line.Labels), func(c dataset.LabelColumn) bool {
			return c.Fingerprint == l.column || w.exact != nil && c.Fingerprint == l.exact.column
		})
		line.Labels = append(line.Labels, dataset.LabelColumn{Fingerprint: l.column, Labels: w.labels})
		if w.exact != nil {
			line.Labels = append(line.Labels, dataset.LabelColumn{Fingerprint: l.exact.column, Labels: w.exact})
		}
		slices.SortFunc(line.Labels, func(a, b dataset.LabelColumn) int { return a.Fingerprint - b.Fingerprint })
		countLabels(&l.out.progress.Own, w.labels)
		if err := l.out.write(&line); err != nil {
			return err
		}
	}
	return nil
}

func (l *labeller) report() {
	if l.Progress == nil {
		return
	}
	s := l.pool.Stats()
	total := l.in.Manifest.Counts.Samples
	if l.Fraction > 0 && l.Fraction < 1 {
		total = max(int64(l.Fraction*float64(total)), l.samples)
	}
	p := Progress{
		Verb: "label", Unit: "positions", Count: l.samples, Rate: s.Labelled,
		First: l.first, Done: l.samples, Total: total,
	}
	if u, ok := s.Utilisation(); ok {
		p.Note = fmt.Sprintf("%.0f %% of the engines' time used", 100*u)
	}
	if s.Failed > 0 {
		p.Note += fmt.Sprintf(", %d failed", s.Failed)
	}
	l.Progress(p)
}
