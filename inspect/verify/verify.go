// Package verify checks whole datasets: every byte, every move, and whether splits leak.
//
// [Request] reads folders and returns a [Report]. The workers end before Run returns.
package verify

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/inspect/stats"
	"talbot/internal/fault"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/internal/progress"
	"talbot/shards"
)

// Errors on which callers branch.
var (
	// ErrSplits: the same game would be in different splits of two datasets.
	ErrSplits = fault.New(fault.ExitFailed, "datasets are split differently, so that a game may be in two splits",
		"make all datasets with the same --split")
	// ErrOverlap: more of the val or test samples occur in train than was allowed.
	ErrOverlap = fault.New(fault.ExitFailed, "too many val or test positions occur in train",
		"use a higher --max-overlap; openings recur, and `talbot eval` reports unseen positions separately")
)

// Request asks to read datasets whole and to compare their splits.
type Request struct {
	Dirs    []string
	Workers int    // 0 = all cores
	Temp    string // folder of what does not fit in memory; "" means that of the system
	// MaxOverlap is the highest share, in percent, of the val samples and of the test samples whose position, or its
	// mirror image, is also a train sample. Nil allows any.
	MaxOverlap *float64
	Progress   func(progress.Progress) // may be nil; called from one goroutine at a time
}

// Report is what a verification found in all datasets.
type Report struct {
	DatasetReport                 // totals of all; the folder's name if there is one
	Datasets      []DatasetReport `json:"datasets"`
	// Overlap is over the samples of all datasets.
	Overlap    stats.Overlap `json:"overlap"`
	MaxOverlap *float64      `json:"max_overlap"` // percent
	Seconds    float64       `json:"seconds"`
}

// DatasetReport is what a verification read of one dataset.
type DatasetReport struct {
	Dataset string `json:"dataset"`
	Whole   bool   `json:"whole"`
	shards.Report
	Damage []string `json:"damage"` // at most 100 of a dataset
}

// verification is a verification under way.
type verification struct {
	Request
	positions *dataset.Keys
	workers   []verifyWorker
	result    *Report
	splits    error // of the datasets differ
}

// verifyWorker is what one goroutine keeps.
type verifyWorker struct {
	positions *dataset.KeyBuffer
	position  dataset.PositionKeys
	samples   []uint64 // keys of the samples of the present line, without its split
}

// Run verifies. What it found comes with the error, which is that of the first dataset at fault ([shards.Verify]), else
// [ErrSplits] or [ErrOverlap]. If one of the folders holds no dataset, nothing is verified ([dataset.ErrNoDataset]).
// Memory does not grow with the datasets (see [dataset.Keys]).
func (o Request) Run(ctx context.Context) (*Report, error) {
	start := time.Now()
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	v := &verification{Request: o, result: &Report{MaxOverlap: o.MaxOverlap}}
	var splits dataset.Splits // of the first
	for i, dir := range o.Dirs {
		m, err := dataset.ReadManifest(dir)
		switch {
		case errors.Is(err, dataset.ErrNoDataset):
			return nil, err // what was verified without it would look like all that was asked for
		case err != nil: // reported below
		case i == 0:
			splits = m.Splits
		case m.Splits != splits && v.splits == nil:
			v.splits = fmt.Errorf("%w: %q has %s, %q has %s", ErrSplits, o.Dirs[0], splits, dir, m.Splits)
		}
	}
	v.positions = dataset.NewKeys(0, o.Temp)
	defer v.positions.Close()
	for range o.Workers {
		v.workers = append(v.workers, verifyWorker{positions: v.positions.Buffer()})
	}
	var first error
	for _, dir := range o.Dirs {
		if err := v.dataset(ctx, dir); err != nil {
			if ctx.Err() != nil {
				return v.result, err
			}
			if first == nil {
				first = err
			}
		}
	}
	v.sum()
	err := v.compare(ctx)
	v.result.Seconds = time.Since(start).Seconds()
	if first != nil && ctx.Err() == nil {
		return v.result, first
	}
	return v.result, err
}

// dataset verifies one dataset and collects what is compared.
func (v *verification) dataset(ctx context.Context, dir string) error {
	m, err := dataset.ReadManifest(dir)
	o := shards.VerifyOptions{Workers: v.Workers,
		Sample: func(worker int, p *board.Position, sample int) { v.workers[worker].sample(p, sample) }}
	if err == nil {
		o.Line = func(worker int, l *dataset.Line) { v.workers[worker].line(l, m.Splits) }
	}
	o.Progress = func(lines int64) {
		progress.Report(v.Progress, "verify "+dir, "lines", lines, m.Counts.GamesKept)
	}
	report, err := shards.Verify(ctx, dir, o)
	d := DatasetReport{Dataset: dir, Whole: err == nil, Report: report, Damage: []string{}}
	d.Extra = append([]string{}, d.Extra...) // not null
	for _, damage := range report.Damage {
		d.Damage = append(d.Damage, damage.Error())
	}
	v.result.Datasets = append(v.result.Datasets, d)
	return err
}

// sample keeps the key of a sample.
func (w *verifyWorker) sample(p *board.Position, sample int) {
	w.samples = append(w.samples[:sample], uint64(w.position.Key(p, 0)))
}

// line collects the positions of a line's samples.
func (w *verifyWorker) line(l *dataset.Line, splits dataset.Splits) {
	split := splits.Of(dataset.SplitKey(l))
	for _, key := range w.samples[:l.SampleCount()] {
		w.positions.Add(key | uint64(split))
	}
}

func (v *verification) sum() {
	r := v.result
	r.Whole, r.Extra, r.Damage = true, []string{}, []string{}
	for i := range r.Datasets {
		d := &r.Datasets[i]
		r.Whole = r.Whole && d.Whole
		r.Shards += d.Shards
		r.Bytes += d.Bytes
		r.Lines += d.Lines
		r.Positions += d.Positions
		r.Samples += d.Samples
		r.Labelled += d.Labelled
		r.Terminal += d.Terminal
		r.Failed += d.Failed
		r.Extra = append(r.Extra, d.Extra...)
		r.Damage = append(r.Damage, d.Damage...)
	}
	if len(r.Datasets) == 1 {
		r.Dataset = r.Datasets[0].Dataset
	}
}

// compare compares the splits of all datasets.
func (v *verification) compare(ctx context.Context) error {
	for i := range v.workers {
		if err := v.workers[i].positions.Flush(); err != nil {
			return err
		}
	}
	v.workers = nil // their buffers are empty
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c, err := stats.CountCopies(v.positions, v.Workers)
	if err != nil {
		return err
	}
	v.result.Overlap = c.Overlap
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if v.splits != nil || v.MaxOverlap == nil {
		return v.splits
	}
	for _, s := range []struct {
		name string
		stats.SplitOverlap
	}{{"val", c.Overlap.Val}, {"test", c.Overlap.Test}} {
		if percent := 100 * s.ShareMirrored; percent > *v.MaxOverlap {
			return fmt.Errorf("%w: %.2f %% of %d %s samples (limit %g %%)", ErrOverlap, percent, s.Samples, s.name,
				*v.MaxOverlap)
		}
	}
	return nil
}

// Text returns what was found: of each dataset, and of positions that splits share.
func (v *Report) Text() string {
	var b strings.Builder
	say := func(format string, values ...any) { plain.Fprintf(&b, format, values...) }
	for _, d := range v.Datasets {
		if d.Whole {
			say("%s: intact: %s, %s, %s, %s, %s\n", d.Dataset, humanize.Count(int64(d.Shards), "shard"),
				humanize.Count(d.Lines, "line"), humanize.Count(d.Positions, "position"),
				humanize.Count(d.Samples, "sample"), humanize.Count(d.Labelled, "label"))
		}
		for _, name := range d.Extra {
			say("%s: %s is not in the manifest and is ignored\n", d.Dataset, name)
		}
		for _, damage := range d.Damage {
			say("%s: damaged: %s\n", d.Dataset, damage)
		}
	}
	for _, s := range []struct {
		name string
		stats.SplitOverlap
	}{{"val", v.Overlap.Val}, {"test", v.Overlap.Test}} {
		if s.Samples > 0 {
			say("%s: %s, %s (%.2f %%) have a position that occurs in train, %s (%.2f %%) with colours swapped\n",
				s.name, humanize.Count(s.Samples, "sample"), humanize.Thousands(s.Seen), 100*s.Share,
				humanize.Thousands(s.SeenMirrored), 100*s.ShareMirrored)
		}
	}
	return b.String()
}
