package encode

import "math"

// Inverter is what an [Encoder] has too if its formula for values can be turned round.
type Inverter interface {
	// Centipawns returns the score that a value stands for.
	Centipawns(value float32) float64
}

// Centipawns returns the inverse of [TalbotBot.Value]: 350·atanh(value) in ±1500.
func (TalbotBot) Centipawns(value float32) float64 {
	return max(-1500, min(1500, 350*math.Atanh(max(-1, min(1, float64(value))))))
}

// Centipawns returns 1000·value, the inverse of [Napoleon.Value].
func (Napoleon) Centipawns(value float32) float64 { return 1000 * float64(value) }

// WinProbability returns what turns values of this target into probabilities of winning in [0, 1], so that values of
// two targets or recipes can be compared; nil if it is not known.
//
//	wdl, winprob  (value + 1)/2, the expected score itself
//	others        the centipawns of the value by the inverse of its formula, then 1/(1+exp(-0.00368208·cp)) with cp
//	              clipped to ±1000, as [WinProbValue] has it
func (t ValueTarget) WinProbability(e Valuer) func(value float32) float64 {
	inverter, ok := e.(Inverter)
	switch t {
	case WDLValue, WinProbValue:
		return func(value float32) float64 { return (float64(value) + 1) / 2 }
	case TanhValue:
		inverter, ok = TalbotBot{}, true
	}
	if !ok {
		return nil
	}
	return func(value float32) float64 { return winProbability(inverter.Centipawns(value)) }
}

// winProbability is Lichess's, of clipped centipawns.
func winProbability(cp float64) float64 {
	return 1 / (1 + math.Exp(-0.00368208*max(-1000, min(1000, cp))))
}
