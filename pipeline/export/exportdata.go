// Package export writes the samples of a dataset into one file of another program's format.
//
// [Request] reads a dataset and returns a [Summary]. What a format cannot hold is known before it begins ([Format]) and
// counted while it writes; nothing is made up in its place. The goroutines that read end before Run returns.
package export

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/durable"
	"talbot/internal/humanize"
	"talbot/internal/ordered"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/shards"
)

// ErrNothing: no sample was chosen that the format can hold. Nothing is written.
var ErrNothing = errors.New("no samples to export")

// Request asks for the samples of a dataset as one file.
type Request struct {
	Dir    string // of the dataset
	Out    output.File
	Format *Format
	// Splits and Sources choose samples; empty: all.
	Splits  []dataset.Split
	Sources []dataset.Source
	Label   string // ID of the fingerprint of the labels; empty: those that count in training
	Workers int    // blocks read at a time; 0 = all cores

	Encoder encode.Encoder // of formats that are Encoded
	Targets encode.Targets // of those too

	Progress func(progress.Progress) // may be nil
}

// Summary is what was written. Everything but Lines counts samples.
type Summary struct {
	Out     string                   `json:"out"`
	Format  string                   `json:"format"`
	Samples int64                    `json:"samples"`  // written
	Lines   int64                    `json:"lines"`    // that they are of
	Chosen  int64                    `json:"chosen"`   // Samples and the sum of LeftOut
	LeftOut map[dataset.Reason]int64 `json:"left_out"` // because they do not have what the format needs, by the first
	Lost    map[dataset.Reason]int64 `json:"lost"`     // written without what the format cannot hold
	Bytes   int64                    `json:"bytes"`
	Seconds float64                  `json:"seconds"`
}

// exporter is an export under way.
type exporter struct {
	Request
	set      *shards.Dataset
	counting dataset.Counting
	out      writer
	sum      Summary
	walker   dataset.Walker
}

// Run writes the file, whole or not at all. Samples come in the order of the dataset, whatever the number of workers.
// The errors are [dataset.ErrNoLabels], [ErrNothing], those of [shards.OpenDataset] and of writing, or the context's.
func (r Request) Run(ctx context.Context) (sum Summary, err error) {
	start := time.Now()
	if r.Workers <= 0 {
		r.Workers = runtime.GOMAXPROCS(0)
	}
	set, err := shards.OpenDataset(r.Dir)
	if err != nil {
		return Summary{}, err
	}
	defer set.Close()
	e := &exporter{Request: r, set: set, sum: Summary{Out: r.Out.Path, Format: r.Format.Name,
		LeftOut: map[dataset.Reason]int64{}, Lost: map[dataset.Reason]int64{}}}
	if e.counting, err = dataset.NewCounting(set.Manifest.Fingerprints, r.Label); err != nil {
		return Summary{}, fmt.Errorf("%q: %w", r.Dir, err)
	}
	if r.Format.Encoded {
		if n := r.Encoder.Layout().Candidates; n > 0 {
			if e.counting, err = e.counting.WithCandidates(set.Manifest, n); err != nil {
				return Summary{}, fmt.Errorf("%q: %w", r.Dir, err)
			}
		}
	}
	if err := r.Out.Make(func(out *durable.AtomicFile) error { return e.write(ctx, out) }); err != nil {
		return Summary{}, err
	}
	e.sum.Seconds = time.Since(start).Seconds()
	return e.sum, nil
}

// write writes the content of the file.
func (e *exporter) write(ctx context.Context, out *durable.AtomicFile) (err error) {
	if e.out, err = e.Format.begin(out, &e.Request); err == nil {
		err = e.lines(ctx)
	}
	if err == nil {
		err = e.out.end()
	}
	if err != nil {
		return fmt.Errorf("exporting %q: %w", e.Dir, err)
	}
	if e.sum.Samples == 0 {
		return fmt.Errorf("%q: %w: %s chosen, left out: %s", e.Dir, ErrNothing,
			humanize.Count(e.sum.Chosen, "sample"), humanize.Reasons(e.sum.LeftOut))
	}
	e.sum.Bytes = out.Size()
	return nil
}

// lines writes all lines that are chosen. Blocks are read ahead on the workers and written here.
func (e *exporter) lines(ctx context.Context) error {
	blocks := e.set.Blocks()
	seen := int64(0)
	for lines, err := range ordered.N(ctx, len(blocks), e.Workers, func(_, i int) ([]dataset.Line, error) {
		return e.set.Shards[blocks[i].Shard].ReadBlock(blocks[i].Block, nil)
	}) {
		if err != nil {
			return err
		}
		for i := range lines {
			seen += int64(lines[i].SampleCount())
			if err := e.line(&lines[i]); err != nil {
				return err
			}
		}
		if e.Progress != nil {
			e.Progress(progress.Progress{Verb: "export-data", Unit: "samples", Count: e.sum.Samples,
				Rate: e.sum.Samples, Done: seen, Total: e.set.Manifest.Counts.Samples})
		}
	}
	return nil
}

// line writes the samples of a line.
func (e *exporter) line(l *dataset.Line) error {
	split := e.set.Manifest.Splits.Of(dataset.SplitKey(l))
	if len(e.Splits) > 0 && !slices.Contains(e.Splits, split) ||
		len(e.Sources) > 0 && !slices.Contains(e.Sources, l.Source) {
		return nil
	}
	if err := l.Check(); err != nil { // other programs get no move that is not legal
		return fmt.Errorf("%s %d: %w: %w", l.Source, l.Number, dataset.ErrDamaged, err)
	}
	s := Sample{Walker: &e.walker, Split: split, Input: e.set.Manifest.InputName(l.Input)}
	written := false
	for e.walker.Reset(l); e.walker.Next(); {
		s.Counted = e.counting.Of(l, e.walker.Sample())
		if !e.count(&s) {
			continue
		}
		if err := e.out.sample(&s); err != nil {
			return err
		}
		written = true
	}
	if !written {
		return nil
	}
	e.sum.Lines++
	if w, ok := e.out.(lineWriter); ok {
		return w.endLine()
	}
	return nil
}

// count counts a sample and reports whether it is written.
func (e *exporter) count(s *Sample) bool {
	e.sum.Chosen++
	for _, f := range e.Format.Needs {
		if !f.Has(s) {
			e.sum.LeftOut[dataset.Reason("no_"+f.Name)]++
			return false
		}
	}
	for _, f := range e.Format.Lacks {
		if f.Has(s) {
			e.sum.Lost[dataset.Reason(f.Name)]++
		}
	}
	e.sum.Samples++
	return true
}

// Limits lists what the format cannot hold and what it needs.
func (f *Format) Limits() string {
	names := func(facts []Fact) string {
		var all []string
		for _, fact := range facts {
			all = append(all, fact.About)
		}
		return strings.Join(all, "; ")
	}
	text := "cannot hold: " + names(f.Lacks)
	if len(f.Needs) > 0 {
		text += ". It leaves out samples without: " + names(f.Needs)
	}
	return text
}

// Text returns the summary of a file of a format as lines.
func (sum *Summary) Text(f *Format) string {
	var t humanize.Text
	t.Line("%s: %s of %s, %s, %.1f s\n", sum.Out, humanize.Count(sum.Samples, "sample"),
		humanize.Count(sum.Lines, "line"), humanize.Size(float64(sum.Bytes)), sum.Seconds)
	humanize.Counts(&t, "samples left out as", sum.LeftOut)
	for _, lack := range f.Lacks {
		if lost := sum.Lost[dataset.Reason(lack.Name)]; lost > 0 {
			t.Line("  samples written without %s: %s\n", lack.About, humanize.Thousands(lost))
		}
	}
	return t.String()
}
