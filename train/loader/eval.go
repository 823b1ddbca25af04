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
// A sample is unseen if no sample of the train split of TrainedOn has its position, by its 64-bit key (no counters),
// and its line is no cut copy ([dataset.CutSet]) of a line of that split; that training leaves such lines out does not
// count. Finding out takes a pass over the data and one over TrainedOn beforehand, and memory for the keys of the
// evaluated samples and lines only.
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

// choose picks the samples of the limit and returns the positions and lines of those that are evaluated, none of them
// seen yet. Without [EvalOptions.TrainedOn] there are no lines.
func (p paired) choose(ctx context.Context, want splitSet, o EvalOptions, done func(int, int)) ([]pick, *occurrences,
	error) {
	const most = 1 << 24 // picks are 48 bytes
	if o.Limit > most {
		return nil, nil, fmt.Errorf("cannot choose more than %[2]d samples: %[1]d", o.Limit, most)
	}
	chosen, all, count := newPicks(int(o.Limit)), &occurrences{positions: map[uint64]bool{}}, int64(0)
	trained, err := splitsOf(o.TrainedOn)
	if err != nil {
		return nil, nil, err
	}
	for read, err := range p.scan(ctx, want, done) {
		if err != nil {
			return nil, nil, err
		}
		r := read[0]
		for i := range r.samples {
			s := &r.samples[i]
			if count++; o.Limit == 0 {
				all.positions[s.key] = false
			} else {
				chosen.add(pick{hash: r.hash(s), set: r.set, block: r.block, sample: i, key: s.key})
			}
		}
		for i := range r.lines {
			if o.TrainedOn != nil && !trainedBy(trained, r.keys[i]) {
				all.lines.Add(&r.lines[i])
			}
		}
	}
	if count == 0 {
		return nil, nil, p[0].noSamples(o.Splits)
	}
	list := chosen.sorted()
	for _, p := range list {
		all.positions[p.key] = false
	}
	if o.Limit > 0 {
		count = int64(len(list))
	}
	if o.Total != nil {
		o.Total(count)
	}
	all.lines.Sort()
	return list, all, nil
}

// splitsOf are the different ways that datasets are split.
func splitsOf(specs []Spec) (list []dataset.Splits, err error) {
	for _, s := range specs {
		m, err := dataset.ReadManifest(s.Dir)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, m.Splits) {
			list = append(list, m.Splits)
		}
	}
	return list, nil
}

// trainedBy reports whether a line of that key is a train line by all of the splits.
func trainedBy(splits []dataset.Splits, key uint64) bool {
	return !slices.ContainsFunc(splits, func(s dataset.Splits) bool { return s.Of(key) != dataset.Train })
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

func (d *Data) evalChunk(r blockRecords, list []int, seen *occurrences, print string) ([]evaluate.Sample, error) {
	out := make([]evaluate.Sample, 0, len(list))
	audited := slices.IndexFunc(d.Sets[r.set].Manifest.Fingerprints,
		func(f dataset.Fingerprint) bool { return print != "" && f.ID() == print })
	p, cuts := new(replay), cutCopies{}
	if seen != nil {
		cuts.held = &seen.lines
	}
	for _, i := range list {
		s := &r.samples[i]
		line := &r.lines[s.line]
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
			e.Unseen = !seen.positions[s.key] && !cuts.has(line)
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
		d.encoder.Code(s.Codes[i*l.Codes:][:l.Codes], &p.view, m)
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
