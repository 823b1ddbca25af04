package evaluate

import (
	"errors"
	"fmt"
	"iter"
	"math"
)

// CandidateReport compares a network that chooses among candidate moves ([encode.Probability]) with what is known of
// them without it: cross-entropies in nats over the samples that were evaluated, whose targets are over the candidates.
type CandidateReport struct {
	Samples int64    `json:"samples"`
	Network float64  `json:"network_ce"` // among the candidates
	Prior   Baseline `json:"prior"`      // of their priors alone, renormalised
	Uniform float64  `json:"uniform_ce"` // of all candidates alike
	Floor   float64  `json:"floor"`      // the entropy of the targets, which nothing can go below
	// Values is that of the softmax of value/Temperature, the values at depth 10. The temperature is fitted on Fitted
	// samples of the val split; nil where that has none.
	Values      *Baseline `json:"values"`
	Temperature float64   `json:"temperature"`
	Fitted      int64     `json:"fitted"`
}

// Baseline is the cross-entropy of something simpler than the network, and by how much it is above the network's.
type Baseline struct {
	CE   float64 `json:"ce"`
	More float64 `json:"more"`
	// MoreInterval is the 95 % interval of More, from the differences of the samples.
	MoreInterval [2]float64 `json:"more_interval"`
}

// Verdict says how the network stands to the baseline.
func (b *Baseline) Verdict() Verdict { return Compare(b.More, 0, false, &b.MoreInterval) }

// baseline compares cross-entropies, each of a sample.
func baseline(of, network []float64) Baseline {
	var b Baseline
	n := float64(len(of))
	for i, ce := range of {
		b.CE += ce / n
		b.More += (ce - network[i]) / n
	}
	squares := 0.0
	for i, ce := range of {
		squares += (ce - network[i] - b.More) * (ce - network[i] - b.More)
	}
	within := 1.96 * math.Sqrt(squares) / n
	b.MoreInterval = [2]float64{b.More - within, b.More + within}
	return b
}

// candidateSample is what the baselines need of a sample: of each candidate.
type candidateSample struct{ prior, value, weight []float64 }

// ErrNotCandidates: a sample is not of a recipe that looks at candidates.
var ErrNotCandidates = errors.New("the sample has no candidates")

// candidatesOf reads a sample's numbers, as [encode.Probability] has them for a number of moves; deepest is how many
// values each move has.
func candidatesOf(s *Sample, numbers []float32, moves, values int) (candidateSample, error) {
	var c candidateSample
	if len(numbers) < moves*(1+values) {
		return c, ErrNotCandidates
	}
	weights := map[int]float64{} // by legal move
	for _, t := range s.Policy {
		weights[t.Move] = float64(t.Weight)
	}
	for i, code := range s.Codes {
		if code < 0 || int(code) >= moves {
			continue
		}
		c.prior = append(c.prior, max(float64(numbers[code]), 0.5/math.MaxUint16)) // it was rounded
		c.value = append(c.value, float64(numbers[moves+values*int(code)+values-1]))
		c.weight = append(c.weight, weights[i])
	}
	if len(c.prior) == 0 {
		return c, ErrNotCandidates
	}
	return c, nil
}

// crossEntropy is that of a softmax of logits.
func crossEntropy(logits, weights []float64) float64 {
	top, sum, ce := math.Inf(-1), 0.0, 0.0
	for _, z := range logits {
		top = max(top, z)
	}
	for _, z := range logits {
		sum += math.Exp(z - top)
	}
	for i, w := range weights {
		if w > 0 {
			ce -= w * (logits[i] - top - math.Log(sum))
		}
	}
	return ce
}

// logits are those of the candidates.
func (c *candidateSample) logits(of func(i int) float64) []float64 {
	list := make([]float64, len(c.prior))
	for i := range list {
		list[i] = of(i)
	}
	return list
}

// valuesEntropy is the mean cross-entropy of softmax(beta · value).
func valuesEntropy(list []candidateSample, beta float64) float64 {
	sum := 0.0
	for i := range list {
		c := &list[i]
		sum += crossEntropy(c.logits(func(i int) float64 { return beta * c.value[i] }), c.weight)
	}
	return sum / float64(len(list))
}

// fitBeta returns the inverse temperature of the least cross-entropy, in [0, 1000]. It is convex in that.
func fitBeta(list []candidateSample) float64 {
	const ratio = 0.6180339887498949
	low, high := 0.0, 1000.0
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	fa, fb := valuesEntropy(list, a), valuesEntropy(list, b)
	for high-low > 1e-4 {
		if fa <= fb {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = valuesEntropy(list, a)
		} else {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = valuesEntropy(list, b)
		}
	}
	return (low + high) / 2
}

// CandidateOptions say how numbers are read: see [Baselines].
type CandidateOptions struct {
	Numbers       func(dst []float32, packed []uint64)
	Size          int // how many there are
	Moves, Values int
}

// samples goes through those of samples that have a target.
func (o *CandidateOptions) samples(from iter.Seq2[Sample, error]) iter.Seq2[candidateSample, error] {
	return func(yield func(candidateSample, error) bool) {
		numbers := make([]float32, o.Size)
		for s, err := range from {
			if err == nil && len(s.Policy) == 0 {
				continue
			}
			var c candidateSample
			if err == nil {
				o.Numbers(numbers, s.Packed)
				c, err = candidatesOf(&s, numbers, o.Moves, o.Values)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// Baselines computes what a network among candidates is compared with: over samples, with a temperature that is fitted
// on val, which may be nil; network are its own cross-entropies over the legal moves, one for each sample that has a
// target. Of val everything is kept in memory, of samples three numbers each.
func Baselines(samples, val iter.Seq2[Sample, error], o CandidateOptions, network []float64) (*CandidateReport, error) {
	r := &CandidateReport{}
	beta := 0.0
	if val != nil {
		var list []candidateSample
		for c, err := range o.samples(val) {
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
		if r.Fitted = int64(len(list)); r.Fitted > 0 {
			beta = fitBeta(list)
			r.Temperature = 1 / max(beta, 1e-9)
		}
	}
	n := float64(len(network))
	var prior, values []float64
	for c, err := range o.samples(samples) {
		if err != nil {
			return nil, err
		}
		prior = append(prior, crossEntropy(c.logits(func(i int) float64 { return math.Log(c.prior[i]) }), c.weight))
		values = append(values, crossEntropy(c.logits(func(i int) float64 { return beta * c.value[i] }), c.weight))
		r.Uniform += math.Log(float64(len(c.prior))) / n
		for _, w := range c.weight {
			if w > 0 {
				r.Floor -= w * math.Log(w) / n
			}
		}
	}
	if len(prior) == 0 {
		return nil, fmt.Errorf("%w: none of the evaluated ones", ErrNotCandidates)
	}
	if len(prior) != len(network) {
		return nil, fmt.Errorf("%d samples with a target, and the network was asked about %d", len(prior), len(network))
	}
	r.Samples = int64(len(network))
	for _, ce := range network {
		r.Network += ce / n
	}
	r.Prior = baseline(prior, network)
	if r.Fitted > 0 {
		b := baseline(values, network)
		r.Values = &b
	}
	return r, nil
}
