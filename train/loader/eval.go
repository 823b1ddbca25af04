package loader

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"talbot/dataset"
	"talbot/encode"
	"talbot/evaluate"
)

// EvalOptions decide which samples are evaluated.
type EvalOptions struct {
	Splits []dataset.Split
	Limit  int64 // samples at most, spread by hash over all datasets; 0 = all
	// TrainedOn are the datasets the network was trained on, whose train split makes a position seen. Nil if that is
	// not known: then no sample is marked as unseen.
	TrainedOn []Spec
	Audited   string // fingerprint whose labels were audited; "" = none
	// Progress is called with how much of a pass over the data is done; it may be nil.
	Progress func(what string, blocks, of int)
	// Total is called with how many samples come, before the first, if that is known; it may be nil.
	Total func(samples int64)
}

// Samples yields the usable samples of the splits in the order of the data. Positions without a legal move are left
// out: no network sees them. If there are none the sequence is one [ErrNoSamples]. A line that holds what
// cannot be ends it with [dataset.ErrDamaged].
//
// A sample is unseen if no sample of the train split of TrainedOn has its position, by its 64-bit key (no counters).
// Finding out takes a pass over the data and one over TrainedOn beforehand, and memory for the keys of the evaluated
// samples only.
func (d *Data) Samples(ctx context.Context, o EvalOptions) iter.Seq2[evaluate.Sample, error] {
	return func(yield func(evaluate.Sample, error) bool) {
		for s, err := range Paired(ctx, []*Data{d}, o) {
			if err != nil {
				yield(evaluate.Sample{}, err)
				return
			}
			if !yield(s[0], nil) {
				return
			}
		}
	}
}

func (d *Data) noSamples(splits []dataset.Split) error {
	var dirs []string
	for _, s := range d.Sets {
		dirs = append(dirs, s.Dir)
	}
	return fmt.Errorf("the split %v (%s) of %q has %w", splits, d.Sets[0].Manifest.Splits, dirs, ErrNoSamples)
}

// choose picks the samples of the limit, by place, and returns the positions of those that are evaluated, none of them
// marked as seen.
func (p paired) choose(ctx context.Context, want splitSet, o EvalOptions, done func(int, int)) ([]pick,
	map[uint64]bool, error) {
	const most = 1 << 24 // picks are 56 bytes
	if o.Limit > most {
		return nil, nil, fmt.Errorf("cannot choose more than %[2]d samples: %[1]d", o.Limit, most)
	}
	chosen, positions, count := picks{limit: int(o.Limit)}, map[uint64]bool{}, int64(0)
	for read, err := range scan(ctx, p, want, done, func(_ *Data, set, block int, v *visit) (pick, bool, error) {
		return pick{v.hash(), set, block, v.at(), v.position()}, true, nil
	}) {
		if err != nil {
			return nil, nil, err
		}
		for _, s := range read[0] {
			if count++; o.Limit == 0 {
				positions[s.what.key] = false
			} else {
				chosen.add(s.what)
			}
		}
	}
	if count == 0 {
		return nil, nil, p[0].noSamples(o.Splits)
	}
	list := chosen.lowest(chosen.len())
	for _, p := range list {
		positions[p.key] = false
	}
	if o.Limit > 0 {
		count = int64(len(list))
	}
	if o.Total != nil {
		o.Total(count)
	}
	return list, positions, nil
}

// evalSample encodes a sample. Of scores the policy target is the moves with a score above 0, each by its share of
// their sum. A target that is not legal is an error: the dataset is damaged.
func (d *Data) evalSample(v *visit) (evaluate.Sample, error) {
	l := &d.layout
	legal := slices.Clone(v.view.Legal())
	s := evaluate.Sample{Source: v.line.Source.String(), Legal: legal, Packed: make([]uint64, l.Words),
		Floats: slices.Clone(v.target.Floats), Moves: playedIn(v.line, v.view.Sample)}
	d.encoder.Pack(s.Packed, &v.view)
	if l.Moves == encode.NoMoves {
		return s, nil
	}
	s.Codes = make([]int32, len(legal)*l.Codes)
	for i, m := range legal {
		d.encoder.EncodeMove(s.Codes[i*l.Codes:][:l.Codes], &v.view, m)
	}
	for _, m := range v.target.Moves {
		i := slices.Index(legal, m.Move)
		if i < 0 {
			return s, fmt.Errorf("%w: the policy target %s is not legal in %q", dataset.ErrDamaged, m.Move,
				v.view.Position().FEN())
		}
		if m.Weight > 0 {
			s.Policy = append(s.Policy, evaluate.Target{Move: i, Weight: m.Weight})
		}
	}
	return s, nil
}

// playedIn is how many moves the target of a sample was counted from.
func playedIn(l *dataset.Line, sample int) int64 {
	if l.Source != dataset.SourceAggregate || sample >= len(l.Policies) {
		return 1
	}
	sum := 0.0
	for _, m := range l.Policies[sample] {
		sum += float64(m.Weight)
	}
	return int64(min(sum, math.MaxInt32))
}
