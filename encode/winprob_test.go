package encode

import (
	"math"
	"testing"

	"talbot/dataset"
)

// Values go back to the centipawns they are of, up to float32's steps near ±1, and mates to the most there are.
func TestCentipawnsOfValues(t *testing.T) {
	for _, e := range []Encoder{TalbotBot{}, Lynx{}, Lynx{Nearness: true}, Leela{Input: 1}} {
		inverse, most := e.(Inverter).Centipawns, 1500
		if (e == Leela{Input: 1}) { // near ±1 float32 has too few steps for chances alone
			most = 400
		}
		for cp := -most; cp <= most; cp++ {
			v, ok := e.Value(dataset.Centipawns(cp))
			if got := inverse(v); !ok || math.Abs(got-float64(cp)) > 0.1 {
				t.Errorf("%+v: %d comes back as %g", e, cp, got)
			}
		}
		for _, v := range []float32{1, 0.9998, 1.5} {
			if v < 1 && most < 1500 {
				continue
			}
			if up, down := inverse(v), inverse(-v); up < 1500-1e-6 || up > 1500 || down != -up {
				t.Errorf("%+v: %g is worth %g, and turned round %g", e, v, up, down)
			}
		}
	}
}

// A position has the same win probability by each recipe and target whose values come from centipawns.
func TestWinProbability(t *testing.T) {
	for cp := -1000; cp <= 1000; cp += 50 {
		mine, ok := RecipeValue.of(Napoleon{}, &dataset.Searched{Score: dataset.Centipawns(cp)})
		theirs, _ := RecipeValue.of(TalbotBot{}, &dataset.Searched{Score: dataset.Centipawns(cp)})
		a, b := RecipeValue.WinProbability(Napoleon{})(mine), RecipeValue.WinProbability(TalbotBot{})(theirs)
		if !ok || math.Abs(a-b) > 1e-5 {
			t.Errorf("%d: %g for napoleon, %g for talbotbot", cp, a, b)
		}
	}
	for cp := -1200; cp <= 1200; cp += 50 {
		want := 0.5 + 0.5*(2/(1+math.Exp(-0.00368208*float64(max(-1000, min(1000, cp)))))-1)
		label := dataset.Searched{Score: dataset.Centipawns(cp)}
		for _, target := range []ValueTarget{RecipeValue, TanhValue, WinProbValue} {
			v, ok := target.of(TalbotBot{}, &label)
			if got := target.WinProbability(TalbotBot{})(v); !ok || math.Abs(got-want) > 1e-5 {
				t.Errorf("%v, %d: %g, want %g", target, cp, got, want)
			}
		}
	}
	if got := WDLValue.WinProbability(nil)(0.5); got != 0.75 {
		t.Errorf("an expected score of 0.5 is %g", got)
	}
	if RecipeValue.WinProbability(onlyForward{}) != nil || TanhValue.WinProbability(onlyForward{}) == nil {
		t.Error("a formula that cannot be turned round")
	}
}

// onlyForward is a formula without an inverse.
type onlyForward struct{}

func (onlyForward) Value(dataset.Score) (float32, bool) { return 0, false }
func (onlyForward) ValueFormula() string                { return "none" }

// TestCentipawns: targets that come from centipawns give them back, and expected scores give what Lichess's players
// score as much with; there is no score without a bound.
func TestCentipawns(t *testing.T) {
	for cp := -1000; cp <= 1000; cp += 10 {
		label := dataset.Searched{Score: dataset.Centipawns(cp)}
		for _, c := range []struct {
			target ValueTarget
			e      Valuer
		}{{RecipeValue, TalbotBot{}}, {RecipeValue, Napoleon{}}, {TanhValue, Napoleon{}}, {WinProbValue, Napoleon{}},
			{TanhValue, onlyForward{}}} {
			v, ok := c.target.of(c.e, &label)
			if got := c.target.Centipawns(c.e)(v); !ok || math.Abs(got-float64(cp)) > 0.1 {
				t.Errorf("%v of %T: %d comes back as %g", c.target, c.e, cp, got)
			}
		}
	}
	for value, want := range map[float32]float64{0: 0, 0.5: 298.37, -0.5: -298.37, 1: 1500, -1: -1500, 2: 1500} {
		for target, e := range map[ValueTarget]Valuer{RecipeValue: onlyForward{}, WDLValue: TalbotBot{}} {
			if got := target.Centipawns(e)(value); math.Abs(got-want) > 0.01 {
				t.Errorf("an expected score of %g is worth %g, want %g", value, got, want)
			}
		}
	}
	if got := RecipeValue.Centipawns(Napoleon{})(1); got != 1000 {
		t.Errorf("napoleon's 1 is worth %g", got)
	}
}
