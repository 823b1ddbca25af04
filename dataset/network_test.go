package dataset

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"talbot/board"
)

// TestQuantizedPrior: probabilities come back within a factor of e^(1/4096), in the same order, and the cross-entropy
// of a distribution with itself within 1/4096.
func TestQuantizedPrior(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	lowest := math.Exp(-31.99)
	for range 20000 {
		p := math.Exp(-31.99 * rng.Float64())
		q := QuantizePrior(math.Log(p))
		if r := q.Probability() / p; p >= lowest && math.Abs(math.Log(r)) > 1/4096.+1e-12 {
			t.Fatalf("%g comes back as %g", p, q.Probability())
		}
		if other := p * rng.Float64(); QuantizePrior(math.Log(other)) < q {
			t.Fatalf("%g and %g change their order", p, other)
		}
	}
	for range 1000 {
		n := 1 + rng.IntN(218)
		logits, sum := make([]float64, n), 0.0
		for i := range logits {
			logits[i] = 8 * rng.NormFloat64()
			sum += math.Exp(logits[i])
		}
		want, got, mass := 0.0, 0.0, 0.0
		for _, z := range logits {
			logP := z - math.Log(sum)
			want -= math.Exp(logP) * logP
			got -= math.Exp(logP) * QuantizePrior(logP).Log()
			mass += QuantizePrior(logP).Probability()
		}
		if math.Abs(got-want) > 1/4096. || math.Abs(mass-1) > 2.5e-4 {
			t.Fatalf("cross-entropy %g in place of %g, sum %g", got, want, mass)
		}
	}
	for logP, want := range map[float64]QuantizedPrior{0: 0, 1e-9: 0, math.Inf(-1): 65535, -100: 65535, -1: 2048} {
		if got := QuantizePrior(logP); got != want {
			t.Errorf("log %g gives %d, not %d", logP, got, want)
		}
	}
}

// TestQuantizedValue: values come back within half a step, the ends exactly, and a value's negative as its negative.
func TestQuantizedValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		v := 2*rng.Float64() - 1
		q := QuantizeValue(v)
		if math.Abs(q.Float()-v) > 0.5/32767+1e-15 || QuantizeValue(-v) != -q {
			t.Fatalf("%g comes back as %g", v, q.Float())
		}
	}
	for v, want := range map[float64]float64{1: 1, -1: -1, 0: 0, 7: 1, math.Inf(-1): -1} {
		if got := QuantizeValue(v).Float(); got != want {
			t.Errorf("%g comes back as %g", v, got)
		}
	}
}

// TestPredictionCheck: what a line cannot have been told is refused.
func TestPredictionCheck(t *testing.T) {
	e4, d4 := board.NewMove(12, 28), board.NewMove(11, 27)
	good := func() Line {
		return Line{Start: board.StartPosition(), Moves: []board.Move{e4}, Predictions: []PredictionColumn{
			{Network: 2, Predictions: []Prediction{{Status: Predicted, Value: 5,
				Moves: []PriorMove{{e4, 100}, {d4, 100}}}}}}}
	}
	l := good()
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(c *PredictionColumn){
		"illegal":                 func(c *PredictionColumn) { c.Predictions[0].Moves[1].Move = board.NewMove(11, 35) },
		"twice":                   func(c *PredictionColumn) { c.Predictions[0].Moves[1].Move = e4 },
		"not sorted":              func(c *PredictionColumn) { c.Predictions[0].Moves[1].Prior = 99 },
		"without being predicted": func(c *PredictionColumn) { c.Predictions[0].Status = GameOver },
		"unknown status":          func(c *PredictionColumn) { c.Predictions[0] = Prediction{Status: 3} },
		"value -32768":            func(c *PredictionColumn) { c.Predictions[0].Value = math.MinInt16 },
		"for 1 samples":           func(c *PredictionColumn) { c.Predictions = nil },
		"network -1 after":        func(c *PredictionColumn) { c.Network = -1 },
	} {
		l := good()
		spoil(&l.Predictions[0])
		if err := l.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	l = good()
	l.Predictions = append(l.Predictions, l.Predictions[0])
	if err := l.Check(); err == nil {
		t.Error("a network twice is no error")
	}
}
