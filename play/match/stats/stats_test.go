package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"talbot/internal/testkit"
)

// vector is a row of testdata/vectors.json, which testdata/oracle.py writes.
type vector struct {
	Counts               []int64
	Low, High            float64
	Elo                  [3]*float64 // nil: infinite
	Nelo                 [3]float64
	LOS                  float64
	Logistic, Normalized float64
}

func (v vector) outcomes() Outcomes {
	if len(v.Counts) == 5 {
		return Pentanomial(v.Counts).Outcomes()
	}
	return Trinomial(v.Counts).Outcomes()
}

func near(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*max(1, math.Abs(b)*1e-4)
}

// TestVectors compares all figures with those of an independent computation.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/vectors.json")
	testkit.OK(t, err)
	var vectors []vector
	testkit.OK(t, json.Unmarshal(text, &vectors))
	if len(vectors) < 100 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	for _, v := range vectors {
		o := v.outcomes()
		check := func(what string, got, want float64) {
			if !near(got, want, 1e-5) {
				t.Errorf("%v, %g to %g: %s is %.8f, should be %.8f", v.Counts, v.Low, v.High, what, got, want)
			}
		}
		e, n := o.Elo(), o.Normalized()
		for i, got := range []float64{e.Elo, e.Low, e.High} {
			if want := v.Elo[i]; want != nil {
				check("Elo", got, *want)
			} else if !math.IsInf(got, 0) {
				t.Errorf("%v: Elo is %g, should be infinite", v.Counts, got)
			}
		}
		for i, got := range []float64{n.Elo, n.Low, n.High} {
			check("normalized Elo", got, v.Nelo[i])
		}
		check("LOS", o.LOS(), v.LOS)
		test := SPRT{Low: v.Low, High: v.High, Alpha: 0.05, Beta: 0.05}
		check("normalized ratio", test.LLR(o), v.Normalized)
		test.Model = LogisticModel
		check("logistic ratio", test.LLR(o), v.Logistic)
	}
}

// reversed is the results from the other player's view.
func reversed(p Pentanomial) Pentanomial { return Pentanomial{p[4], p[3], p[2], p[1], p[0]} }

func randomPairs(r *rand.Rand) Pentanomial {
	var p Pentanomial
	for i := range p {
		p[i] = r.Int64N(1 << r.IntN(14))
	}
	return p
}

// TestMirror: every figure changes its sign with the view, and LOS adds up to 1.
func TestMirror(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := randomPairs(r)
		a, b := p.Outcomes(), reversed(p).Outcomes()
		if a.Trials() == 0 {
			continue
		}
		if e, f := a.Elo(), b.Elo(); !near(e.Elo, -f.Elo, 1e-9) || !near(e.Low, -f.High, 1e-9) {
			t.Errorf("%v: Elo %v and %v", p, e, f)
		}
		if e, f := a.Normalized(), b.Normalized(); !math.IsNaN(e.Elo) && !near(e.Elo, -f.Elo, 1e-9) {
			t.Errorf("%v: normalized Elo %v and %v", p, e, f)
		}
		if !near(a.LOS()+b.LOS(), 1, 1e-12) {
			t.Errorf("%v: LOS %v and %v", p, a.LOS(), b.LOS())
		}
		for m := NormalizedModel; m <= LogisticModel; m++ {
			x := SPRT{Model: m, Low: -2, High: 7, Alpha: .05, Beta: .05}.LLR(a)
			y := SPRT{Model: m, Low: -7, High: 2, Alpha: .05, Beta: .05}.LLR(b)
			if !near(x, -y, 1e-5) {
				t.Errorf("%v: %v ratio %v and %v", p, m, x, y)
			}
		}
	}
}

// TestPairsOfSingles: independent games are worth the same counted alone and in pairs, but for chance.
func TestPairsOfSingles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var pairs Pentanomial
	var games Trinomial
	for range 200_000 {
		points := 0
		for range 2 {
			k := min(2, r.IntN(4)) // wins half of the games
			games[k]++
			points += k
		}
		pairs[points]++
	}
	a, b := pairs.Outcomes().Elo(), games.Outcomes().Elo()
	if !near(a.Elo, b.Elo, 1e-9) || math.Abs(a.High-b.High) > 0.05 {
		t.Errorf("Elo of pairs %v, of games %v", a, b)
	}
	c, d := pairs.Outcomes().Normalized(), games.Outcomes().Normalized()
	if math.Abs(c.Elo-d.Elo) > 2 {
		t.Errorf("normalized Elo of pairs %v, of games %v", c, d)
	}
}

// TestWithoutResults: nothing is known, and nothing fails.
func TestWithoutResults(t *testing.T) {
	for _, o := range []Outcomes{Pentanomial{}.Outcomes(), Trinomial{}.Outcomes()} {
		if e := o.Elo(); !math.IsNaN(e.Elo) || !math.IsNaN(o.LOS()) || !math.IsNaN(o.Normalized().Elo) {
			t.Errorf("Elo %v, LOS %v", e, o.LOS())
		}
		if llr := (SPRT{High: 5, Alpha: .05, Beta: .05}).LLR(o); llr != 0 {
			t.Errorf("ratio %v", llr)
		}
	}
	won, even := Pentanomial{4: 10}.Outcomes(), Pentanomial{2: 10}.Outcomes()
	if e := won.Elo(); !math.IsInf(e.Elo, 1) || !math.IsInf(e.Low, -1) || won.LOS() != 1-1.0/2048 { // of ten pairs
		t.Errorf("all won: Elo %v, LOS %v", e, won.LOS())
	}
	if e := even.Elo(); e.Elo != 0 || !math.IsInf(e.High, 1) || even.LOS() != 0.5 {
		t.Errorf("all even: Elo %v, LOS %v", e, even.LOS())
	}
}

// TestErrorRates: a test between two hypotheses errs no more often than it says, within what chance allows.
func TestErrorRates(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, model := range []Model{NormalizedModel, LogisticModel} {
		test := SPRT{Model: model, Low: 0, High: 60, Alpha: 0.1, Beta: 0.1}
		wrong, tests := 0, 300
		for range tests {
			var p Pentanomial
			decision := Undecided
			for decision == Undecided && p.Pairs() < 5000 { // the players are equal
				points := 0
				for range 2 {
					points += []int{0, 0, 0, 1, 1, 2, 2, 2}[r.IntN(8)]
				}
				if p[points]++; p.Pairs() > 5 {
					decision = test.Decide(test.LLR(p.Outcomes()))
				}
			}
			if decision == AcceptHigh {
				wrong++
			}
		}
		// 10 % of 300 with four standard deviations
		if wrong > 30+21 {
			t.Errorf("%v: %d of %d tests accept a difference that is not there", model, wrong, tests)
		}
		if wrong == 0 {
			t.Errorf("%v: no test of %d errs: the bounds are not used", model, tests)
		}
	}
}

// TestWidestBounds: the ratio of the widest bounds is a number whatever the results are.
func TestWidestBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var p Pentanomial
		for range 1 + random.IntN(3) { // few kinds of pairs, up to a great many
			p[random.IntN(len(p))] = 1 + random.Int64N(1<<random.IntN(20))
		}
		for m := NormalizedModel; m <= LogisticModel; m++ {
			s := SPRT{Model: m, Low: -m.widest(), High: m.widest(), Alpha: .05, Beta: .05}
			testkit.OK(t, s.Check())
			if x := s.LLR(p.Outcomes()); math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%v, %v: %v", p, m, x)
			}
		}
	}
}

func TestSPRTCheck(t *testing.T) {
	good := SPRT{Low: 0, High: 5, Alpha: 0.05, Beta: 0.1}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	low, high := good.Bounds()
	if !near(low, math.Log(0.1/0.95), 1e-12) || !near(high, math.Log(0.9/0.05), 1e-12) {
		t.Errorf("bounds %v and %v", low, high)
	}
	for _, bad := range []SPRT{{Low: 5, High: 5, Alpha: .05, Beta: .05}, {High: 5, Beta: .05},
		{High: 5, Alpha: .5, Beta: .5},
		{High: math.NaN(), Alpha: .05, Beta: .05}, {High: 5, Alpha: .05, Beta: .05, Model: 9},
		{High: math.Inf(1), Alpha: .05, Beta: .05}, {High: 201, Alpha: .05, Beta: .05},
		{Low: -201, Alpha: .05, Beta: .05}, {High: 1001, Alpha: .05, Beta: .05, Model: LogisticModel}} {
		if bad.Check() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	if _, err := ParseModel("bayesian"); err == nil {
		t.Error("bayesian is taken")
	}
}
