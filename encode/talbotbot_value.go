package encode

import (
	"math"

	"talbot/dataset"
)

// Value returns the value target of a score, in float32 from the side to move's view:
//
//	centipawns  tanh(cp / 350), cp clipped to ±1500: at most 0.99962
//	mate in n   1 - 0.0003·(1 - 1/n), above 0.9997; being mated in n is the negative of it
//
// The value grows strictly over all centipawns in ±1500 and mates in up to 78, and any mate is worth more than any
// centipawns. Farther mates keep their order, but neighbours may share a number, because float32 has no more of them
// there: 140 for the mates in 1 … 2000. Mate in 0 (the side to move is mated) is -1 like being mated in 1.
func (TalbotBot) Value(s dataset.Score) (float32, bool) {
	if n, ok := s.Mate(); ok {
		switch {
		case n > 0:
			return float32(mateValue(n)), true
		case n < 0:
			return float32(-mateValue(-n)), true
		}
		return -1, true
	}
	cp, ok := s.Centipawns()
	if !ok {
		return 0, false
	}
	return float32(math.Tanh(float64(max(-1500, min(1500, cp))) / 350)), true
}

// ValueFormula returns the formula of [TalbotBot.Value].
func (e TalbotBot) ValueFormula() string { return TanhValue.Formula(e) }

// Centipawns returns the inverse of [TalbotBot.Value]: 350·atanh(value) in ±1500.
func (TalbotBot) Centipawns(value float32) float64 {
	return max(-1500, min(1500, 350*math.Atanh(max(-1, min(1, float64(value))))))
}

func mateValue(n int) float64 { return 1 - 0.0003*(1-1/float64(n)) }

// talbotBotValue gives a recipe the formula of talbotbot. Those that learn no values have it too: soft targets are made
// of it.
type talbotBotValue struct{}

func (talbotBotValue) Value(s dataset.Score) (float32, bool) { return TalbotBot{}.Value(s) }

func (talbotBotValue) ValueFormula() string { return TalbotBot{}.ValueFormula() }
