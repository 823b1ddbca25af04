package train

import (
	"context"
	"fmt"
	"iter"
	"math"

	"talbot/train/model"
)

// Sample is one position to evaluate a network on.
type Sample struct {
	Source   string // "game", "puzzle", "endgame": the group of by_source
	Planes   [model.Planes]uint64
	Legal    []uint16 // indices of all legal moves, at least one, no duplicates
	Policy   []Target // legal moves whose weights sum to 1; empty: no policy target
	Value    float32  // target in [−1, 1] from the side to move
	HasValue bool     // Value is a label
	Unseen   bool     // the position does not occur in the training data
}

// Target is one move of a policy target.
type Target struct {
	Index  uint16
	Weight float32
}

// Figures are means over a set of samples. A figure over no samples is null.
//
// Policy figures are over the samples with a policy target, value figures over those with a value label, IllegalMass
// over all. A target of several moves counts with its weights: Top3 is then the weight that falls on the three legal
// moves of the highest logits. Of equal logits the one with the lower index is the higher.
type Figures struct {
	Samples           int64    `json:"samples"`
	PolicySamples     int64    `json:"policy_samples"`
	ValueSamples      int64    `json:"value_samples"`
	PolicyCE          *float64 `json:"policy_ce"`         // −Σ w·ln p, p the softmax over all 4672 logits
	PolicyCELegal     *float64 `json:"policy_ce_legal"`   // the same with the softmax over the legal moves
	PolicyCEUniform   *float64 `json:"policy_ce_uniform"` // ln of the number of legal moves
	Top1              *float64 `json:"top1"`
	Top3              *float64 `json:"top3"`
	Top5              *float64 `json:"top5"`
	IllegalMass       *float64 `json:"illegal_mass"` // share of the softmax on moves that are not legal
	ValueMSE          *float64 `json:"value_mse"`
	ValueMSEMean      *float64 `json:"value_mse_mean"`      // of always saying the mean target of these samples
	ValueSignAccuracy *float64 `json:"value_sign_accuracy"` // over targets other than 0; a value of exactly 0 is wrong
}

// Report is what talbot eval prints.
type Report struct {
	Figures
	BySource map[string]Figures `json:"by_source"`
	Unseen   *Figures           `json:"unseen"` // nil if it is not known what was trained on
}

// Accumulator sums up samples and a network's answers, in float64. The zero value is ready.
type Accumulator struct {
	all, unseen tally
	bySource    map[string]*tally
}

type tally struct {
	samples, policies, values, signs     int64
	ce, legal, uniform, top1, top3, top5 float64
	illegal                              float64
	squared, sum, squares, right         float64
}

// Add takes samples and the answers to them: logits len(samples)·4672, values len(samples). On an error nothing is added.
func (a *Accumulator) Add(samples []Sample, logits, values []float32) error {
	if len(logits) != len(samples)*model.Moves || len(values) != len(samples) {
		return fmt.Errorf("%d logits and %d values for %d samples", len(logits), len(values), len(samples))
	}
	scores := make([]tally, len(samples))
	for i := range samples {
		var err error
		if scores[i], err = score(&samples[i], logits[i*model.Moves:][:model.Moves], values[i]); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
	}
	if a.bySource == nil {
		a.bySource = map[string]*tally{}
	}
	for i, t := range scores {
		s := &samples[i]
		if a.bySource[s.Source] == nil {
			a.bySource[s.Source] = &tally{}
		}
		a.all.add(t)
		a.bySource[s.Source].add(t)
		if s.Unseen {
			a.unseen.add(t)
		}
	}
	return nil
}

// score is the tally of one sample.
func score(s *Sample, logits []float32, value float32) (tally, error) {
	t := tally{samples: 1}
	if !finite(float64(value)) {
		return t, fmt.Errorf("the network's value is %g", value)
	}
	if len(s.Legal) == 0 {
		return t, fmt.Errorf("no legal moves")
	}
	all := logSumExp(logits, nil)
	legal := logSumExp(logits, s.Legal)
	if !finite(all, legal) {
		return t, fmt.Errorf("the network's logits are not finite")
	}
	t.illegal = max(0, -math.Expm1(legal-all))
	if len(s.Policy) > 0 {
		t.policies = 1
		t.uniform = math.Log(float64(len(s.Legal)))
	}
	for _, target := range s.Policy {
		rank, isLegal := 0, false
		if int(target.Index) >= len(logits) {
			return t, fmt.Errorf("target move %d is not below %d", target.Index, len(logits))
		}
		z := logits[target.Index]
		for _, m := range s.Legal {
			isLegal = isLegal || m == target.Index
			if logits[m] > z || logits[m] == z && m < target.Index {
				rank++
			}
		}
		if !isLegal {
			return t, fmt.Errorf("target move %d is not legal", target.Index)
		}
		w := float64(target.Weight)
		t.ce += w * (all - float64(z))
		t.legal += w * (legal - float64(z))
		for _, top := range []struct {
			k   int
			sum *float64
		}{{1, &t.top1}, {3, &t.top3}, {5, &t.top5}} {
			if rank < top.k {
				*top.sum += w
			}
		}
	}
	if s.HasValue {
		v, target := float64(value), float64(s.Value)
		t.values = 1
		t.squared, t.sum, t.squares = (v-target)*(v-target), target, target*target
		if target != 0 {
			t.signs = 1
			if v*target > 0 {
				t.right = 1
			}
		}
	}
	return t, nil
}

// logSumExp is over the given moves, or over all for nil.
func logSumExp(logits []float32, moves []uint16) float64 {
	each := func(yield func(float64)) {
		if moves == nil {
			for _, z := range logits {
				yield(float64(z))
			}
			return
		}
		for _, m := range moves {
			if int(m) < len(logits) {
				yield(float64(logits[m]))
			} else {
				yield(math.NaN())
			}
		}
	}
	top := math.Inf(-1)
	each(func(z float64) { top = math.Max(top, z) }) // Max keeps NaN
	var sum float64
	each(func(z float64) { sum += math.Exp(z - top) })
	return top + math.Log(sum)
}

func (t *tally) add(u tally) {
	t.samples += u.samples
	t.policies += u.policies
	t.values += u.values
	t.signs += u.signs
	t.ce += u.ce
	t.legal += u.legal
	t.uniform += u.uniform
	t.top1 += u.top1
	t.top3 += u.top3
	t.top5 += u.top5
	t.illegal += u.illegal
	t.squared += u.squared
	t.sum += u.sum
	t.squares += u.squares
	t.right += u.right
}

func (t *tally) figures() Figures {
	over := func(sum float64, n int64) *float64 { return ratio(sum, float64(n)) }
	f := Figures{Samples: t.samples, PolicySamples: t.policies, ValueSamples: t.values,
		PolicyCE: over(t.ce, t.policies), PolicyCELegal: over(t.legal, t.policies),
		PolicyCEUniform: over(t.uniform, t.policies), Top1: over(t.top1, t.policies), Top3: over(t.top3, t.policies),
		Top5: over(t.top5, t.policies), IllegalMass: over(t.illegal, t.samples), ValueMSE: over(t.squared, t.values),
		ValueSignAccuracy: over(t.right, t.signs)}
	if t.values > 0 {
		mean := t.sum / float64(t.values)
		variance := max(0, t.squares/float64(t.values)-mean*mean)
		f.ValueMSEMean = &variance
	}
	return f
}

// Report returns the figures so far. Unseen is filled in only if it is known what was trained on.
func (a *Accumulator) Report(trainKnown bool) Report {
	r := Report{Figures: a.all.figures(), BySource: map[string]Figures{}}
	for source, t := range a.bySource {
		r.BySource[source] = t.figures()
	}
	if trainKnown {
		f := a.unseen.figures()
		r.Unseen = &f
	}
	return r
}

// Evaluate runs samples through a network in batches. It stops at the first error of the samples, the network or ctx.
func Evaluate(ctx context.Context, p *Predictor, samples iter.Seq2[Sample, error]) (*Accumulator, error) {
	a := &Accumulator{}
	var batch []Sample
	var planes []uint64
	flush := func() error {
		logits, values, err := p.Predict(planes, len(batch))
		if err == nil {
			err = a.Add(batch, logits, values)
		}
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
