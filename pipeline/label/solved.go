package label

import (
	"context"
	"iter"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/shards"
	"talbot/stockfish"
	"talbot/tablebase/mates"
)

// solvedLabels gives samples of three pieces the labels of package mates, in a column of their own. The zero value
// gives none.
type solvedLabels struct {
	on     bool
	column int   // of their fingerprint
	found  int64 // labelled samples written in this process
	over   int64 // terminal ones
}

// open adds the fingerprint and the flag, if there are to be such labels.
func (s *solvedLabels) open(m *dataset.Manifest) {
	if !s.on {
		return
	}
	m.Flags = append(m.Flags, dataset.Tag{Name: "mates", Value: "true"})
	s.column = slices.IndexFunc(m.Fingerprints,
		func(f dataset.Fingerprint) bool { return f.ID() == mates.Fingerprint.ID() })
	if s.column < 0 {
		s.column = len(m.Fingerprints)
		m.Fingerprints = append(m.Fingerprints, mates.Fingerprint)
	}
}

// of returns the labels of a line's samples, nil if there are none.
func (s *solvedLabels) of(l *dataset.Line) ([]dataset.Label, error) {
	if !s.on {
		return nil, nil
	}
	labels, any := make([]dataset.Label, l.SampleCount()), false
	err := eachSample(l, func(k int, p *board.Position) error {
		if label, ok := mates.Label(p); ok {
			labels[k], any = label, true
		}
		return nil
	})
	if err != nil || !any {
		return nil, err
	}
	return labels, nil
}

// write adds the labels to a line that is to be written.
func (s *solvedLabels) write(line *dataset.Line, labels []dataset.Label) {
	if labels == nil {
		return
	}
	line.Labels = slices.DeleteFunc(line.Labels, func(l dataset.LabelColumn) bool { return l.Fingerprint == s.column })
	line.Labels = append(line.Labels, dataset.LabelColumn{Fingerprint: s.column, Labels: labels})
	for k := range labels {
		switch labels[k].Status {
		case dataset.Labelled:
			s.found++
		case dataset.Terminal:
			s.over++
		}
	}
}

// isSolved reports whether the k-th sample needs no engine.
func isSolved(labels []dataset.Label, k int) bool {
	return labels != nil && labels[k].Status != dataset.Missing
}

// solvesAll reports whether all samples of a dataset are solved, so that no engine is needed.
func (s *solvedLabels) solvesAll(dir string) (bool, error) {
	d, err := shards.OpenDataset(dir, shards.WithColumns(0))
	if err != nil {
		return false, err
	}
	defer d.Close()
	for line, err := range d.Lines() {
		if err != nil {
			return false, err
		}
		labels, err := s.of(line)
		if err != nil {
			return false, err
		}
		for k := range line.SampleCount() {
			if !isSolved(labels, k) {
				return false, nil
			}
		}
	}
	return true, nil
}

// noEngine is the [Searcher] of a labelling that searches nothing.
type noEngine struct{}

func (noEngine) Label(ctx context.Context, jobs iter.Seq[stockfish.Job], _ func(stockfish.Result) error) error {
	for range jobs {
		if ctx.Err() != nil {
			break
		}
	}
	return ctx.Err()
}

func (noEngine) Fingerprints() []dataset.Fingerprint { return nil }
func (noEngine) Stats() stockfish.Stats              { return stockfish.Stats{} }
func (noEngine) Abort()                              {}
func (noEngine) Close() error                        { return nil }
