package encode

import "math"

// Inverter is a [Valuer] whose formula can be turned round. Without it a value is shown as the centipawns at which
// Lichess's players score as much, and there are no win probabilities.
type Inverter interface {
	// Centipawns returns the score that a value stands for.
	Centipawns(value float32) float64
}

// WinProbability returns what turns values of this target into probabilities of winning in [0, 1], so that values of
// two targets or recipes can be compared; nil if it is not known.
//
//	wdl, winprob, result  (value + 1)/2, the expected score itself
//	others                the centipawns of the value by the inverse of its formula, then 1/(1+exp(-0.00368208·cp))
//	                      with cp clipped to ±1000, as [WinProbValue] has it
func (t ValueTarget) WinProbability(e Valuer) func(value float32) float64 {
	if t.rule == wdlRule || t.rule == winProbRule || t.rule == resultRule {
		return func(value float32) float64 { return (float64(value) + 1) / 2 }
	}
	centipawns := t.inverse(e)
	if centipawns == nil {
		return nil
	}
	return func(value float32) float64 { return winProbability(centipawns(value)) }
}

// inverse returns the inverse of the target's formula; nil if it has none.
func (t ValueTarget) inverse(e Valuer) func(value float32) float64 {
	inverter, ok := e.(Inverter)
	switch {
	case t == TanhValue:
		return TalbotBot{}.Centipawns
	case t == RecipeValue && ok:
		return inverter.Centipawns
	}
	return nil
}

// mostCentipawns is the greatest score that values are turned into.
const mostCentipawns = 1500

// Centipawns returns what turns values of this target into centipawns from the same view, in ±1500. It is the inverse
// of the target's formula. Values that are expected scores, as those of wdl, winprob, result and of recipes that learn
// results, are turned into the centipawns at which Lichess's players score as much: ln((1+v)/(1-v))/0.00368208.
func (t ValueTarget) Centipawns(e Valuer) func(value float32) float64 {
	inverse := t.inverse(e)
	if inverse == nil {
		inverse = func(value float32) float64 {
			v := max(-1, min(1, float64(value)))
			return math.Log((1+v)/(1-v)) / winSlope
		}
	}
	return func(value float32) float64 { return max(-mostCentipawns, min(mostCentipawns, inverse(value))) }
}

// winSlope is Lichess's, for each centipawn.
const winSlope = 0.00368208

// WinProbability returns 1/(1+exp(-0.00368208·cp)), in [0, 1]: the fit of Lichess to games of its players
// (lichess.org/page/accuracy).
func WinProbability(cp float64) float64 { return 1 / (1 + math.Exp(-winSlope*cp)) }

// winProbability is that of clipped centipawns.
func winProbability(cp float64) float64 { return WinProbability(max(-1000, min(1000, cp))) }
