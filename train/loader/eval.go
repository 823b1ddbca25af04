package loader

import (
	"context"
	"fmt"
	"iter"
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

// evalChunk is how many samples are encoded at a time by one worker.
const evalChunk = 512

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

// choose picks the samples of the limit and returns the positions of those that are evaluated, none of them marked as
// seen.
func (p paired) choose(ctx context.Context, want splitSet, o EvalOptions, done func(int, int)) ([]pick,
	map[uint64]bool, error) {
	const most = 1 << 24 // picks are 48 bytes
	if o.Limit > most {
		return nil, nil, fmt.Errorf("cannot choose more than %[2]d samples: %[1]d", o.Limit, most)
	}
	chosen, positions, count := picks{limit: int(o.Limit)}, map[uint64]bool{}, int64(0)
	for read, err := range p.scan(ctx, want, done) {
		if err != nil {
			return nil, nil, err
		}
		r := read[0]
		for i := range r.samples {
			s := &r.samples[i]
			if count++; o.Limit == 0 {
				positions[s.key] = false
			} else {
				chosen.add(pick{hash: r.hash(s), set: r.set, block: r.block, sample: i, key: s.key})
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

// pickedIn returns the indices of the samples of a block that are evaluated, and takes them off the list.
func pickedIn(r blockRecords, chosen *[]pick, limited bool) []int {
	var list []int
	if !limited {
		for i := range r.samples {
			list = append(list, i)
		}
		return list
	}
	for len(*chosen) > 0 && (*chosen)[0].set == r.set && (*chosen)[0].block == r.block {
		list = append(list, (*chosen)[0].sample)
		*chosen = (*chosen)[1:]
	}
	return list
}

func (d *Data) evalChunk(r blockRecords, list []int, seen map[uint64]bool, print string) ([]evaluate.Sample, error) {
	out := make([]evaluate.Sample, 0, len(list))
	audited := slices.IndexFunc(d.Sets[r.set].Manifest.Fingerprints,
		func(f dataset.Fingerprint) bool { return print != "" && f.ID() == print })
	p := new(replay)
	for _, i := range list {
		s := &r.samples[i]
		if err := p.at(r.records, s); err != nil {
			return nil, err
		}
		if len(p.view.Legal()) == 0 {
			continue
		}
		e, err := d.evalSample(p)
		if err != nil {
			return nil, err
		}
		if seen != nil {
			e.Unseen = !seen[s.key]
		}
		e.Moves = int64(s.played)
		e.Origin = r.origin(d.Sets[r.set], s, p.view.Position(), audited)
		out = append(out, e)
	}
	return out, nil
}

// evalSample encodes the replay's sample. Of scores the policy target is the moves with a score above 0, each by its
// share of their sum. A target that is not legal is an error: the dataset is damaged.
func (d *Data) evalSample(p *replay) (evaluate.Sample, error) {
	l := &d.layout
	legal := slices.Clone(p.view.Legal())
	s := evaluate.Sample{Source: p.view.Line.Source.String(), Legal: legal, Packed: make([]uint64, l.Words),
		Floats: slices.Clone(p.target.Floats)}
	d.encoder.Pack(s.Packed, &p.view)
	if l.Moves == encode.NoMoves {
		return s, nil
	}
	s.Codes = make([]int32, len(legal)*l.Codes)
	for i, m := range legal {
		d.encoder.EncodeMove(s.Codes[i*l.Codes:][:l.Codes], &p.view, m)
	}
	for _, m := range p.target.Moves {
		i := slices.Index(legal, m.Move)
		if i < 0 {
			return s, fmt.Errorf("%w: the policy target %s is not legal in %q", dataset.ErrDamaged, m.Move,
				p.view.Position().FEN())
		}
		if m.Weight > 0 {
			s.Policy = append(s.Policy, evaluate.Target{Move: i, Weight: m.Weight})
		}
	}
	return s, nil
}
