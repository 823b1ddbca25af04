package train

import (
	"context"
	"iter"
	"math"

	"talbot/train/model"
)

// compareEvery says that of every so many batches one is evaluated with the colours mirrored, and without history, too.
const compareEvery = 8

// blackPlane is the input plane that is all ones when Black moves.
const blackPlane = 16

// Symmetry compares the network's answers with those to the same positions with the colours mirrored, which should be
// the same: all planes are in the mover's frame but one, which tells who moves.
type Symmetry struct {
	Samples   int64   `json:"samples"`
	ValueGap  float64 `json:"value_gap"`  // mean |v − v'|, in [0, 2]
	PolicyGap float64 `json:"policy_gap"` // mean of half of Σ |p − p'| over the legal moves, in [0, 1]
	SameMove  float64 `json:"same_move"`  // share with the same first move
}

// EvaluateOptions are what an evaluation looks at beside the samples.
type EvaluateOptions struct {
	Tables    Tables // that judge endgames; may be nil
	NoHistory bool   // the network sees each sample as if its game had begun with it
}

// Evaluate runs samples through a network in batches, every eighth of them with the colours mirrored and without
// history as well. It stops at the first error of the samples, the network, the tables or ctx.
func Evaluate(ctx context.Context, p *Predictor, samples iter.Seq2[Sample, error], o EvaluateOptions) (*Accumulator,
	error) {
	a := &Accumulator{Tables: o.Tables}
	var batch []Sample
	var planes []uint64
	batches := 0
	flush := func() error {
		logits, values, err := p.Predict(planes, len(batch))
		if err == nil {
			err = a.Add(ctx, batch, logits, values)
		}
		if err == nil && batches%compareEvery == 0 {
			err = a.mirror(p, batch, planes, logits, values)
			if err == nil && !o.NoHistory {
				err = a.withoutPast(p, batch, logits, values)
			}
		}
		batches++
		batch, planes = batch[:0], planes[:0]
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
			clear(s.Planes[model.Past:])
		}
		batch, planes = append(batch, s), append(planes, s.Planes[:]...)
		if len(batch) == p.batch {
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

// mirror adds what the network says with the colours mirrored. It changes planes.
func (a *Accumulator) mirror(p *Predictor, samples []Sample, planes []uint64, logits, values []float32) error {
	for i := blackPlane; i < len(planes); i += model.Planes {
		planes[i] = ^planes[i]
	}
	mirrored, others, err := p.Predict(planes, len(samples))
	if err != nil {
		return err
	}
	for i := range samples {
		legal := samples[i].Legal
		one, other := logits[i*model.Moves:][:model.Moves], mirrored[i*model.Moves:][:model.Moves]
		sum, sumOther := logSumExp(one, legal), logSumExp(other, legal)
		var gap float64
		for _, m := range legal {
			gap += math.Abs(math.Exp(float64(one[m])-sum) - math.Exp(float64(other[m])-sumOther))
		}
		a.symmetry.Samples++
		a.symmetry.ValueGap += math.Abs(float64(values[i]) - float64(others[i]))
		a.symmetry.PolicyGap += gap / 2
		if firstOf(legal, one) == firstOf(legal, other) {
			a.symmetry.SameMove++
		}
	}
	return nil
}
