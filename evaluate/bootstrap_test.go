package evaluate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"talbot/board"
	"talbot/network/predict"
)

// tallied is the tally of a sample of two legal moves, of which the network finds the first with probability p, and of
// a value that is wrong by e.
func tallied(t *testing.T, p, e float64) tally {
	t.Helper()
	s := Sample{Legal: make([]board.Move, 2), Codes: []int32{0, 1}, Policy: []Target{{0, 1}}, Floats: []float32{0}}
	if e < 0 {
		s.Floats = nil
	}
	a := accumulator(nil)
	q, err := a.score(&s, &predict.Output{Prior: []float32{float32(math.Log(p)), float32(math.Log(1 - p))},
		Value: float32(e)})
	if err != nil {
		t.Fatal(err)
	}
	sums := newTally()
	sums.score(&q, a.capabilities)
	return sums
}

// The interval of a mean is that of the normal approximation: of samples where they are independent, of lines where the
// samples of a line are all alike.
func TestIntervals(t *testing.T) {
	for _, alike := range []int{1, 5} {
		r := rand.New(rand.NewPCG(1, 2))
		var b bootstrap
		const lines = 2000
		hits := 0.0
		for line := range int64(lines) {
			p := 0.25
			if r.Float64() < 0.3 {
				p = 0.75
				hits++
			}
			one := tallied(t, p, -1)
			for range alike {
				b.add(line, part{}, one)
			}
		}
		share := hits / lines
		half := 1.96 * math.Sqrt(share*(1-share)/lines)
		got := b.intervals(func(part) bool { return true })
		i := got["top1"]
		if math.Abs(i[0]-(share-half)) > 0.15*half || math.Abs(i[1]-(share+half)) > 0.15*half {
			t.Errorf("%d alike: %v, want %g and %g", alike, i, share-half, share+half)
		}
		if _, ok := got["value_mse"]; ok {
			t.Error("an interval of a figure over no samples")
		}
		if _, ok := got["policy_ce_uniform"]; ok {
			t.Error("an interval of a baseline")
		}
	}
}

// The intervals of a part, and of several parts together, are those of a bootstrap that was given nothing else.
func TestIntervalsOfParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	parts := []part{{"endgame", false}, {"endgame", true}, {"game", false}, {"game", true}}
	var every, unseen bootstrap
	alone := map[part]*bootstrap{}
	for line := range int64(400) {
		source := line % 2 * 2
		for range 1 + r.IntN(6) {
			p := parts[source+r.Int64N(2)]
			one := tallied(t, 0.1+0.8*r.Float64(), r.Float64())
			every.add(line, p, one)
			in(alone, p, func() *bootstrap { return new(bootstrap) }).add(line, p, one)
			if p.unseen {
				unseen.add(line, part{}, one)
			}
		}
	}
	any := func(part) bool { return true }
	equal := func(what string, got, want map[string][2]float64) {
		t.Helper()
		for _, name := range []string{"policy_ce_legal", "value_mse", "value_mae"} {
			g, ok := got[name]
			if w := want[name]; !ok || math.Abs(g[0]-w[0]) > 1e-12 || math.Abs(g[1]-w[1]) > 1e-12 || g[0] >= g[1] {
				t.Errorf("%s, %s: %v, want %v", what, name, g, w)
			}
		}
	}
	for _, p := range parts {
		equal(p.source, every.intervals(func(q part) bool { return q == p }), alone[p].intervals(any))
	}
	equal("unseen", every.intervals(func(p part) bool { return p.unseen }), unseen.intervals(any))
}

// Of a share that is 0 or 1 on all of a few lines the interval has a width: 0 of 12 is not worse than one in ten.
func TestIntervalOfNone(t *testing.T) {
	samples := wandered(t, 12)
	for i := range samples {
		highest := slices.Index(samples[i].Codes, slices.Max(samples[i].Codes))
		samples[i].Policy = []Target{{highest, 1}}
	}
	r := reportOf(t, samples, Options{Layout: layout}) // whose first choice is the move of the lowest code
	i, ok := r.Intervals["top1"]
	if want := Wilson(0, 12); r.Figures["top1"] != 0 || !ok || i != *want || i[1] < 0.2 {
		t.Errorf("%v of %g, want %v", i, r.Figures["top1"], *want)
	}
}
