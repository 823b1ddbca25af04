package loader

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/fault"
	"talbot/shards"
)

// ErrNoSamples reports that a chosen split of a dataset, or of all of them, has no usable sample.
var ErrNoSamples = fault.New(fault.ExitFailed, "no usable samples",
	"`talbot stats DIR` counts the samples of each split; endgames need `talbot label` first, and --skip-plies and "+
		"--min-clock may leave out all")

// ErrSplits reports that the datasets of one run are split differently, so that one's test could be the other's train.
var ErrSplits = fault.New(fault.ExitFailed, "datasets are split differently",
	"make all datasets of a run with the same --split")

// Options are how datasets are read.
type Options struct {
	Encoder encode.Encoder
	Targets encode.Targets
	Label   string // ID of the fingerprint whose labels count; "" = of each sample the last that has one
	Workers int    // 0 = one for each processor
	// MaxCopies caps how often a position is a train sample, over all datasets; 0 = no cap. See [Data.Survey].
	MaxCopies int
	// MinClock is the time that the mover must have had left before the move; samples without a clock stay.
	MinClock time.Duration
	// SkipPlies is for evaluation: the first plies of games are left out.
	SkipPlies int
	// Origins is for evaluation: where lines are from is read, their ratings and tags too, for [evaluate.Origin], and
	// the moves of a sample are its policy target, regardless of what its recipe lists.
	Origins bool
	// Checked, if not nil, is called with how much of the data was compared with its checksums, from one goroutine at a
	// time.
	Checked func(bytes, of int64)
}

// Data is one or more open datasets. It is safe for concurrent use until Close.
type Data struct {
	Sets    []*Set
	Options Options
	encoder encode.Encoder
	layout  encode.Layout
	checks  bool // see [Data.checking]
}

// Set is one dataset of a [Data].
type Set struct {
	Spec
	Manifest *dataset.Manifest
	Hash     string // of the manifest
	shards   *shards.Dataset
	blocks   []shards.BlockRef
	counting dataset.Counting
}

// Open opens datasets that are split alike ([ErrSplits]) and are different ones, and reads every file once to compare
// it with its checksum, for a reader that skips columns does not see damage to them. Errors of a dataset are those of
// [shards.OpenDataset] and [shards.Dataset.CheckFiles]. The caller closes the Data.
func Open(ctx context.Context, specs []Spec, o Options) (_ *Data, err error) {
	d := &Data{Options: o, encoder: o.Encoder, layout: o.Encoder.Layout()}
	if o.Workers <= 0 {
		d.Options.Workers = runtime.GOMAXPROCS(0)
	}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	for _, spec := range specs {
		s, err := openSet(spec, o)
		if err != nil {
			return nil, err
		}
		d.Sets = append(d.Sets, s)
		for _, other := range d.Sets[:len(d.Sets)-1] {
			if other.Hash == s.Hash {
				return nil, fmt.Errorf("%q and %q are the same dataset", other.Dir, s.Dir)
			}
		}
		if first := d.Sets[0]; first.Manifest.Splits != s.Manifest.Splits {
			return nil, fmt.Errorf("%w: %q has %s, %q has %s", ErrSplits, first.Dir, first.Manifest.Splits, s.Dir,
				s.Manifest.Splits)
		}
	}
	if len(d.Sets) == 0 {
		return nil, errors.New("no dataset given")
	}
	if err := d.check(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// Derived returns a warning for each dataset that was made from another one of them: what both hold counts twice.
func (d *Data) Derived() (warnings []error) {
	for _, child := range d.Sets {
		for _, parent := range d.Sets {
			if slices.ContainsFunc(child.Manifest.Parents,
				func(p dataset.Parent) bool { return p.Manifest == parent.Hash }) {
				warnings = append(warnings,
					fmt.Errorf("%q was made from %q, so shared samples count twice; use only one of them", child.Dir,
						parent.Dir))
			}
		}
	}
	return warnings
}

// check compares the files with their checksums.
func (d *Data) check(ctx context.Context) error {
	var total, read int64
	for _, s := range d.Sets {
		for _, f := range s.Manifest.Shards {
			total += f.Bytes
		}
	}
	var mu sync.Mutex
	var done func(int64)
	if tell := d.Options.Checked; tell != nil {
		done = func(n int64) {
			mu.Lock()
			defer mu.Unlock()
			read += n
			tell(read, total)
		}
	}
	for _, s := range d.Sets {
		if err := s.shards.CheckFiles(ctx, d.Options.Workers, done); err != nil {
			return err
		}
	}
	return nil
}

// columns are those that the targets are made of, and the origins where they are asked for.
func (o Options) columns() shards.Columns {
	wanted := shards.Policies | shards.Scores | shards.Best
	if o.Targets.Value.ReadsChances() || o.Encoder.Layout().Chances {
		wanted |= shards.WDL
	}
	if o.Targets.Policy.Temperature > 0 {
		wanted |= shards.Variations
	}
	if o.Encoder.Layout().Ratings {
		wanted |= shards.Ratings
	}
	if o.Encoder.Layout().Candidates > 0 {
		wanted |= shards.Predictions | shards.Variations
	}
	if o.MinClock > 0 {
		wanted |= shards.Clocks
	}
	if o.Origins {
		wanted |= shards.Origin | shards.Ratings | shards.Tags
	}
	return wanted
}

func openSet(spec Spec, o Options) (*Set, error) {
	wanted, label := o.columns(), o.Label
	m, err := dataset.ReadManifest(spec.Dir)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(m.Fingerprints, func(f dataset.Fingerprint) bool { return f.IsSolved() }) {
		wanted |= shards.Variations // all of their moves are learnt
	}
	ds, err := shards.OpenDataset(spec.Dir, wanted)
	if err != nil {
		return nil, err
	}
	s := &Set{Spec: spec, Manifest: ds.Manifest, Hash: ds.Manifest.Hash(), shards: ds, blocks: ds.Blocks()}
	if s.counting, err = dataset.NewCounting(ds.Manifest.Fingerprints, label); err != nil {
		ds.Close()
		return nil, fmt.Errorf("%q: %w", spec.Dir, err)
	}
	if n := o.Encoder.Layout().Candidates; n > 0 {
		if s.counting, err = s.counting.WithCandidates(ds.Manifest, n); err != nil {
			ds.Close()
			return nil, fmt.Errorf("%q: %w", spec.Dir, err)
		}
	}
	return s, nil
}

// Close closes the datasets.
func (d *Data) Close() error {
	var all []error
	for _, s := range d.Sets {
		all = append(all, s.shards.Close())
	}
	return errors.Join(all...)
}

// absolute returns the folder's absolute path, or the folder as it was given.
func (s Spec) absolute() string {
	if path, err := filepath.Abs(s.Dir); err == nil {
		return path
	}
	return s.Dir
}
