package loader

import (
	"context"
	"fmt"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/train"
)

// Survey is what training needs to know of the data before it begins.
type Survey struct {
	Sets    []Counts // by dataset
	Longest int      // list of moves, at least 1
	Val     []train.Batch
	data    *Data
	parts   [][]parts // of each block of each dataset
	mask    mask
}

// Counts are the samples of one dataset.
type Counts struct {
	Train    int64   `json:"train"`     // usable, without what is left out
	Val      int64   `json:"val"`       // usable
	Unusable int64   `json:"unusable"`  // in train or val, with nothing to learn
	Short    int64   `json:"low_clock"` // in train or val, left out for the time of the mover ([Options.MinClock])
	Capped   int64   `json:"capped"`    // usable train samples left out as further copies of a position
	Policies int64   `json:"policies"`  // of Train, with a policy target
	Values   int64   `json:"values"`    // of Train, with a value target
	Share    float64 `json:"share"`     // of the draws, 0 … 1
}

// Train returns the number of usable train samples of all datasets.
func (s *Survey) Train() (n int64) {
	for _, c := range s.Sets {
		n += c.Train
	}
	return n
}

// Survey reads all of the data once, and makes the batches of validation: up to limit val samples, of each dataset its
// share of them as far as it has that many, chosen by hash; in batches of one size of up to batch samples, with fewer
// left out than there are batches. They do not depend on a seed. A dataset without usable train samples is an error
// ([ErrNoSamples]); without val samples there are no batches. done, if not nil, is called with how many blocks were
// read. Every line is checked, of all splits: one that holds what cannot be is [dataset.ErrDamaged], with shard and
// line.
//
// With [Options.MaxCopies] the data is read once more, and of a position that is a usable train sample more often than
// that, over all datasets, exactly that many copies stay in, spread evenly over the data in its order. Val samples are
// never left out.
func (d *Data) Survey(ctx context.Context, limit, batch int, done func(blocks, of int)) (*Survey, error) {
	s, reading := &Survey{Sets: make([]Counts, len(d.Sets)), Longest: 1, data: d}, d.checking()
	val, err := s.count(ctx, reading, limit, done)
	if err != nil {
		return nil, err
	}
	if err := s.share(); err != nil {
		return nil, err
	}
	list, size := s.choose(val, limit, batch)
	s.Val, err = reading.validation(ctx, list, size, s.Longest)
	return s, err
}

// share computes the shares of the draws.
func (s *Survey) share() error {
	counts := make([]int64, len(s.Sets))
	for i, c := range s.Sets {
		if counts[i] = c.Train; c.Train == 0 {
			set := s.data.Sets[i]
			return fmt.Errorf("%q: the train split (%s) has %w (%d samples without any target, "+
				"%d of movers short of time)",
				set.Dir, set.Manifest.Splits, ErrNoSamples, c.Unusable, c.Short)
		}
	}
	for i, share := range shares(s.data.Sets, counts) {
		s.Sets[i].Share = share
	}
	return nil
}

// choose takes val samples of each dataset by its share, in the order of the data. They fill the fewest batches of one
// size up to most, so fewer than there are batches are left out. Samples are taken one by one from the dataset that has
// the fewest for its share.
func (s *Survey) choose(val []*picks, limit, most int) (list []pick, batch int) {
	total := 0
	for _, p := range val {
		total += p.len()
	}
	total = min(total, limit)
	if total == 0 || most < 1 {
		return nil, 0
	}
	batches := (total + most - 1) / most
	batch = total / batches
	taken := make([]int, len(val))
	for range batches * batch {
		next, fewest := -1, 0.0
		for i, n := range taken {
			if least := float64(n+1) / s.Sets[i].Share; n < val[i].len() && (next < 0 || least < fewest) {
				next, fewest = i, least
			}
		}
		taken[next]++
	}
	for i, n := range taken {
		list = append(list, val[i].lowest(n)...)
	}
	return list, batch
}

// validation makes batches of val samples, which are sorted by place.
func (d *Data) validation(ctx context.Context, list []pick, batch, longest int) ([]train.Batch, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var firsts []int // of each block
	for i, p := range list {
		if i == 0 || p.set != list[i-1].set || p.block != list[i-1].block {
			firsts = append(firsts, i)
		}
	}
	var g group
	g.resize(len(list), len(firsts), shape{d.layout, longest})
	if err := ordered.All(ctx, len(firsts), d.Options.Workers, func(_, i int) error {
		next := firsts[i]
		set, block := list[next].set, list[next].block
		_, err := d.each(d.Sets[set], block, only(dataset.Val), func(v *visit) error {
			if next < len(list) && (pick{set: set, block: block, at: v.at()}).compare(list[next]) == 0 {
				g.put(d.encoder, next, i, &v.view, &v.target)
				next++
			}
			return nil
		})
		return err
	}); err != nil {
		return nil, err
	}
	batches := make([]train.Batch, len(list)/batch)
	for i := range batches {
		g.batch(&batches[i], i*batch, batch)
	}
	return batches, nil
}
