package loader

import (
	"context"
	"iter"
	"slices"

	"talbot/dataset"
	"talbot/evaluate"
)

// Paired yields, for each sample that all readers can use, what [Data.Samples] yields of it for each of them: they are
// the same datasets, opened in the same order with other encoders or targets. The line of a sample has the number that
// the first reader gives it. With one reader it is [Data.Samples].
func Paired(ctx context.Context, readers []*Data, o EvalOptions) iter.Seq2[[]evaluate.Sample, error] {
	return func(yield func([]evaluate.Sample, error) bool) {
		if err := paired(readers).samples(ctx, o, yield); err != nil {
			yield(nil, err)
		}
	}
}

// paired are readers of the same datasets.
type paired []*Data

// samples returns nil after yield has said to stop.
func (p paired) samples(ctx context.Context, o EvalOptions, yield func([]evaluate.Sample, error) bool) error {
	want := only(o.Splits...)
	report := func(what string) func(int, int) {
		return func(blocks, of int) {
			if o.Progress != nil {
				o.Progress(what, blocks, of)
			}
		}
	}
	var chosen []pick // by place
	var seen map[uint64]bool
	if o.Limit > 0 || o.TrainedOn != nil {
		var err error
		if chosen, seen, err = p.choose(ctx, want, o, report("choosing samples")); err != nil {
			return err
		}
	}
	if o.TrainedOn != nil {
		if err := p[0].markTrained(ctx, seen, o.TrainedOn, report("reading train data")); err != nil {
			return err
		}
	}
	checking := make(paired, len(p))
	for i, d := range p {
		checking[i] = d.checking()
	}
	audited := make([]int, len(p[0].Sets)) // fingerprints, −1 for none
	for i, s := range p[0].Sets {
		audited[i] = slices.IndexFunc(s.Manifest.Fingerprints,
			func(f dataset.Fingerprint) bool { return o.Audited != "" && f.ID() == o.Audited })
	}
	encode := func(d *Data, set, block int, v *visit) (s evaluate.Sample, use bool, err error) {
		if o.Limit > 0 {
			if _, use = slices.BinarySearchFunc(chosen, pick{set: set, block: block, at: v.at()}, pick.compare); !use {
				return s, false, nil
			}
		}
		if len(v.view.Legal()) == 0 {
			return s, false, nil
		}
		s, err = d.evalSample(v)
		s.Unseen = o.TrainedOn != nil && !seen[v.position()]
		s.Origin = d.Sets[set].origin(v)
		s.Origin.Line = int64(set)<<48 | int64(block)<<24 | int64(v.number)&0xffffff
		label := &v.view.Labels
		s.Origin.Audited = d.valued(&v.target) && label.Column >= 0 && label.ValueColumn == label.Column &&
			label.Column == audited[set]
		return s, true, err
	}
	count := 0
	for read, err := range scan(ctx, checking, want, nil, encode) {
		if err != nil {
			return err
		}
		for i, first := range read[0] {
			group := make([]evaluate.Sample, len(p))
			for k := range read {
				group[k] = read[k][i].what
				group[k].Origin.Line = first.what.Origin.Line
			}
			count++
			if !yield(group, nil) {
				return nil
			}
		}
	}
	if count == 0 {
		return p[0].noSamples(o.Splits)
	}
	return nil
}

// placed is something of a sample.
type placed[T any] struct {
	at   sampleAt
	what T
}

// scan yields for all blocks of all datasets, in order, what of makes of those samples that all readers can use: a list
// for each reader, all in the order of the block. What of does not use is left out. It ends with ctx's error.
func scan[T any](ctx context.Context, p paired, want splitSet, done func(blocks, of int),
	of func(d *Data, set, block int, v *visit) (what T, use bool, err error)) iter.Seq2[[][]placed[T], error] {
	return overBlocks(ctx, p[0], done, func(set, block int) ([][]placed[T], error) {
		lists := make([][]placed[T], len(p))
		for k, d := range p {
			if _, err := d.each(d.Sets[set], block, want, func(v *visit) error {
				what, use, err := of(d, set, block, v)
				if use {
					lists[k] = append(lists[k], placed[T]{v.at(), what})
				}
				return err
			}); err != nil {
				return nil, err
			}
		}
		keepCommon(lists)
		return lists, nil
	})
}

// keepCommon takes away what not all lists have.
func keepCommon[T any](lists [][]placed[T]) {
	if len(lists) == 1 {
		return
	}
	n := map[sampleAt]int{}
	for _, list := range lists {
		for _, x := range list {
			n[x.at]++
		}
	}
	for i := range lists {
		lists[i] = slices.DeleteFunc(lists[i], func(x placed[T]) bool { return n[x.at] < len(lists) })
	}
}
