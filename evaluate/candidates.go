package evaluate

import (
	"errors"
	"iter"
	"math"

	"talbot/encode"
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

// candidateSample is what the baselines need of a sample: of each candidate.
type candidateSample struct{ prior, value, weight []float64 }

// ErrNotCandidates: a sample is not of a recipe that looks at candidates.
var ErrNotCandidates = errors.New("the sample has no candidates")

// of reads a sample's numbers, as [encode.Probability] has them.
func (o *Candidates) of(s *Sample) (c candidateSample, err error) {
	moves, values := o.Layout.Candidates, o.Values
	numbers := make([]float32, o.Layout.Numbers())
	if len(numbers) < moves*(1+values) {
		return c, ErrNotCandidates
	}
	o.Unpack(numbers, s.Packed)
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

// Candidates are how a recipe looks at candidate moves.
type Candidates struct {
	Layout encode.Layout
	Unpack func(numbers []float32, packed []uint64) // [encode.Encoder.Unpack]
	Values int                                      // that each move has, the deepest one last

	fitted int64
	beta   float64 // the inverse temperature
}

// Fit fits the temperature of the values on samples, which are kept in memory.
func (o *Candidates) Fit(samples iter.Seq2[Sample, error]) error {
	var list []candidateSample
	for s, err := range samples {
		if err != nil {
			return err
		}
		if len(s.Policy) == 0 {
			continue
		}
		c, err := o.of(&s)
		if err != nil {
			return err
		}
		list = append(list, c)
	}
	if o.fitted = int64(len(list)); o.fitted > 0 {
		o.beta = fitBeta(list)
	}
	return nil
}

// candidateTally is what a [CandidateReport] is made of.
type candidateTally struct {
	*Candidates                    // nil: the recipe does not look at candidates
	network, prior, values float64 // sums over samples, as the following
	uniform, floor         float64
	overPrior, overValues  lineMean // each sample a line of its own
}

// add adds a sample with a target; network is the network's cross-entropy.
func (t *candidateTally) add(c *candidateSample, network float64) {
	prior := crossEntropy(c.logits(func(i int) float64 { return math.Log(c.prior[i]) }), c.weight)
	values := crossEntropy(c.logits(func(i int) float64 { return t.beta * c.value[i] }), c.weight)
	number := int64(t.overPrior.n)
	t.overPrior.add(number, prior-network)
	t.overValues.add(number, values-network)
	t.network, t.prior, t.values = t.network+network, t.prior+prior, t.values+values
	t.uniform += math.Log(float64(len(c.prior)))
	for _, w := range c.weight {
		if w > 0 {
			t.floor -= w * math.Log(w)
		}
	}
}

// Candidates compares a network among candidates with what is simpler; nil for another one, or without samples.
func (a *Accumulator) Candidates() *CandidateReport {
	t := &a.candidates
	n := t.overPrior.n
	if n == 0 {
		return nil
	}
	baseline := func(sum float64, over *lineMean) Baseline {
		more := over.estimate()
		return Baseline{CE: sum / n, More: more.Mean, MoreInterval: more.Interval}
	}
	r := &CandidateReport{Samples: int64(n), Network: t.network / n, Prior: baseline(t.prior, &t.overPrior),
		Uniform: t.uniform / n, Floor: t.floor / n, Fitted: t.fitted}
	if t.fitted > 0 {
		values := baseline(t.values, &t.overValues)
		r.Values, r.Temperature = &values, 1/max(t.beta, 1e-9)
	}
	return r
}
