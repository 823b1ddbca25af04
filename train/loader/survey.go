package loader

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/train"
)

// Survey is what training needs to know of the data before it begins.
type Survey struct {
	Sets    []Counts // by dataset
	Longest int      // list of moves, at least 1
	Val     []train.Batch

	data   *Data
	key    string    // what it is a survey of
	kept   bool      // it is from the file of a run
	blocks [][]int64 // train samples of each block of each dataset
	mask   mask
}

// Counts are the samples of one dataset.
type Counts struct {
	Train      int64   `json:"train"`       // usable, without what is left out
	Val        int64   `json:"val"`         // usable
	Unusable   int64   `json:"unusable"`    // in train or val, with nothing to learn
	Capped     int64   `json:"capped"`      // usable train samples left out as further copies of a position
	CutLines   int64   `json:"cut_lines"`   // train lines left out as cut copies of val or test lines of any dataset
	CutSamples int64   `json:"cut_samples"` // usable train samples of these lines
	Policies   int64   `json:"policies"`    // of Train, with a policy target
	Values     int64   `json:"values"`      // of Train, with a value target
	Share      float64 `json:"share"`       // of the draws, 0 … 1
}

// Train returns the number of usable train samples of all datasets.
func (s *Survey) Train() (n int64) {
	for _, c := range s.Sets {
		n += c.Train
	}
	return n
}

// Survey reads all of the data once, and makes the batches of validation: up to limit val samples, of each dataset its
// share of them as far as it has so many, chosen by hash; in batches of one size of up to batch samples, with fewer
// left out than there are batches. They do not depend on a seed. A dataset without usable train samples is an error
// ([ErrNoSamples]); without val samples there are no batches. done, if not nil, is told how many blocks were read.
// Every line is checked, of whatever split: one that holds what cannot be is [dataset.ErrDamaged], with shard and line.
//
// Before that a pass over all moves finds the val and test lines of all datasets, and train lines that are cut copies
// of one of them ([dataset.CutSet]) are left out, unless [Options.CutCopies] lets them stay. With [Options.MaxCopies]
// the data is read once more, and of a position that is a usable train sample more often than that, over all datasets,
// just so many copies stay in, spread evenly over the data in its order. Val samples are never left out.
func (d *Data) Survey(ctx context.Context, limit, batch int, done func(blocks, of int)) (*Survey, error) {
	s, reading := d.newSurvey(limit, batch), d.checking()
	s.Longest = 1
	for _, set := range d.Sets {
		s.blocks = append(s.blocks, make([]int64, len(set.blocks)))
	}
	s.mask = newMask(s.blocks)
	held, err := d.heldOut(ctx, done)
	if err != nil {
		return nil, err
	}
	var copies *copyCap
	if n := d.Options.MaxCopies; n > 0 {
		if copies, err = reading.countCopies(ctx, n, held, done); err != nil {
			return nil, err
		}
	}
	chosen := make([]*picks, len(d.Sets))
	for i := range chosen {
		chosen[i] = newPicks(limit)
	}
	for found, err := range overBlocks(ctx, reading, done, func(set, block int) (counted, error) {
		return reading.count(set, block, held)
	}) {
		if err != nil {
			return nil, err
		}
		s.add(found, copies)
		for _, p := range found.val {
			chosen[p.set].add(p)
		}
	}
	if err := s.share(); err != nil {
		return nil, err
	}
	list, batch := s.choose(chosen, limit, batch)
	s.Val, err = d.validation(ctx, list, batch, s.Longest)
	return s, err
}

// choose takes picks of each dataset by its share, and sorts them by place. They fill the fewest batches of one size up
// to most, and so fewer than there are batches are left out. The seats go one by one to the dataset that has the fewest
// for its share.
func (s *Survey) choose(chosen []*picks, limit, most int) (list []pick, batch int) {
	total := 0
	for _, p := range chosen {
		slices.SortFunc(p.list, func(a, b pick) int { return cmp.Or(cmp.Compare(a.hash, b.hash), a.compare(b)) })
		total += len(p.list)
	}
	total = min(total, limit)
	if total == 0 || most < 1 {
		return nil, 0
	}
	batches := (total + most - 1) / most
	batch = total / batches
	seats := make([]int, len(chosen))
	for range batches * batch {
		next, fewest := -1, 0.0
		for i, n := range seats {
			if least := float64(n+1) / s.Sets[i].Share; n < len(chosen[i].list) && (next < 0 || least < fewest) {
				next, fewest = i, least
			}
		}
		seats[next]++
	}
	for i, n := range seats {
		list = append(list, chosen[i].list[:n]...)
	}
	slices.SortFunc(list, pick.compare)
	return list, batch
}

// newSurvey returns a survey of d that knows nothing yet.
func (d *Data) newSurvey(limit, batch int) *Survey {
	return &Survey{Sets: make([]Counts, len(d.Sets)), data: d, key: d.surveyKey(limit, batch)}
}

// counted is what is in one block.
type counted struct {
	set, block int
	Counts            // before the cap on copies, without share
	longest    int    // list of moves
	keep       bitmap // the usable train samples that are not of cut copies
	train      []one  // with a cap: the usable train samples
	val        []pick
}

// one is a usable train sample.
type one struct {
	key           uint64 // [visit.copyKey]
	policy, value int64  // 1 if it has the target
	cut           bool   // of a cut copy
}

// count counts a block, without the train lines that are cut copies of lines that are held out.
func (d *Data) count(set, block int, held *dataset.CutSet) (counted, error) {
	c, cuts := counted{set: set, block: block}, cutCopies{held: held}
	unusable, err := d.each(d.Sets[set], block, only(dataset.Train, dataset.Val), func(v visit) {
		c.longest = max(c.longest, len(v.target.Moves))
		if v.sample.split == dataset.Val {
			c.val = append(c.val, pick{v.sample.hash(v.key), set, block, int(c.Val), v.sample.key})
			c.Val++
			return
		}
		s := one{key: v.copyKey(), cut: cuts.has(v.line)}
		if v.sample.learns {
			s.policy = 1
		}
		if v.sample.valued {
			s.value = 1
		}
		if c.keep.add(!s.cut); s.cut {
			c.CutSamples++
		} else {
			c.Counts.add(s)
		}
		if d.Options.MaxCopies > 0 {
			c.train = append(c.train, s)
		}
	})
	c.Unusable, c.CutLines = unusable[dataset.Train]+unusable[dataset.Val], cuts.lines
	return c, err
}

// add counts a usable train sample.
func (c *Counts) add(s one) {
	c.Train++
	c.Policies += s.policy
	c.Values += s.value
}

// add adds a block, whose train samples the cap may thin out; blocks come in order.
func (s *Survey) add(b counted, copies *copyCap) {
	s.Longest = max(s.Longest, b.longest)
	if copies != nil {
		b.thin(copies)
	}
	if b.CutSamples+b.Capped > 0 {
		s.mask[b.set][b.block] = b.keep
	}
	s.blocks[b.set][b.block] = b.Train
	c := &s.Sets[b.set]
	c.Train += b.Train
	c.Val += b.Val
	c.Unusable += b.Unusable
	c.Capped += b.Capped
	c.CutLines += b.CutLines
	c.CutSamples += b.CutSamples
	c.Policies += b.Policies
	c.Values += b.Values
}

// thin leaves out further copies of positions.
func (b *counted) thin(copies *copyCap) {
	left := Counts{Val: b.Val, Unusable: b.Unusable, CutLines: b.CutLines, CutSamples: b.CutSamples}
	b.keep = bitmap{}
	for _, sample := range b.train {
		keep := !sample.cut && copies.keep(sample.key)
		if b.keep.add(keep); keep {
			left.add(sample)
		} else if !sample.cut {
			left.Capped++
		}
	}
	b.Counts = left
}

// share computes the shares of the draws.
func (s *Survey) share() error {
	counts := make([]int64, len(s.Sets))
	for i, c := range s.Sets {
		if counts[i] = c.Train; c.Train == 0 {
			set := s.data.Sets[i]
			return fmt.Errorf("%q: the train split (%s) has %w (%d samples without any target, %d of cut copies of "+
				"val or test lines)", set.Dir, set.Manifest.Splits, ErrNoSamples, c.Unusable, c.CutSamples)
		}
	}
	for i, share := range shares(s.data.Sets, counts) {
		s.Sets[i].Share = share
	}
	return nil
}

// validation makes batches of the picks, which are sorted by place and fill them.
func (d *Data) validation(ctx context.Context, list []pick, batch, longest int) ([]train.Batch, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var blocks []pick // the first of each block
	for i, p := range list {
		if i == 0 || p.set != list[i-1].set || p.block != list[i-1].block {
			blocks = append(blocks, p)
		}
	}
	var slots []slot
	for r, err := range ordered.N(ctx, len(blocks), d.Options.Workers, func(_, i int) (*records, error) {
		return d.extract(d.Sets[blocks[i].set], blocks[i].block, only(dataset.Val))
	}) {
		if err != nil {
			return nil, err
		}
		first := list[len(slots)]
		for len(slots) < len(list) && list[len(slots)].set == first.set && list[len(slots)].block == first.block {
			slots = append(slots, slot{r, list[len(slots)].sample})
		}
	}
	batches := make([]train.Batch, len(list)/batch)
	for i := range batches {
		if err := d.fill(&batches[i], slots[i*batch:(i+1)*batch], longest); err != nil {
			return nil, err
		}
	}
	return batches, nil
}
