package loader

import (
	"cmp"
	"context"
	"slices"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/train"
)

// setSurvey is what a survey finds in one dataset.
type setSurvey struct {
	Counts  Counts  // without share
	Longest int     // list of moves, at least 1
	Blocks  []int64 // train samples of each block
	Parts   []parts // of each block
	Mask    []bitmap
	Hashes  []uint64    // of the val samples with the lowest hashes, in the order of the data
	Val     train.Batch // these samples
}

// surveySets surveys each dataset, as far as that was not kept, and keeps it.
func (d *Data) surveySets(ctx context.Context, limit int, done func(blocks, of int)) ([]*setSurvey, error) {
	sets := make([]*setSurvey, len(d.Sets))
	d.loadSets(sets, limit)
	reading := d.checking()
	reading.Sets = slices.Clone(reading.Sets)
	var missing []int // by number among those that are read
	for i, s := range sets {
		if s == nil {
			reading.Sets[len(missing)] = reading.Sets[i]
			missing = append(missing, i)
		}
	}
	reading.Sets = reading.Sets[:len(missing)]
	found, err := reading.surveyAll(ctx, limit, done)
	if err != nil {
		return nil, err
	}
	for k, i := range missing {
		sets[i] = found[k]
		d.storeSet(i, sets[i], limit)
	}
	return sets, nil
}

// surveyAll surveys all datasets of d.
func (d *Data) surveyAll(ctx context.Context, limit int, done func(blocks, of int)) ([]*setSurvey, error) {
	if len(d.Sets) == 0 {
		return nil, nil
	}
	var copies *copyCap
	if n := d.Options.MaxCopies; n > 0 {
		var err error
		if copies, err = d.countCopies(ctx, n, done); err != nil {
			return nil, err
		}
	}
	sets, chosen := make([]*setSurvey, len(d.Sets)), make([]*picks, len(d.Sets))
	for i, set := range d.Sets {
		n := len(set.blocks)
		sets[i], chosen[i] = &setSurvey{Longest: 1, Blocks: make([]int64, n), Parts: make([]parts, n),
			Mask: make([]bitmap, n)}, newPicks(limit)
	}
	for found, err := range overBlocks(ctx, d, done, d.count) {
		if err != nil {
			return nil, err
		}
		sets[found.set].add(found, copies)
		for _, p := range found.val {
			chosen[found.set].add(p)
		}
	}
	for i, s := range sets {
		list := chosen[i].sorted()
		for _, p := range list {
			s.Hashes = append(s.Hashes, p.hash)
		}
		if err := d.read(ctx, &s.Val, list, s.Longest); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// read fills the batch with val samples, which are sorted by place.
func (d *Data) read(ctx context.Context, batch *train.Batch, list []pick, longest int) error {
	var blocks []pick // the first of each block
	for i, p := range list {
		if i == 0 || p.set != list[i-1].set || p.block != list[i-1].block {
			blocks = append(blocks, p)
		}
	}
	if len(list) == 0 {
		return nil
	}
	f := d.newFilling(len(list), longest)
	for r, err := range ordered.N(ctx, len(blocks), d.Options.Workers, func(_, i int) (*records, error) {
		return d.extract(d.Sets[blocks[i].set], blocks[i].block, only(dataset.Val))
	}) {
		if err != nil {
			return err
		}
		first := list[f.n]
		for f.n < len(list) && list[f.n].set == first.set && list[f.n].block == first.block {
			if err := f.add(r, list[f.n].sample); err != nil {
				return err
			}
		}
	}
	f.batch(batch)
	return nil
}

// lowest returns which of the val samples have the n lowest hashes, in the order of the data.
func (s *setSurvey) lowest(n int) []int {
	order := make([]int, len(s.Hashes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(s.Hashes[a], s.Hashes[b]), a-b) })
	order = order[:n]
	slices.Sort(order)
	return order
}

// blockCounts is what is in one block.
type blockCounts struct {
	set, block int
	Counts         // before the cap on copies, without share
	longest    int // list of moves
	parts      parts
	keep       bitmap        // with a cap: the usable train samples that stay
	train      []trainSample // with a cap: the usable train samples
	val        []pick
}

// trainSample is a usable train sample.
type trainSample struct {
	key           uint64 // [visit.copyKey]
	policy, value int64  // 1 if it has the target
}

// count counts a block.
func (d *Data) count(set, block int) (blockCounts, error) {
	c := blockCounts{set: set, block: block}
	unusable, err := d.each(d.Sets[set], block, only(dataset.Train, dataset.Val), func(v visit) {
		c.longest = max(c.longest, len(v.target.Moves))
		if v.sample.split == dataset.Val {
			c.val = append(c.val, pick{v.sample.hash(v.key), set, block, int(c.Val), v.sample.key})
			c.Val++
			return
		}
		s := trainSample{key: v.copyKey()}
		if v.sample.learns {
			s.policy = 1
		}
		if v.sample.valued {
			s.value = 1
		}
		c.parts[v.part]++
		c.Counts.add(s)
		if d.Options.MaxCopies > 0 {
			c.train = append(c.train, s)
		}
	})
	c.Unusable = unusable[dataset.Train] + unusable[dataset.Val]
	return c, err
}

// add counts a usable train sample.
func (c *Counts) add(s trainSample) {
	c.Train++
	c.Policies += s.policy
	c.Values += s.value
}

// add adds a block, whose train samples the cap may thin out; blocks come in order.
func (s *setSurvey) add(b blockCounts, copies *copyCap) {
	s.Longest = max(s.Longest, b.longest)
	if copies != nil {
		b.thin(copies)
	}
	if b.Capped > 0 {
		s.Mask[b.block] = b.keep
	}
	s.Blocks[b.block], s.Parts[b.block] = b.Train, b.parts
	c := &s.Counts
	c.Train += b.Train
	c.Val += b.Val
	c.Unusable += b.Unusable
	c.Capped += b.Capped
	c.Policies += b.Policies
	c.Values += b.Values
}

// thin leaves out further copies of positions.
func (b *blockCounts) thin(copies *copyCap) {
	left := Counts{Val: b.Val, Unusable: b.Unusable}
	for _, sample := range b.train {
		keep := copies.keep(sample.key)
		if b.keep.add(keep); keep {
			left.add(sample)
		} else {
			left.Capped++
		}
	}
	b.Counts = left
}
