package samples

import (
	"context"
	"fmt"
	"iter"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/shards"
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
	r := d.dataset.Shards[b.Shard].With(q.columns())
	if f.lines, err = r.ReadBlock(b.Block, f.lines[:0]); err != nil {
		return hits, err
	}
	next := b.sample
	for k := range f.lines {
		l, first := &f.lines[k], next
		next += int64(l.SampleCount())
		if first == next || !q.line(l, &d.Manifest().Splits) {
			continue
		}
		if q.ofLines() {
			for number := first; number < next; number++ {
				hits.Numbers = append(hits.Numbers, number)
			}
			continue
		}
		if q.Pieces.Limited {
			if err := l.Check(); err != nil {
				return hits, fmt.Errorf("line %d: %w: %w", b.line+int64(k), dataset.ErrDamaged, err)
			}
			f.walker.Reset(l)
			for f.walker.Next() {
				if q.sample(l, f.walker.Sample(), f.walker.Ply(), f.walker.Position(), &d.counting) {
					hits.Numbers = append(hits.Numbers, first+int64(f.walker.Sample()))
				}
			}
			continue
		}
		f.plies = l.Samples.Plies(f.plies[:0], len(l.Moves))
		for sample, ply := range f.plies {
			if q.sample(l, sample, ply, nil, &d.counting) {
				hits.Numbers = append(hits.Numbers, first+int64(sample))
			}
		}
	}
	hits.UpTo = next
	return hits, nil
}

// Some returns samples by their ascending numbers. Each block is read once, as many at the same time as there are
// workers, and variations of the labels are left out. Errors are those of [Dataset.Sample], or the context's.
func (d *Dataset) Some(ctx context.Context, numbers []int64, workers int) ([]*Sample, error) {
	type part struct{ block, from, to int } // of the numbers
	var parts []part
	for i, number := range numbers {
		if number < 0 || number >= d.samples || i > 0 && number <= numbers[i-1] {
			return nil, fmt.Errorf("sample %d of %q: %w", number, d.dataset.Dir, ErrNoSample)
		}
		b := d.find(number)
		if n := len(parts); n > 0 && parts[n-1].block == b {
			parts[n-1].to = i + 1
			continue
		}
		parts = append(parts, part{b, i, i + 1})
	}
	list := make([]*Sample, len(numbers))
	if len(parts) == 0 {
		return list, nil
	}
	return list, ordered.All(ctx, len(parts), min(max(1, workers), len(parts)), func(_, i int) error {
		p := parts[i]
		b := &d.blocks[p.block]
		lines, err := d.dataset.Shards[b.Shard].With(shards.AllColumns&^shards.Variations).ReadBlock(b.Block, nil)
		if err != nil {
			return err
		}
		v, next := viewer{Dataset: d}, b.sample
		for k := range lines {
			l, first := &lines[k], next
			next += int64(l.SampleCount())
			for ; p.from < p.to && numbers[p.from] < next; p.from++ {
				s, err := v.at(l, p.block, k, first, int(numbers[p.from]-first))
				if err != nil {
					return err
				}
				list[p.from] = s
			}
		}
		return nil
	})
}

// at describes a sample of the k-th line of a block; first is the number of the line's first.
func (v *viewer) at(l *dataset.Line, block, k int, first int64, sample int) (*Sample, error) {
	line := v.blocks[block].line + int64(k)
	if err := l.Check(); err != nil {
		return nil, fmt.Errorf("%q: line %d: %w: %w", v.dataset.Dir, line, dataset.ErrDamaged, err)
	}
	plies := l.Samples.Plies(nil, len(l.Moves))
	if err := v.walker.At(l, plies[sample]); err != nil {
		return nil, err
	}
	s := v.describe(l)
	s.Sample, s.Line, s.Split = first+int64(sample), line, v.Manifest().Splits.Of(dataset.SplitKey(l)).String()
	return s, nil
}
