package encode

import (
	"math"

	"talbot/board"
	"talbot/dataset"
)

// Target is one entry of a policy target: a move index and its weight.
type Target struct {
	Index  uint16
	Weight float32
}

// Policy appends the policy target of w's present sample to dst: weights above 0 that sum to 1. It appends nothing if
// the sample has no policy target.
//
// The line's own policies win where it has any (an empty list is a sample without policy target). Else the target is,
// for games and puzzles, the move played at the ply, and where none was played (endgames, positions of tables and
// tactics that only name moves to avoid) the best move of the label.
//
// Where an engine searched, that is its bestmove. It is the first move of the stored principal variation but for about
// one label in fifty, where the search ended in an iteration whose score was only a bound: the engine had changed its
// mind, and score and variation are those of the last exact score.
func Policy(dst []Target, e Encoder, w *Walker, label dataset.Label) []Target {
	line, p := w.Line(), w.Position()
	if line.Policies != nil {
		if i := w.Sample(); i >= 0 && i < len(line.Policies) {
			return policyList(dst, e, p, line.Policies[i])
		}
		return dst
	}
	m := board.NoMove
	if ply := w.Ply(); ply < len(line.Moves) && line.Source != dataset.SourceEndgame {
		m = line.Moves[ply]
	} else if label.Status == dataset.Labelled && line.Source != dataset.SourceGame {
		m = label.Best
	}
	if m == board.NoMove {
		return dst
	}
	if i := e.MoveIndex(p, m); i >= 0 {
		dst = append(dst, Target{uint16(i), 1})
	}
	return dst
}

// policyList appends a list of policy targets with its weights divided by their sum.
func policyList(dst []Target, e Encoder, p *board.Position, list []dataset.PolicyTarget) []Target {
	sum := 0.0
	for _, t := range list {
		sum += float64(t.Weight)
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return dst
	}
	for _, t := range list {
		if i := e.MoveIndex(p, t.Move); i >= 0 && t.Weight > 0 {
			dst = append(dst, Target{uint16(i), float32(float64(t.Weight) / sum)})
		}
	}
	return dst
}

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

func mateValue(n int) float64 { return 1 - 0.0003*(1-1/float64(n)) }
