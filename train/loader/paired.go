package loader

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"talbot/evaluate"
	"talbot/internal/ordered"
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
	var chosen []pick // by place; nil = all
	var seen map[uint64]bool
	if o.Limit > 0 || o.TrainedOn != nil {
		var err error
		if chosen, seen, err = p.choose(ctx, want, o, report("choosing samples")); err != nil {
			return err
		}
	}
	if o.TrainedOn == nil {
		seen = nil
	} else if err := p[0].markTrained(ctx, seen, o.TrainedOn, report("reading train data")); err != nil {
		return err
	}
	checking := make(paired, len(p))
	for i, d := range p {
		checking[i] = d.checking()
	}
	count := 0
	for r, err := range checking.scan(ctx, want, nil) {
		if err != nil {
			return err
		}
		list := pickedIn(r[0], &chosen, o.Limit > 0)
		for s, err := range p.encode(r, list, seen, o.Audited) {
			if err != nil {
				return err
			}
			count++
			if !yield(s, nil) {
				return nil
			}
		}
	}
	if count == 0 {
		return p[0].noSamples(o.Splits)
	}
	return nil
}

// scan extracts all blocks of all datasets in order, for each reader, with only the samples that all readers can use:
// a sample has the same number for all. It ends with ctx's error.
func (p paired) scan(ctx context.Context, want splitSet, done func(blocks, of int)) iter.Seq2[[]blockRecords, error] {
	return overBlocks(ctx, p[0], done, func(set, block int) ([]blockRecords, error) {
		read := make([]blockRecords, len(p))
		for i, d := range p {
			r, err := d.extract(d.Sets[set], block, want)
			if err != nil {
				return nil, err
			}
			read[i] = blockRecords{r, set, block}
		}
		keepCommon(read)
		return read, nil
	})
}

// keepCommon takes away the samples that some reader of a block cannot use.
func keepCommon(read []blockRecords) {
	if len(read) == 1 {
		return
	}
	next := make([]int, len(read)) // sample of each reader
	kept := make([][]record, len(read))
	for {
		last := sampleAt{-1, -1} // the one furthest behind in the block, which no reader has an earlier one beside
		for i, r := range read {
			if next[i] == len(r.samples) {
				for i := range read {
					read[i].samples = kept[i]
				}
				return
			}
			if at := r.at(next[i]); at.compare(last) > 0 {
				last = at
			}
		}
		common := true
		for i, r := range read {
			for next[i] < len(r.samples) && r.at(next[i]).compare(last) < 0 {
				next[i]++
			}
			common = common && next[i] < len(r.samples) && r.at(next[i]) == last
		}
		if common {
			for i, r := range read {
				kept[i] = append(kept[i], r.samples[next[i]])
				next[i]++
			}
		}
	}
}

// sampleAt is the place of a sample in its block, for every reader.
type sampleAt struct{ line, ply int32 }

func (a sampleAt) compare(b sampleAt) int {
	return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.ply, b.ply))
}

func (r blockRecords) at(i int) sampleAt {
	return sampleAt{r.places[r.samples[i].line], r.samples[i].ply}
}

// encode encodes samples of a block for each reader.
func (p paired) encode(read []blockRecords, list []int, seen map[uint64]bool,
	audited string) iter.Seq2[[]evaluate.Sample, error] {
	chunks := slices.Collect(slices.Chunk(list, evalChunk))
	return func(yield func([]evaluate.Sample, error) bool) {
		for samples, err := range ordered.N(context.Background(), len(chunks), p[0].Options.Workers,
			func(_, i int) ([][]evaluate.Sample, error) {
				return p.encodeChunk(read, chunks[i], seen, audited)
			}) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, s := range samples {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

func (p paired) encodeChunk(read []blockRecords, list []int, seen map[uint64]bool, audited string) ([][]evaluate.Sample,
	error) {
	var out [][]evaluate.Sample
	for k, d := range p {
		samples, err := d.evalChunk(read[k], list, seen, audited)
		if err != nil {
			return nil, err
		}
		for i, s := range samples {
			if k == 0 {
				out = append(out, make([]evaluate.Sample, len(p)))
			} else {
				s.Origin.Line = out[i][0].Origin.Line
			}
			out[i][k] = s
		}
	}
	return out, nil
}
