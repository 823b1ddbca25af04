package evaluate

import (
	"cmp"
	"context"
	"iter"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/fault"
	"talbot/network/predict"
)

// Network answers questions, any number at a time. One goroutine asks.
type Network interface {
	Capabilities() predict.Capabilities
	Predict(ctx context.Context, questions []predict.Input, answers []predict.Output) error
	Batch() int // how many it likes to be asked at a time
}

// Options are what an evaluation looks at beside the samples.
type Options struct {
	Layout    encode.Layout // of the recipe
	Batch     int           // samples at a time; 0 = what the network likes
	Tables    Tables        // that judge endgames; may be nil
	NoHistory bool          // the network sees each sample as if its game had begun with it

	// Bands of ratings are reported apart. A network that reads the rating is also told that of each band in turn.
	// None: there are no such reports.
	Bands []dataset.Band

	Simple     Simple      // the baselines that were fitted on train samples
	Candidates *Candidates // of a recipe that looks at candidates; else nil

	Style  bool    // how aggressive its choices are is measured
	Before Network // what it was fine-tuned from, which reads the same; nil: none, or it is not known

	// PredictedProbability and LabelProbability return the win probability, in [0, 1], that underlies a value of the
	// network or of a label: [encode.ValueTarget.WinProbability]. Nil if it is not known.
	PredictedProbability, LabelProbability func(value float32) float64
}

// ErrNoHistory reports that a recipe reads no past that could be hidden from it.
var ErrNoHistory = fault.New(fault.ExitUsage, "the recipe reads no history", "leave out --no-history")

// compareEvery is the interval, in batches, at which one is also evaluated as the other colour and without history.
const compareEvery = 8

// Evaluate runs samples through a network in batches, every eighth of them as the other colour and without its past as
// well, where the recipe can be shown so. It stops at the first error of the samples, the network, the tables or ctx,
// and with [ErrNoHistory] if the past is to be hidden and there is none.
func Evaluate(ctx context.Context, network Network, samples iter.Seq2[Sample, error], o Options) (*Accumulator, error) {
	if o.NoHistory && o.Layout.NoHistory == nil {
		return nil, ErrNoHistory
	}
	e := evaluation{network: network, Accumulator: newAccumulator(network.Capabilities(), o)}
	done := 0
	for batch, err := range batches(ctx, samples, cmp.Or(o.Batch, network.Batch())) {
		if err == nil {
			err = e.evaluate(ctx, batch, done%compareEvery == 0, o)
		}
		if err != nil {
			return nil, err
		}
		done++
	}
	return e.Accumulator, nil
}

// batches gives so many of a sequence at a time, in a slice that is used again. It ends with the first error, or ctx's.
func batches[T any](ctx context.Context, all iter.Seq2[T, error], size int) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var batch []T
		for x, err := range all {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if batch = append(batch, x); len(batch) >= size {
				if !yield(batch, nil) {
					return
				}
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}

// evaluation asks a network about batches of samples.
type evaluation struct {
	*Accumulator
	network Network

	questions []predict.Input
	answers   [2][]predict.Output // as the samples are, and in disguise
	packed    []uint64            // of the questions in disguise
}

// evaluate adds samples, which are compared with themselves in disguise or not.
func (e *evaluation) evaluate(ctx context.Context, samples []Sample, compare bool, o Options) error {
	if o.NoHistory {
		for i := range samples {
			o.Layout.NoHistory.Apply(samples[i].Packed)
		}
	}
	answers, err := e.ask(ctx, samples, nil)
	if err == nil {
		err = e.add(ctx, samples, answers)
	}
	if err == nil && compare {
		err = e.compare(ctx, samples, answers, o)
	}
	if err == nil {
		err = e.evaluateBands(ctx, samples, o)
	}
	if err == nil {
		err = e.addStyle(ctx, samples, answers, o)
	}
	return err
}

// ask asks about samples as they are, or in disguise. The answers are valid until samples are asked about so again.
func (e *evaluation) ask(ctx context.Context, samples []Sample, transform *encode.InputTransform) ([]predict.Output,
	error) {
	e.questions, e.packed = e.questions[:0], e.packed[:0]
	answers := &e.answers[0]
	if transform != nil {
		answers = &e.answers[1]
		words := 0
		for i := range samples {
			words += len(samples[i].Packed)
		}
		e.packed = make([]uint64, 0, words) // questions hold parts of it: it must not move
	}
	for i := range samples {
		q := predict.Input{Packed: samples[i].Packed, Codes: samples[i].Codes}
		if transform != nil {
			from := len(e.packed)
			e.packed = append(e.packed, q.Packed...)
			q.Packed = e.packed[from:]
			transform.Apply(q.Packed)
		}
		e.questions = append(e.questions, q)
	}
	for len(*answers) < len(samples) {
		*answers = append(*answers, predict.Output{})
	}
	return (*answers)[:len(samples)], e.network.Predict(ctx, e.questions, (*answers)[:len(samples)])
}
