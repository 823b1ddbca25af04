package loader

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"

	"talbot/dataset"
	"talbot/train"
)

// Survey is what training needs to know of the data before it begins.
type Survey struct {
	Sets    []Counts // by dataset
	Choices int      // longest policy target, at least 1
	Val     []train.Batch

	data   *Data
	blocks [][]int64 // train samples of each block of each dataset
	mask   *mask     // nil without a cap on copies
}

// Counts are the samples of one dataset.
type Counts struct {
	Train, Val int64 // usable
	Unusable   int64 // in train or val, with neither policy nor value target
	Capped     int64 // usable train samples left out as further copies of a position
	Share      float64
}

// Train returns the number of usable train samples of all datasets.
func (s *Survey) Train() (n int64) {
	for _, c := range s.Sets {
		n += c.Train
	}
	return n
}

// Survey reads all of the data once, and makes the batches of validation: up to limit val samples, spread by hash over
// all datasets, in batches of one size of up to batch samples; what does not fill a batch is left out. They do not
// depend on a seed. A dataset without usable train samples is an error ([ErrNoSamples]); without val samples there are
// no batches. With [Options.MaxCopies] the data is read once more before, and of a position that is a usable train sample
// more often than that, over all datasets, just so many copies stay in, spread evenly over the data in its order; val
// samples are never left out. done, if not nil, is told how many blocks were read.
func (d *Data) Survey(ctx context.Context, limit, batch int, done func(blocks, of int)) (*Survey, error) {
	s := &Survey{Sets: make([]Counts, len(d.Sets)), Choices: 1, data: d, blocks: make([][]int64, len(d.Sets))}
	for i, set := range d.Sets {
		s.blocks[i] = make([]int64, len(set.blocks))
	}
	var copies *copyCap
	if n := d.Options.MaxCopies; n > 0 {
		var err error
		if copies, err = d.countCopies(ctx, n, done); err != nil {
			return nil, err
		}
		s.mask = newMask(s.blocks)
	}
	chosen := newPicks(limit)
	for r, err := range d.scan(ctx, only(dataset.Train, dataset.Val), done) {
		if err != nil {
			return nil, err
		}
		c := &s.Sets[r.set]
		for i := range r.samples {
			sample := &r.samples[i]
			s.Choices = max(s.Choices, int(sample.choices))
			if sample.split == dataset.Train {
				keep := copies.keep(sample.key)
				if s.mask.add(r.set, r.block, keep); !keep {
					c.Capped++
					continue
				}
				c.Train++
				s.blocks[r.set][r.block]++
			} else {
				c.Val++
				chosen.add(pick{r.hash(sample), r.set, r.block, i, sample.key})
			}
		}
		c.Unusable += r.unusable[dataset.Train] + r.unusable[dataset.Val]
	}
	counts := make([]int64, len(d.Sets))
	for i, c := range s.Sets {
		if counts[i] = c.Train; c.Train == 0 {
			return nil, fmt.Errorf("%q: the train split (%s) has %w (%d samples without any target)",
				d.Sets[i].Dir, d.Sets[i].Manifest.Splits, ErrNoSamples, c.Unusable)
		}
	}
	for i, share := range shares(d.Sets, counts) {
		s.Sets[i].Share = share
	}
	var err error
	s.Val, err = s.validation(chosen.sorted(), batch)
	return s, err
}

// validation makes batches of the picks.
func (s *Survey) validation(list []pick, batch int) ([]train.Batch, error) {
	if batch = min(batch, len(list)); batch == 0 {
		return nil, nil
	}
	list = list[:len(list)/batch*batch]
	slots := make([]slot, len(list))
	var r *records
	for i, p := range list { // sorted by place: each block is read once
		if i == 0 || p.set != list[i-1].set || p.block != list[i-1].block {
			var err error
			if r, err = s.data.extract(s.data.Sets[p.set], p.block, only(dataset.Train, dataset.Val)); err != nil {
				return nil, err
			}
		}
		slots[i] = slot{r, p.sample}
	}
	batches := make([]train.Batch, len(list)/batch)
	for i := range batches {
		if err := s.data.fill(&batches[i], slots[i*batch:(i+1)*batch], s.Choices); err != nil {
			return nil, err
		}
	}
	return batches, nil
}

// pick is a sample chosen by its hash.
type pick struct {
	hash               uint64
	set, block, sample int
	key                uint64 // of the position
}

func (p pick) compare(q pick) int {
	return cmp.Or(cmp.Compare(p.set, q.set), cmp.Compare(p.block, q.block), cmp.Compare(p.sample, q.sample))
}

// picks keeps the samples of the lowest hashes; of equal hashes those that come first. It is a heap with the highest
// on top.
type picks struct {
	limit int
	list  []pick
}

func newPicks(limit int) *picks { return &picks{limit: limit} }

func (p *picks) Len() int { return len(p.list) }
func (p *picks) Less(i, j int) bool {
	a, b := p.list[i], p.list[j]
	return cmp.Or(cmp.Compare(a.hash, b.hash), a.compare(b)) > 0
}
func (p *picks) Swap(i, j int) { p.list[i], p.list[j] = p.list[j], p.list[i] }
func (p *picks) Push(x any)    { p.list = append(p.list, x.(pick)) }
func (p *picks) Pop() any {
	last := p.list[len(p.list)-1]
	p.list = p.list[:len(p.list)-1]
	return last
}

// add offers a pick; picks come in order of their place.
func (p *picks) add(q pick) {
	switch {
	case len(p.list) < p.limit:
		heap.Push(p, q)
	case p.limit > 0 && q.hash < p.list[0].hash:
		p.list[0] = q
		heap.Fix(p, 0)
	}
}

// sorted returns the picks by place.
func (p *picks) sorted() []pick {
	slices.SortFunc(p.list, pick.compare)
	return p.list
}
