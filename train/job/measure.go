package job

import (
	"context"
	"fmt"
	"iter"
	"time"

	"talbot/dataset"
	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/predict"
	"talbot/network/run"
	"talbot/train/loader"
)

// Measure says which samples [Eval] and [Compare] ask networks about, and how.
type Measure struct {
	Data      []loader.Spec       // without weights
	Split     string              // "train", "val", "test" or "all"
	Label     string              // fingerprint whose labels count; "" = the last
	MinClock  time.Duration       // that the mover must have had left at a sample; 0 = any
	SkipPlies int                 // of the beginning of each game
	Samples   int64               // at most, spread over the data; 0 = all
	Value     *encode.ValueTarget // nil = of each network what it was trained on
	Batch     int                 // positions that a network is asked about at a time
	Choice    run.Choice
	Weights   string // "raw" or "average" of a run that keeps both; "" = those that were validated
	Backend   string // as [backend.Open] takes it
	Workers   int    // that encode and read, 0 = one for each processor

	Begun    func(backend string)              // before the first pass over the data
	Progress func(what string, done, of int64) // of is 0 if it is not known; from one goroutine at a time
	Warn     func(error)                       // what does not stop the measurement
}

func (m Measure) warn(err error) {
	if m.Warn != nil {
		m.Warn(err)
	}
}

// options returns which samples are chosen, and sets total to their number once it is known.
func (m Measure) options(total *int64) (o loader.EvalOptions, err error) {
	if o.Splits, err = ParseSplits(m.Split); err != nil {
		return o, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	o.Limit, o.Total = m.Samples, func(n int64) { *total = n }
	if m.Progress != nil {
		o.Progress = func(what string, blocks, of int) { m.Progress(what, int64(blocks), int64(of)) }
	}
	return o, nil
}

// network opens the network of a run or file, and says which weights it has.
func (m Measure) network(b *backend.Backend, path string) (*predict.Predictor, string, error) {
	c, err := configOf(path)
	if err != nil {
		return nil, "", err
	}
	weights, choice, err := chooseWeights(c, path, m.Weights, m.Choice)
	if err != nil {
		return nil, "", err
	}
	p, err := predict.Open(b, path, predict.Options{Choice: choice, Batches: []int{m.Batch}})
	if err != nil {
		return nil, "", err
	}
	for _, damaged := range p.Damaged {
		m.warn(fmt.Errorf("skipping %w", damaged))
	}
	return p, weights, nil
}

// read opens the data for an encoder.
func (m Measure) read(ctx context.Context, e encode.Encoder, t encode.Targets) (*loader.Data, error) {
	o := loader.Options{Encoder: e, Targets: t, Label: m.Label, Workers: m.Workers, MinClock: m.MinClock,
		SkipPlies: m.SkipPlies, Origins: true}
	if m.Progress != nil {
		o.Checked = func(bytes, of int64) { m.Progress("checking the data", bytes, of) }
	}
	return loader.Open(ctx, m.Data, o)
}

// ParseSplits reads "train", "val", "test" or "all".
func ParseSplits(text string) ([]dataset.Split, error) {
	if text == "all" {
		return dataset.AllSplits(), nil
	}
	s, err := dataset.ParseSplit(text)
	if err != nil {
		return nil, fmt.Errorf("split %q is none of test, val, train and all", text)
	}
	return []dataset.Split{s}, nil
}

// chooseWeights names the weights of a run that are evaluated: of those asked for, "raw", "average" or "" for averaged
// ones where there are any, and adds to the choice how they are chosen.
func chooseWeights(c run.Config, path, weights string, choice run.Choice) (string, run.Choice, error) {
	switch averaged := c.EMA > 0; {
	case weights == "average" && !averaged:
		return "", 0, fmt.Errorf("%w: %q has no averaged weights", ErrConfig, path)
	case weights == "raw", weights == "" && !averaged:
		return "raw", choice | run.RawWeights, nil
	case weights == "average", weights == "":
		return "average", choice, nil
	}
	return "", 0, fmt.Errorf("%w: weights must be raw or average: %q", ErrConfig, weights)
}

// configOf is the configuration of a run, or of a file of weights.
func configOf(path string) (run.Config, error) {
	if !run.IsFile(path) {
		return run.ReadConfig(path)
	}
	w, err := run.ReadWeights(path)
	if err != nil {
		return run.Config{}, err
	}
	return w.Config, nil
}

// counted reports progress at regular intervals of samples.
func counted[T any](samples iter.Seq2[T, error], what string, total *int64,
	progress func(what string, done, of int64)) iter.Seq2[T, error] {
	if progress == nil {
		return samples
	}
	return func(yield func(T, error) bool) {
		n := int64(0)
		for s, err := range samples {
			if n++; n%256 == 0 {
				progress(what, n, *total)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}
