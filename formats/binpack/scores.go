package binpack

import (
	"talbot/board"
	"talbot/dataset"
)

// RawScore returns a score in Stockfish's own unit, 208 a pawn: mate in n plies is ±(32000 − n), n at most 246, and
// centipawns end below that.
func RawScore(s dataset.Score) int16 {
	if n, ok := s.Mate(); ok {
		if n > 0 {
			return int16(mateScore - min(2*n-1, mateScore-leastMate))
		}
		return int16(-mateScore + min(-2*n, mateScore-leastMate))
	}
	cp, _ := s.Centipawns()
	if cp < 0 {
		return -RawScore(-s)
	}
	return int16(min((cp*pawn+50)/100, leastMate-1))
}

// NewChain returns the chain of a line's start, moves and result, none of which has a score yet. The result must be
// known.
func NewChain(start board.Position, moves []board.Move, result dataset.Result) Chain {
	c := Chain{Start: start, Moves: moves, Scores: make([]int16, len(moves)), passed: board.NoSquare,
		Ply: min(2*(start.FullmoveNumber()-1)+int(start.Turn()), MaxPly)}
	for i := range c.Scores {
		c.Scores[i] = NoScore
	}
	if result == dataset.WhiteWins {
		c.Result = 1
	} else if result == dataset.BlackWins {
		c.Result = -1
	}
	if start.Turn() == board.Black {
		c.Result = -c.Result
	}
	return c
}
