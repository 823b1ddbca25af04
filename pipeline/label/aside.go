package label

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/shards"
	"talbot/stockfish"
	"talbot/tablebase/mates"
)

// asideColumn has labels of samples that are known without a search, in a column of their own: results of endgame
// tables, or labels of package mates. The zero value has none.
type asideColumn struct {
	// label returns the label of a position; false where it is not known: of a line without any known one the column
	// has nothing.
	label  func(ctx context.Context, p *board.Position) (l dataset.Label, known bool, err error)
	column int
	found  int64 // labelled samples written in this process
	over   int64 // terminal ones
}

// open adds the fingerprint and the flag of the labels.
func (a *asideColumn) open(m *dataset.Manifest, print dataset.Fingerprint, flag, value string) {
	m.Flags.Add(true, flag, value)
	a.column = addFingerprint(m, print)
}

// addFingerprint returns the column of a fingerprint, which a manifest gets unless it has it.
func addFingerprint(m *dataset.Manifest, print dataset.Fingerprint) int {
	column := slices.IndexFunc(m.Fingerprints, func(f dataset.Fingerprint) bool { return f.ID() == print.ID() })
	if column < 0 {
		column = len(m.Fingerprints)
		m.Fingerprints = append(m.Fingerprints, print)
	}
	return column
}

// of returns the labels of a line's samples; nil if none is known.
func (a *asideColumn) of(ctx context.Context, l *dataset.Line) ([]dataset.Label, error) {
	if a.label == nil {
		return nil, nil
	}
	labels, any := make([]dataset.Label, l.SampleCount()), false
	p, ply := l.Start, 0
	for k, sample := range l.Samples.Plies(nil, len(l.Moves)) {
		for ; ply < sample; ply++ {
			if !p.IsLegal(l.Moves[ply]) {
				return nil, fmt.Errorf("ply %d: move %s is illegal in %q: %w", ply, l.Moves[ply], p.FEN(),
					dataset.ErrDamaged)
			}
			p.Play(l.Moves[ply])
		}
		label, known, err := a.label(ctx, &p)
		if err != nil {
			return nil, err
		}
		labels[k], any = label, any || known
	}
	if !any {
		return nil, nil
	}
	return labels, nil
}

// write adds the labels to a line that is to be written.
func (a *asideColumn) write(line *dataset.Line, labels []dataset.Label) {
	if labels == nil {
		return
	}
	setColumn(line, a.column, labels)
	for k := range labels {
		switch labels[k].Status {
		case dataset.Labelled:
			a.found++
		case dataset.Terminal:
			a.over++
		}
	}
}

// statusAt returns the status of the k-th label; missing where there are none.
func statusAt(labels []dataset.Label, k int) dataset.LabelStatus {
	if labels == nil {
		return dataset.Missing
	}
	return labels[k].Status
}

// byTables returns a column of the results that endgame tables have.
func byTables(tables *stockfish.Tables) asideColumn {
	return asideColumn{label: func(ctx context.Context, p *board.Position) (dataset.Label, bool, error) {
		if p.IsDead() || !p.HasLegalMove() {
			return dataset.Label{Status: dataset.Terminal}, false, nil
		}
		class, known, err := tables.Probe(ctx, p)
		if err != nil || !known {
			return dataset.Label{}, false, cmp.Or(ctx.Err(), err)
		}
		return dataset.ExactLabel(class), true, nil
	}}
}

// byMates returns a column of the labels of package mates.
func byMates() asideColumn {
	return asideColumn{label: func(_ context.Context, p *board.Position) (l dataset.Label, known bool, err error) {
		l, known = mates.Label(p)
		return l, known, nil
	}}
}

// hasAll reports whether all samples of a dataset are known, so that no engine is needed.
func (a *asideColumn) hasAll(ctx context.Context, dir string) (bool, error) {
	d, err := shards.OpenDataset(dir, shards.Moves)
	if err != nil {
		return false, err
	}
	defer d.Close()
	for line, err := range d.Lines() {
		if err != nil {
			return false, err
		}
		labels, err := a.of(ctx, line)
		if err != nil {
			return false, err
		}
		for k := range line.SampleCount() {
			if statusAt(labels, k) == dataset.Missing {
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
