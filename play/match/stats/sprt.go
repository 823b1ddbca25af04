package stats

import (
	"errors"
	"fmt"
	"math"
)

// Model says what the bounds of an [SPRT] are.
type Model uint8

// The models.
const (
	NormalizedModel Model = iota // normalized Elo
	LogisticModel                // Elo
)

// ParseModel reads "normalized" or "logistic".
func ParseModel(s string) (Model, error) {
	for m := NormalizedModel; m <= LogisticModel; m++ {
		if s == m.String() {
			return m, nil
		}
	}
	return 0, fmt.Errorf("unknown model %q of a sequential test (normalized or logistic)", s)
}

// String returns the name.
func (m Model) String() string {
	if m == LogisticModel {
		return "logistic"
	}
	return "normalized"
}

// SPRT is a sequential probability ratio test: a match that continues until the results show which of two differences
// in strength they fit better. Source: Abraham Wald, “Sequential tests of statistical hypotheses” (1945), for the
// bounds.
type SPRT struct {
	Model     Model
	Low, High float64 // the two hypotheses, in Elo of the model; Low < High
	Alpha     float64 // the chance to accept High where Low is true
	Beta      float64 // the chance to accept Low where High is true
}

// widest is the largest bound of a test. No test needs more, and far beyond it [SPRT.LLR] does not converge.
func (m Model) widest() float64 {
	if m == LogisticModel {
		return 1000
	}
	return 200
}

// Check reports a test that cannot be made.
func (t SPRT) Check() error {
	switch {
	case !(t.Low < t.High) || math.IsInf(t.Low, 0) || math.IsInf(t.High, 0):
		return fmt.Errorf("the bounds of a sequential test must ascend: %g, %g", t.Low, t.High)
	case max(-t.Low, t.High) > t.Model.widest():
		return fmt.Errorf("the bounds of a sequential test must be within ±%g %s Elo: %g, %g", t.Model.widest(),
			t.Model, t.Low, t.High)
	case !(t.Alpha > 0 && t.Alpha < 1) || !(t.Beta > 0 && t.Beta < 1) || t.Alpha+t.Beta >= 1:
		return fmt.Errorf("the errors %g and %g of a sequential test must be above 0 and below 1 together", t.Alpha,
			t.Beta)
	case t.Model > LogisticModel:
		return errors.New("unknown model of a sequential test")
	}
	return nil
}

// Bounds returns the log-likelihood ratios at which the lower and the higher hypothesis are accepted.
func (t SPRT) Bounds() (low, high float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// Decision is the state of a test.
type Decision string

// The decisions.
const (
	AcceptLow  Decision = "rejected" // the lower hypothesis is accepted
	Undecided  Decision = "undecided"
	AcceptHigh Decision = "accepted" // the higher one is
)

// Decide compares a ratio with the bounds.
func (t SPRT) Decide(llr float64) Decision {
	switch low, high := t.Bounds(); {
	case llr <= low:
		return AcceptLow
	case llr >= high:
		return AcceptHigh
	}
	return Undecided
}

// rare stands for a count of 0, which has no logarithm. It is what fishtest, OpenBench and fastchess use.
const rare = 1e-3

// LLR returns the generalized log-likelihood ratio of the two hypotheses: how much more likely the results are under
// the distribution nearest to them that has the higher strength than under the nearest that has the lower one. A count
// of 0 is taken as 1/1000. Without results it is 0.
//
// Sources, both by Michel Van den Bergh: “Comparing the approximations for the generalized log likelihood ratio of a
// multinomial distribution” for logistic Elo, “Comments on normalized Elo” (section 4.1) for normalized Elo.
func (t SPRT) LLR(o Outcomes) float64 {
	if o.Trials() == 0 {
		return 0
	}
	n, counts := 0.0, make([]float64, len(o.Counts))
	for i, c := range o.Counts {
		counts[i] = max(rare, float64(c))
		n += counts[i]
	}
	seen := distribution{scores: o.Scores, shares: counts}
	for i := range counts {
		counts[i] /= n
	}
	var low, high []float64
	if t.Model == LogisticModel {
		low, high = seen.withMean(ScoreOf(t.Low)), seen.withMean(ScoreOf(t.High))
	} else {
		sigmas := math.Sqrt(float64(o.Games)) / eloScale
		low, high = seen.withDistance(t.Low*sigmas), seen.withDistance(t.High*sigmas)
	}
	llr := 0.0
	for i, share := range seen.shares {
		llr += share * math.Log(high[i]/low[i])
	}
	return n * llr
}

// distribution is one of scores; no share is 0.
type distribution struct{ scores, shares []float64 }

// withMean returns the shares of the most likely distribution with that mean: each share divided by 1 + θ·(score −
// mean), with the θ at which the mean is right.
func (d distribution) withMean(mean float64) []float64 {
	return d.tilted(func(i int) float64 { return d.scores[i] - mean })
}

// The iteration of withDistance ends when no share changes by more than settled, or after rounds.
const (
	settled = 1e-9
	rounds  = 10
)

// withDistance returns the shares of the most likely distribution whose mean is a given number of its standard
// deviations above one half. The condition is not linear in the shares; it is made so about the last estimate, first
// about equal shares.
func (d distribution) withDistance(t float64) []float64 {
	shares := make([]float64, len(d.shares))
	for i := range shares {
		shares[i] = 1 / float64(len(shares))
	}
	for range rounds {
		mean, variance := 0.0, 0.0
		for i, s := range d.scores {
			mean += s * shares[i]
		}
		for i, s := range d.scores {
			variance += shares[i] * (s - mean) * (s - mean)
		}
		sigma := math.Sqrt(variance)
		next := d.tilted(func(i int) float64 {
			z := (d.scores[i] - mean) / sigma
			return d.scores[i] - 0.5 - 0.5*t*sigma*(1+z*z)
		})
		change := 0.0
		for i := range next {
			change = max(change, math.Abs(next[i]-shares[i]))
		}
		if shares = next; change < settled {
			break
		}
	}
	return shares
}

// tilted returns the shares divided by 1 + θ·phi, with the θ at which the mean of phi is 0: the most likely
// distribution of which that is so. phi must have both signs.
func (d distribution) tilted(phi func(i int) float64) []float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range d.shares {
		least, most = min(least, phi(i)), max(most, phi(i))
	}
	// The mean falls from +∞ to −∞ between these; bisection ends when two neighbouring numbers are left.
	low, high := -1/most, -1/least
	for {
		theta := low + (high-low)/2
		if theta <= low || theta >= high {
			break
		}
		mean := 0.0
		for i, share := range d.shares {
			mean += share * phi(i) / (1 + theta*phi(i))
		}
		if mean > 0 {
			low = theta
		} else {
			high = theta
		}
	}
	theta := low + (high-low)/2
	shares := make([]float64, len(d.shares))
	for i, share := range d.shares {
		shares[i] = share / (1 + theta*phi(i))
	}
	return shares
}
