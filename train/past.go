package train

import "talbot/train/model"

// History compares a network's figures on some samples with those on the same ones when it is shown each as if its game
// had begun with it: without earlier boards and repetitions. A network that is much worse then has learnt to read the
// past, and perhaps who made it up.
type History struct {
	With    Figures `json:"with"`
	Without Figures `json:"without"`
}

// pastTally sums up samples with and without their past.
type pastTally struct{ with, without tally }

// withoutPast adds what the network says to samples without their past, and what it said to them with it.
func (a *Accumulator) withoutPast(p *Predictor, samples []Sample, logits, values []float32) error {
	planes := make([]uint64, 0, len(samples)*model.Planes)
	for i := range samples {
		planes = append(planes, samples[i].Planes[:]...)
		clear(planes[i*model.Planes+model.Past:])
	}
	blind, blindValues, err := p.Predict(planes, len(samples))
	if err != nil {
		return err
	}
	for i := range samples {
		s, from := &samples[i], i*model.Moves
		with, err := score(s, logits[from:from+model.Moves], values[i])
		if err != nil {
			return err
		}
		without, err := score(s, blind[from:from+model.Moves], blindValues[i])
		if err != nil {
			return err
		}
		a.past.with.add(&with.tally, 1)
		a.past.without.add(&without.tally, 1)
	}
	return nil
}

// report returns nil if nothing was compared.
func (t *pastTally) report() *History {
	if t.with.samples == 0 {
		return nil
	}
	return &History{With: t.with.figures(), Without: t.without.figures()}
}
