package train

import (
	"fmt"
	"math"

	"talbot/board"
)

// tally sums up samples.
type tally struct {
	samples, policies, values, signs     int64
	ce, legal, uniform, top1, top3, top5 float64
	random                               float64 // chance that a legal move drawn at random is the target
	illegal                              float64
	squared, sum, squares, right         float64
	mates                                int64
	mated                                float64
	audited                              int64 // samples with a value by audited labels
	auditedSquared                       float64
	ends                                 endgameTally
}

// scored is the tally of one sample and what the network would play.
type scored struct {
	tally
	first      int     // index into Legal of the move with the highest logit
	confidence float64 // its probability among the legal moves
}

// score is the tally of one sample.
func score(s *Sample, logits []float32, value float32) (scored, error) {
	t := scored{tally: tally{samples: 1}}
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
	t.first = firstOf(s.Legal, logits)
	t.confidence = math.Exp(float64(logits[s.Legal[t.first]]) - legal)
	if s.Place != nil {
		t.mates, t.mated = mateInOne(&s.Place.Position, t.first)
	}
	if len(s.Policy) > 0 {
		t.policies = 1
		t.uniform = math.Log(float64(len(s.Legal)))
		t.random = 1 / float64(len(s.Legal))
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
		if s.Place != nil && s.Place.Audited {
			t.audited, t.auditedSquared = 1, t.squared
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

// add adds a tally n times.
func (t *tally) add(u *tally, n int64) {
	t.samples += n * u.samples
	t.policies += n * u.policies
	t.values += n * u.values
	t.signs += n * u.signs
	t.mates += n * u.mates
	t.audited += n * u.audited
	t.ends.add(&u.ends, n)
	x := float64(n)
	t.ce += x * u.ce
	t.legal += x * u.legal
	t.uniform += x * u.uniform
	t.top1 += x * u.top1
	t.random += x * u.random
	t.top3 += x * u.top3
	t.top5 += x * u.top5
	t.illegal += x * u.illegal
	t.squared += x * u.squared
	t.sum += x * u.sum
	t.squares += x * u.squares
	t.right += x * u.right
	t.mated += x * u.mated
	t.auditedSquared += x * u.auditedSquared
}

func (t *tally) figures() Figures {
	over := func(sum float64, n int64) *float64 { return ratio(sum, float64(n)) }
	f := Figures{Samples: t.samples, PolicySamples: t.policies, ValueSamples: t.values,
		PolicyCE: over(t.ce, t.policies), PolicyCELegal: over(t.legal, t.policies),
		PolicyCEUniform: over(t.uniform, t.policies), Top1: over(t.top1, t.policies),
		Top1Uniform: over(t.random, t.policies), Top3: over(t.top3, t.policies), Top5: over(t.top5, t.policies),
		IllegalMass: over(t.illegal, t.samples), ValueMSE: over(t.squared, t.values),
		ValueSignAccuracy: over(t.right, t.signs),
		MateSamples:       t.mates, MateInOne: over(t.mated, t.mates)}
	if t.values > 0 {
		mean := t.sum / float64(t.values)
		variance := max(0, t.squares/float64(t.values)-mean*mean)
		f.ValueMSEMean = &variance
	}
	return f
}

// firstOf returns which of the moves has the highest logit; of equals the one of the lowest index in the policy.
func firstOf(legal []uint16, logits []float32) int {
	first := 0
	for i, m := range legal {
		if z, top := logits[m], logits[legal[first]]; z > top || z == top && m < legal[first] {
			first = i
		}
	}
	return first
}

// mateInOne returns 1 for mates if some move of p mates, and then 1 for mated if the legal move of that index does.
func mateInOne(p *board.Position, choice int) (mates int64, mated float64) {
	for i, m := range p.LegalMoves(nil) {
		if after := p.After(m); after.IsCheckmate() {
			mates = 1
			if i == choice {
				mated = 1
			}
		}
	}
	return mates, mated
}
