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

	// Asked is called with the cross-entropy over the legal moves of each sample that has a target, in order; may be
	// nil.
	Asked func(ce float64)

	Simple Simple // the baselines that were fitted on train samples

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
	a := newAccumulator(network.Capabilities(), o)
	e := evaluation{network: network, Accumulator: a}
	var batch []Sample
	batches, size := 0, max(cmp.Or(o.Batch, network.Batch()), 1)
	flush := func() error {
		answers, err := e.ask(ctx, batch, nil)
		if err == nil {
			err = a.add(ctx, batch, answers)
		}
		if err == nil && batches%compareEvery == 0 {
			err = e.compare(ctx, batch, answers, o)
		}
		if err == nil {
			err = e.evaluateBands(ctx, batch, o)
		}
		if err == nil {
			err = e.addStyle(ctx, batch, answers, o)
		}
		batches++
		batch = batch[:0]
		return err
	}
	for s, err := range samples {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if o.NoHistory {
			o.Layout.NoHistory.Apply(s.Packed)
		}
		if batch = append(batch, s); len(batch) == size {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if len(batch) > 0 {
		if err := flush(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// evaluation asks a network about batches of samples.
type evaluation struct {
	*Accumulator
	network Network

	questions []predict.Input
	answers   [2][]predict.Output // as the samples are, and in disguise
	packed    []uint64            // of the questions in disguise
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
