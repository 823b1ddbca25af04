package loader

import (
	"context"
	"fmt"

	"talbot/encode"
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
	parts  [][]parts
	mask   mask
}

// Counts are the samples of one dataset.
type Counts struct {
	Train    int64   `json:"train"`    // usable, without what is left out
	Val      int64   `json:"val"`      // usable
	Unusable int64   `json:"unusable"` // in train or val, with nothing to learn
	Capped   int64   `json:"capped"`   // usable train samples left out as further copies of a position
	Policies int64   `json:"policies"` // of Train, with a policy target
	Values   int64   `json:"values"`   // of Train, with a value target
	Share    float64 `json:"share"`    // of the draws, 0 … 1
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
//
// What it finds is kept a dataset at a time ([Options.Cache]); nothing is read of a dataset for which it is there.
func (d *Data) Survey(ctx context.Context, limit, batch int, done func(blocks, of int)) (*Survey, error) {
	s := d.newSurvey(limit, batch)
	s.Longest = 1
	sets, err := d.surveySets(ctx, limit, done)
	if err != nil {
		return nil, err
	}
	for i, x := range sets {
		s.Sets[i] = x.Counts
		s.Longest = max(s.Longest, x.Longest)
		s.blocks, s.parts, s.mask = append(s.blocks, x.Blocks), append(s.parts, x.Parts), append(s.mask, x.Mask)
	}
	if err := s.share(); err != nil {
		return nil, err
	}
	s.Val = s.validation(sets, limit, batch)
	return s, nil
}

// newSurvey returns a survey of d that knows nothing yet.
func (d *Data) newSurvey(limit, batch int) *Survey {
	return &Survey{Sets: make([]Counts, len(d.Sets)), data: d, key: d.surveyKey(limit, batch)}
}

// share computes the shares of the draws.
func (s *Survey) share() error {
	counts := make([]int64, len(s.Sets))
	for i, c := range s.Sets {
		if counts[i] = c.Train; c.Train == 0 {
			set := s.data.Sets[i]
			return fmt.Errorf("%q: the train split (%s) has %w (%d samples without any target)", set.Dir,
				set.Manifest.Splits, ErrNoSamples, c.Unusable)
		}
	}
	for i, share := range shares(s.data.Sets, counts) {
		s.Sets[i].Share = share
	}
	return nil
}

// row is a val sample of a dataset.
type row struct{ set, row int }

// choose takes val samples of each dataset by its share, in the order of the data. They fill the fewest batches of one
// size up to most, and so fewer than there are batches are left out. The seats go one by one to the dataset that has
// the fewest for its share.
func (s *Survey) choose(sets []*setSurvey, limit, most int) (list []row, batch int) {
	total := 0
	for _, x := range sets {
		total += len(x.Hashes)
	}
	total = min(total, limit)
	if total == 0 || most < 1 {
		return nil, 0
	}
	batches := (total + most - 1) / most
	batch = total / batches
	seats := make([]int, len(sets))
	for range batches * batch {
		next, fewest := -1, 0.0
		for i, n := range seats {
			if least := float64(n+1) / s.Sets[i].Share; n < len(sets[i].Hashes) && (next < 0 || least < fewest) {
				next, fewest = i, least
			}
		}
		seats[next]++
	}
	for i, n := range seats {
		for _, k := range sets[i].lowest(n) {
			list = append(list, row{i, k})
		}
	}
	return list, batch
}

// validation makes the batches of validation.
func (s *Survey) validation(sets []*setSurvey, limit, most int) []train.Batch {
	list, batch := s.choose(sets, limit, most)
	if len(list) == 0 {
		return nil
	}
	shape := shape{s.data.layout, s.Longest}
	batches := make([]train.Batch, len(list)/batch)
	for i := range batches {
		shape.gather(&batches[i], sets, list[i*batch:(i+1)*batch])
	}
	return batches
}

// gather fills b with val samples.
func (s *shape) gather(b *train.Batch, sets []*setSurvey, rows []row) {
	l, moves := &s.layout, s.longest
	if l.Moves != encode.NoMoves && !s.inside() {
		moves = 0
		for _, r := range rows {
			moves = max(moves, listedIn(&sets[r.set].Val, r.row, l.Codes))
		}
		moves = s.length(moves)
	}
	b.Resize(len(rows), moves, l)
	floats := len(l.Floats)
	for i, r := range rows {
		from := &sets[r.set].Val
		copy(b.Packed[i*l.Words:][:l.Words], from.Packed[r.row*l.Words:])
		copy(b.Floats[i*floats:][:floats], from.Floats[r.row*floats:])
		copy(b.Known[i*floats:][:floats], from.Known[r.row*floats:])
		if l.Moves == encode.NoMoves {
			continue
		}
		k := from.Moves()
		weights, codes := b.Weights[i*moves:][:moves], b.Codes[i*moves*l.Codes:][:moves*l.Codes]
		for j := copy(weights, from.Weights[r.row*k:][:k]); j < moves; j++ {
			weights[j] = 0
		}
		for j := copy(codes, from.Codes[r.row*k*l.Codes:][:k*l.Codes]); j < len(codes); j++ {
			codes[j] = -1
		}
	}
}

// listedIn is how many moves a sample of a batch lists.
func listedIn(b *train.Batch, sample, codes int) (n int) {
	k := b.Moves()
	for n < k && b.Codes[(sample*k+n)*codes] >= 0 {
		n++
	}
	return n
}
