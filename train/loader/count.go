package loader

import (
	"context"

	"talbot/dataset"
)

// count counts the samples of all datasets, and returns of each the val samples with the lowest hashes, up to limit.
func (s *Survey) count(ctx context.Context, d *Data, limit int, done func(blocks, of int)) ([]*picks, error) {
	var copies *copyCap
	if n := d.Options.MaxCopies; n > 0 {
		var err error
		if copies, err = d.countCopies(ctx, n, done); err != nil {
			return nil, err
		}
	}
	var val []*picks
	for _, set := range d.Sets {
		n := len(set.blocks)
		s.parts, s.mask = append(s.parts, make([]parts, n)), append(s.mask, make([]bitmap, n))
		val = append(val, &picks{limit: limit})
	}
	for found, err := range overBlocks(ctx, d, done, d.count) {
		if err != nil {
			return nil, err
		}
		s.add(found, copies)
		for _, p := range found.val {
			val[found.set].add(p)
		}
	}
	return val, nil
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
	left, err := d.each(d.Sets[set], block, only(dataset.Train, dataset.Val), func(v *visit) error {
		c.longest = max(c.longest, len(v.target.Moves))
		if v.split == dataset.Val {
			c.val = append(c.val, pick{v.hash(), set, block, v.at(), v.position()})
			c.Val++
			return nil
		}
		s := trainSample{key: v.copyKey()}
		if v.target.Learns() {
			s.policy = 1
		}
		if d.valued(&v.target) {
			s.value = 1
		}
		c.parts[v.part]++
		c.Counts.add(s)
		if d.Options.MaxCopies > 0 {
			c.train = append(c.train, s)
		}
		return nil
	})
	c.Unusable, c.Short = left.unusable, left.short
	return c, err
}

// add counts a usable train sample.
func (c *Counts) add(s trainSample) {
	c.Train++
	c.Policies += s.policy
	c.Values += s.value
}

// add adds a block, whose train samples the cap may thin out; blocks come in order.
func (s *Survey) add(b blockCounts, copies *copyCap) {
	s.Longest = max(s.Longest, b.longest)
	if copies != nil {
		b.thin(copies)
	}
	if b.Capped > 0 {
		s.mask[b.set][b.block] = b.keep
	}
	s.parts[b.set][b.block] = b.parts
	c := &s.Sets[b.set]
	c.Train += b.Train
	c.Val += b.Val
	c.Unusable += b.Unusable
	c.Short += b.Short
	c.Capped += b.Capped
	c.Policies += b.Policies
	c.Values += b.Values
}

// thin leaves out further copies of positions.
func (b *blockCounts) thin(copies *copyCap) {
	left := Counts{Val: b.Val, Unusable: b.Unusable, Short: b.Short}
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
