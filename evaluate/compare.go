package evaluate

import (
	"context"
	"math"

	"talbot/network/predict"
	"talbot/network/run"
)

// Symmetry compares the network's answers with those to the same positions with the colours mirrored, which should be
// the same. What the network does not know is null.
type Symmetry struct {
	Samples   int64    `json:"samples"`
	ValueGap  *float64 `json:"value_gap"`  // mean |v − v'|, in [0, 2]
	PolicyGap *float64 `json:"policy_gap"` // mean of half of Σ |p − p'| over the legal moves, in [0, 1]
	SameMove  *float64 `json:"same_move"`  // share with the same first move
}

// History compares a network's figures on some samples with those on the same ones when it is shown each as if its game
// had begun with it: without earlier boards and repetitions. A network that is much worse then has learned to read the
// past, and perhaps the author of it.
type History struct {
	With    Figures `json:"with"`
	Without Figures `json:"without"`
	// Intervals of measures with a baseline; nil: not known.
	WithIntervals    Intervals `json:"with_intervals"`
	WithoutIntervals Intervals `json:"without_intervals"`
}

// symmetryTally are the sums of a [Symmetry].
type symmetryTally struct {
	samples, same int64
	value, policy float64
}

// pastTally sums up samples with and without their past.
type pastTally struct {
	with, without tally
	boot          bootstrap // its parts are withPast and withoutPast
}

var (
	withPast    = part{source: "with"}
	withoutPast = part{source: "without"}
)

// compare shows the network samples in disguise too.
func (e *evaluation) compare(ctx context.Context, samples []Sample, answers []predict.Output, o Options) error {
	if as := o.Layout.OtherColour; as != nil {
		others, err := e.ask(ctx, samples, as)
		if err != nil {
			return err
		}
		if err := e.mirrored(samples, answers, others); err != nil {
			return err
		}
	}
	if as := o.Layout.NoHistory; as != nil && !o.NoHistory {
		blind, err := e.ask(ctx, samples, as)
		if err != nil {
			return err
		}
		return e.withoutPast(samples, answers, blind)
	}
	return nil
}

// mirrored adds the answers to samples as the other colour.
func (a *Accumulator) mirrored(samples []Sample, answers, others []predict.Output) error {
	for i := range samples {
		one, err := a.score(&samples[i], &answers[i])
		if err != nil {
			return err
		}
		other, err := a.score(&samples[i], &others[i])
		if err != nil {
			return err
		}
		t := &a.symmetry
		t.samples++
		t.value += math.Abs(one.value - other.value)
		if !a.capabilities.Prior {
			continue
		}
		gap := 0.0
		for j, x := range answers[i].Prior {
			gap += math.Abs(math.Exp(float64(x)) - math.Exp(float64(others[i].Prior[j])))
		}
		t.policy += gap / 2
		if one.first == other.first {
			t.same++
		}
	}
	return nil
}

// report returns nil if nothing was compared.
func (t *symmetryTally) report(capabilities Capabilities) *Symmetry {
	if t.samples == 0 {
		return nil
	}
	s, n := &Symmetry{Samples: t.samples}, float64(t.samples)
	if capabilities.Value {
		s.ValueGap = run.Ratio(t.value, n)
	}
	if capabilities.Prior {
		s.PolicyGap, s.SameMove = run.Ratio(t.policy, n), run.Ratio(float64(t.same), n)
	}
	return s
}

// withoutPast adds what the network says to samples without their past, and what it said to them with it.
func (a *Accumulator) withoutPast(samples []Sample, answers, blind []predict.Output) error {
	if a.past.with == nil {
		a.past.with, a.past.without = newTally(), newTally()
	}
	one := newTally()
	add := func(to tally, p part, q *assessment) {
		clear(one)
		one.score(q, a.capabilities)
		to.add(one, 1)
		if at := q.sample.Origin; at != nil {
			a.past.boot.add(at.Line, p, one)
		}
	}
	for i := range samples {
		with, err := a.score(&samples[i], &answers[i])
		if err != nil {
			return err
		}
		without, err := a.score(&samples[i], &blind[i])
		if err != nil {
			return err
		}
		add(a.past.with, withPast, &with)
		add(a.past.without, withoutPast, &without)
	}
	return nil
}

// report returns nil if nothing was compared.
func (t *pastTally) report() *History {
	if t.with == nil {
		return nil
	}
	intervals := func(of part) Intervals { return t.boot.intervals(func(p part) bool { return p == of }) }
	return &History{t.with.figures(), t.without.figures(), intervals(withPast), intervals(withoutPast)}
}
