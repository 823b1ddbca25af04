package label

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

// exactLabels gives samples the results that endgame tables have for them, in a column of their own. The zero value
// has no tables and gives none.
type exactLabels struct {
	set    *syzygy.Set // nil: there are none
	tables *stockfish.Tables
	column int   // of the tables' fingerprint
	found  int64 // samples with a result, written in this process
}

// findTables finds and checks the requested tables; nil: none are requested.
func (r *Request) findTables(ctx context.Context) (*syzygy.Set, error) {
	if r.Syzygy == "" {
		return nil, nil
	}
	return syzygy.Open(ctx, r.Syzygy, r.Tables)
}

// open starts the reader of tables, if there are any to read, and adds their fingerprint and flags.
func (x *exactLabels) open(ctx context.Context, r *Request, m *dataset.Manifest) error {
	if x.set == nil {
		return nil
	}
	var err error
	if x.tables, err = stockfish.OpenTables(ctx, r.Engine, x.set); err != nil {
		return err
	}
	f := x.tables.Fingerprint()
	m.Flags = append(m.Flags, dataset.Tag{Name: "syzygy", Value: f.Build})
	if r.SkipExact {
		m.Flags = append(m.Flags, dataset.Tag{Name: "skip-exact", Value: "true"})
	}
	x.column = slices.IndexFunc(m.Fingerprints, func(g dataset.Fingerprint) bool { return g.ID() == f.ID() })
	if x.column < 0 {
		x.column = len(m.Fingerprints)
		m.Fingerprints = append(m.Fingerprints, f)
	}
	return nil
}

func (x *exactLabels) close() {
	if x.tables != nil {
		x.tables.Close()
	}
}

// restarts is how many readers of tables were started in place of lost ones.
func (x *exactLabels) restarts() int64 {
	if x.tables == nil {
		return 0
	}
	return x.tables.Restarts()
}

// lookUp returns the labels of a line's samples, nil if the tables have none of them.
func (x *exactLabels) lookUp(ctx context.Context, l *dataset.Line) ([]dataset.Label, error) {
	if x.tables == nil {
		return nil, nil
	}
	labels, any := make([]dataset.Label, l.SampleCount()), false
	err := eachSample(l, func(k int, p *board.Position) error {
		if p.IsDead() || !p.HasLegalMove() {
			labels[k].Status = dataset.Terminal
			return nil
		}
		class, known, err := x.tables.Probe(ctx, p)
		if err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		if known {
			labels[k], any = dataset.ExactLabel(class), true
		}
		return nil
	})
	if err != nil || !any {
		return nil, err
	}
	return labels, nil
}

// eachSample goes through a line's samples: the k-th one and its position, which must stay as it is.
func eachSample(l *dataset.Line, do func(k int, p *board.Position) error) error {
	p, ply := l.Start, 0
	for k, sample := range l.Samples.Plies(nil, len(l.Moves)) {
		for ; ply < sample; ply++ {
			if !p.IsLegal(l.Moves[ply]) {
				return fmt.Errorf("ply %d: move %s is illegal in %q: %w", ply, l.Moves[ply], p.FEN(),
					dataset.ErrDamaged)
			}
			p.Play(l.Moves[ply])
		}
		if err := do(k, &p); err != nil {
			return err
		}
	}
	return nil
}

// count counts the results that are written.
func (x *exactLabels) count(labels []dataset.Label) {
	for k := range labels {
		if isExact(labels, k) {
			x.found++
		}
	}
}

// isExact reports whether the k-th sample has a result.
func isExact(labels []dataset.Label, k int) bool {
	return labels != nil && labels[k].Status == dataset.Labelled
}
