package samples

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"sync"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/humanize"
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

// Filter chooses samples. The zero value chooses all.
type Filter struct {
	From, To int64           // only those numbered from From to before To; a To of 0 is the end
	Source   *dataset.Source // only those of this source; nil means any
	Split    *dataset.Split  // only those in this split; nil means any
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

	mu    sync.Mutex
	kept  int // block that [Dataset.Sample] read last; -1: none
	lines []dataset.Line
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
	d := &Dataset{dataset: opened, kept: -1}
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
	other := &Dataset{dataset: d.dataset, prints: d.prints, blocks: d.blocks, samples: d.samples, kept: -1}
	return other, other.show(o)
}

// Close closes the dataset's files.
func (d *Dataset) Close() error { return d.dataset.Close() }

// Manifest is the dataset's, and not to be changed.
func (d *Dataset) Manifest() *dataset.Manifest { return d.dataset.Manifest }

// Samples is how many there are.
func (d *Dataset) Samples() int64 { return d.samples }

// Sample returns a sample by its number, counted from 0 over the dataset in order. It reads one block at most, and
// none for a sample of the block that was read last. Errors: [ErrNoSample], or a block or line that is damaged
// ([dataset.ErrDamaged]).
func (d *Dataset) Sample(number int64) (*Sample, error) {
	if number < 0 || number >= d.samples {
		return nil, fmt.Errorf("sample %d of %q: %w: the dataset has %s, numbered from 0", number, d.dataset.Dir,
			ErrNoSample, humanize.Count(d.samples, "sample"))
	}
	i := d.find(number)
	lines, err := d.read(i)
	if err != nil {
		return nil, err
	}
	v, s := viewer{Dataset: d}, (*Sample)(nil)
	for s, err = range v.block(i, lines, Filter{From: number, To: number + 1}) { // it is one
	}
	return s, err
}

// find returns the block of a sample.
func (d *Dataset) find(sample int64) int {
	return sort.Search(len(d.blocks), func(i int) bool { return d.blocks[i].sample > sample }) - 1
}

// read returns the lines of a block, which stay as they are.
func (d *Dataset) read(i int) (lines []dataset.Line, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kept != i {
		d.kept, d.lines = -1, nil
		if d.lines, err = d.dataset.Shards[d.blocks[i].Shard].ReadBlock(d.blocks[i].Block, nil); err != nil {
			return nil, err
		}
		d.kept = i
	}
	return d.lines, nil
}

// All returns the samples that a filter chooses, in order. It begins at the block of the first one, and of blocks
// without a line of the source it reads no more than the moves. An error ends the sequence: those of [Dataset.Sample],
// or the context's.
func (d *Dataset) All(ctx context.Context, f Filter) iter.Seq2[*Sample, error] {
	return func(yield func(*Sample, error) bool) {
		v := viewer{Dataset: d}
		if f.To == 0 || f.To > d.samples {
			f.To = d.samples
		}
		f.From = max(f.From, 0)
		var lines []dataset.Line
		for i := max(d.find(f.From), 0); i < len(d.blocks) && d.blocks[i].sample < f.To; i++ {
			if err := ctx.Err(); err != nil {
				yield(nil, fmt.Errorf("reading %q: %w", d.dataset.Dir, err))
				return
			}
			r, n := d.dataset.Shards[d.blocks[i].Shard], d.blocks[i].Block
			var err error
			if f.Source != nil {
				if lines, err = r.ReadMoves(n, lines[:0]); err == nil &&
					!slices.ContainsFunc(lines, func(l dataset.Line) bool { return l.Source == *f.Source }) {
					continue
				}
			}
			if err == nil {
				lines, err = r.ReadBlock(n, lines[:0])
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for s, err := range v.block(i, lines, f) {
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

// viewer goes through lines. It belongs to one goroutine.
type viewer struct {
	*Dataset
	walker dataset.Walker
	view   encode.View
}

// block returns those samples of a block that a filter chooses.
func (v *viewer) block(i int, lines []dataset.Line, f Filter) iter.Seq2[*Sample, error] {
	return func(yield func(*Sample, error) bool) {
		next := v.blocks[i].sample
		for k := range lines {
			l, first := &lines[k], next
			next += int64(l.SampleCount())
			if next <= f.From || first == next || f.Source != nil && *f.Source != l.Source {
				continue
			}
			if first >= f.To {
				return
			}
			split := v.Manifest().Splits.Of(dataset.SplitKey(l))
			if f.Split != nil && *f.Split != split {
				continue
			}
			line := v.blocks[i].line + int64(k)
			if err := l.Check(); err != nil {
				yield(nil, fmt.Errorf("%q: line %d: %w: %w", v.dataset.Dir, line, dataset.ErrDamaged, err))
				return
			}
			v.walker.Reset(l)
			for v.walker.Next() {
				number := first + int64(v.walker.Sample())
				if number < f.From || number >= f.To {
					continue
				}
				s := v.describe(l)
				s.Sample, s.Line, s.Split = number, line, split.String()
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}
