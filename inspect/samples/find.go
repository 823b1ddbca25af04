package samples

import (
	"context"
	"fmt"
	"iter"

	"talbot/dataset"
	"talbot/internal/ordered"
)

// Hits are the samples of a block that a query chooses.
type Hits struct {
	Numbers []int64 // ascending
	UpTo    int64   // the samples before this one have been looked at
}

// Find goes through the dataset and returns the samples that a query chooses, block by block in order. So many blocks
// are read at the same time as there are workers, and no more than the query needs of them. An error ends the sequence:
// a block or line that is damaged ([dataset.ErrDamaged]), or the context's.
func (d *Dataset) Find(ctx context.Context, q Query, workers int) iter.Seq2[Hits, error] {
	return func(yield func(Hits, error) bool) {
		finders := make([]finder, max(1, workers))
		for hits, err := range ordered.N(ctx, len(d.blocks), len(finders), func(worker, i int) (Hits, error) {
			return finders[worker].block(d, &q, i)
		}) {
			if err != nil {
				err = fmt.Errorf("searching %q: %w", d.dataset.Dir, err)
			}
			if !yield(hits, err) || err != nil {
				return
			}
		}
	}
}

// finder answers queries. It belongs to one goroutine.
type finder struct {
	walker dataset.Walker
	lines  []dataset.Line
	plies  []int
}

// block answers a query for a block.
func (f *finder) block(d *Dataset, q *Query, i int) (hits Hits, err error) {
	b := &d.blocks[i]
	hits.UpTo = b.sample + int64(d.dataset.Shards[b.Shard].Block(b.Block).Samples)
	r := d.dataset.Shards[b.Shard].With(q.columns())
	if f.lines, err = r.ReadBlock(b.Block, f.lines[:0]); err != nil {
		return hits, err
	}
	for l := range b.in(f.lines) {
		if !q.line(l.Line, &d.Manifest().Splits) {
			continue
		}
		if q.Pieces.Limited {
			if err := d.check(l); err != nil {
				return hits, err
			}
			for f.walker.Reset(l.Line); f.walker.Next(); {
				if q.sample(l.Line, f.walker.Sample(), f.walker.Ply(), f.walker.Position(), &d.counting) {
					hits.Numbers = append(hits.Numbers, l.first+int64(f.walker.Sample()))
				}
			}
			continue
		}
		f.plies = l.Samples.Plies(f.plies[:0], len(l.Moves))
		for sample, ply := range f.plies {
			if q.sample(l.Line, sample, ply, nil, &d.counting) {
				hits.Numbers = append(hits.Numbers, l.first+int64(sample))
			}
		}
	}
	return hits, nil
}
