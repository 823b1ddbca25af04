// Package samples shows samples of a dataset as training sees them.
//
// [Open] gives a [Dataset], which finds samples by their number or by a [Query] and describes each as a [Sample]. It
// starts no goroutines.
package samples

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sort"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/humanize"
	"talbot/internal/ordered"
	"talbot/shards"
)

// ErrNoSample: the dataset has no sample of that number. The caller asks for another one.
var ErrNoSample = errors.New("no such sample")

// Options say how samples are shown.
type Options struct {
	Label   string // ID of the fingerprint whose labels are shown; empty: those that count in training
	Encoder encode.Encoder
	Targets encode.Targets
	Encoded bool // show [Encoded] too
}

// Dataset is a dataset open for looking at its samples. It is safe for concurrent use.
type Dataset struct {
	options  Options
	dataset  *shards.Dataset
	counting dataset.Counting
	prints   []string // IDs of the fingerprints
	layout   encode.Layout
	blocks   []block
	samples  int64
}

// block is one of the dataset, and what is before it.
type block struct {
	shards.BlockRef
	sample, line int64
}

// Open opens a dataset. The label of a sample is the one that counts in training too (see [dataset.Counting]). Errors:
// [dataset.ErrNoLabels], and those of [shards.OpenDataset]. The caller closes what it opens.
func Open(dir string, o Options) (*Dataset, error) {
	opened, err := shards.OpenDataset(dir)
	if err != nil {
		return nil, err
	}
	d := &Dataset{dataset: opened}
	if err := d.show(o); err != nil {
		opened.Close()
		return nil, err
	}
	for _, f := range d.Manifest().Fingerprints {
		d.prints = append(d.prints, f.ID())
	}
	line := int64(0)
	for _, ref := range opened.Blocks() {
		d.blocks = append(d.blocks, block{ref, d.samples, line})
		holds := opened.Shards[ref.Shard].Block(ref.Block)
		d.samples, line = d.samples+int64(holds.Samples), line+int64(holds.Lines)
	}
	return d, nil
}

// show sets how samples are shown.
func (d *Dataset) show(o Options) (err error) {
	d.options, d.layout = o, o.Encoder.Layout()
	d.counting, err = dataset.NewCounting(d.Manifest().Fingerprints, o.Label)
	if n := d.layout.Candidates; err == nil && n > 0 {
		d.counting, err = d.counting.WithCandidates(d.Manifest(), n)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", d.dataset.Dir, err)
	}
	return nil
}

// With returns the dataset with other options. Its files are the same: it is closed with the dataset, and not by
// itself. Errors: those of [Open] that options have.
func (d *Dataset) With(o Options) (*Dataset, error) {
	other := &Dataset{dataset: d.dataset, prints: d.prints, blocks: d.blocks, samples: d.samples}
	return other, other.show(o)
}

// Close closes the dataset's files.
func (d *Dataset) Close() error { return d.dataset.Close() }

// Manifest is the dataset's, and not to be changed.
func (d *Dataset) Manifest() *dataset.Manifest { return d.dataset.Manifest }

// Samples is how many there are.
func (d *Dataset) Samples() int64 { return d.samples }

// located is a line of a block, with its place in the dataset.
type located struct {
	*dataset.Line
	number      int64 // of the line
	first, next int64 // numbers of its first sample and of the first one after it
}

// in gives the lines of a block that have samples.
func (b *block) in(lines []dataset.Line) iter.Seq[located] {
	return func(yield func(located) bool) {
		next := b.sample
		for k := range lines {
			first := next
			next += int64(lines[k].SampleCount())
			if first < next && !yield(located{&lines[k], b.line + int64(k), first, next}) {
				return
			}
		}
	}
}

// check returns an error where a line is not what can be shown.
func (d *Dataset) check(l located) error {
	if err := l.Check(); err != nil {
		return fmt.Errorf("%q: line %d: %w: %w", d.dataset.Dir, l.number, dataset.ErrDamaged, err)
	}
	return nil
}

// Sample returns a sample by its number, counted from 0 over the dataset in order. Errors: [ErrNoSample], or a block or
// line that is damaged ([dataset.ErrDamaged]).
func (d *Dataset) Sample(number int64) (*Sample, error) {
	list, err := d.some(context.Background(), []int64{number}, 1, shards.AllColumns)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Some returns samples by their ascending numbers. Each block is read once, as many at the same time as there are
// workers, and variations of the labels are left out. Errors are those of [Dataset.Sample], or the context's.
func (d *Dataset) Some(ctx context.Context, numbers []int64, workers int) ([]*Sample, error) {
	return d.some(ctx, numbers, workers, shards.AllColumns&^shards.Variations)
}

func (d *Dataset) some(ctx context.Context, numbers []int64, workers int, columns shards.Columns) ([]*Sample, error) {
	type part struct{ block, from, to int } // of the numbers
	var parts []part
	for i, number := range numbers {
		if number < 0 || number >= d.samples || i > 0 && number <= numbers[i-1] {
			return nil, fmt.Errorf("sample %d of %q: %w: the dataset has %s, numbered from 0", number, d.dataset.Dir,
				ErrNoSample, humanize.Count(d.samples, "sample"))
		}
		b := sort.Search(len(d.blocks), func(i int) bool { return d.blocks[i].sample > number }) - 1
		if n := len(parts); n > 0 && parts[n-1].block == b {
			parts[n-1].to = i + 1
			continue
		}
		parts = append(parts, part{b, i, i + 1})
	}
	list := make([]*Sample, len(numbers))
	return list, ordered.All(ctx, len(parts), max(1, min(workers, len(parts))), func(_, i int) error {
		p := parts[i]
		b := &d.blocks[p.block]
		lines, err := d.dataset.Shards[b.Shard].With(columns).ReadBlock(b.Block, nil)
		if err != nil {
			return err
		}
		v := viewer{Dataset: d}
		for l := range b.in(lines) {
			for ; p.from < p.to && numbers[p.from] < l.next; p.from++ {
				if err := d.check(l); err != nil {
					return err
				}
				plies := l.Samples.Plies(nil, len(l.Moves))
				if err := v.walker.At(l.Line, plies[numbers[p.from]-l.first]); err != nil {
					return err
				}
				list[p.from] = v.describe(l)
			}
		}
		return nil
	})
}

// All returns the samples that a query chooses, in order. An error ends the sequence: those of [Dataset.Sample], or the
// context's.
func (d *Dataset) All(ctx context.Context, q Query) iter.Seq2[*Sample, error] {
	return func(yield func(*Sample, error) bool) {
		v := viewer{Dataset: d}
		var lines []dataset.Line
		for i := range d.blocks {
			b, err := &d.blocks[i], ctx.Err()
			if err != nil {
				err = fmt.Errorf("reading %q: %w", d.dataset.Dir, err)
			} else {
				lines, err = d.dataset.Shards[b.Shard].ReadBlock(b.Block, lines[:0])
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for l := range b.in(lines) {
				if !q.line(l.Line, &d.Manifest().Splits) {
					continue
				}
				if err := d.check(l); err != nil {
					yield(nil, err)
					return
				}
				w := &v.walker
				for w.Reset(l.Line); w.Next(); {
					if q.sample(l.Line, w.Sample(), w.Ply(), w.Position(), &d.counting) && !yield(v.describe(l), nil) {
						return
					}
				}
			}
		}
	}
}

// viewer describes samples. It belongs to one goroutine.
type viewer struct {
	*Dataset
	walker dataset.Walker
	view   encode.View
}
