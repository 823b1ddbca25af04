package match

import (
	"talbot/board"
	"talbot/dataset"
)

// End says why a game ended.
type End string

// The ends of games. Those of faults have the fault's name (see [FaultKind]).
const (
	Checkmate  End = "checkmate"
	Stalemate  End = "stalemate"
	Dead       End = "dead position"
	Threefold  End = "threefold repetition"
	FiftyMoves End = "50 moves"
	ByTables   End = "endgame tables"
	ByLength   End = "maximum length"
	ByJudge    End = "judge"
	ByResign   End = "resign rule"
	ByDraw     End = "draw rule"
)

// Adjudicated reports whether the game ended by a rule of the match, not of chess.
func (e End) Adjudicated() bool {
	return e == ByTables || e == ByLength || e == ByJudge || e == ByResign || e == ByDraw
}

// Over reports whether the game is over by the rules of chess, and how: mate before 50 moves, and both draws as they
// stand, without a claim.
func Over(g *board.Game) (End, bool) {
	p := g.Position()
	switch {
	case !p.HasLegalMove() && p.InCheck():
		return Checkmate, true
	case !p.HasLegalMove():
		return Stalemate, true
	case p.IsDead():
		return Dead, true
	case p.HalfmoveClock() >= 100:
		return FiftyMoves, true
	case p.HalfmoveClock() >= 8 && g.Repetitions() >= 2:
		return Threefold, true
	}
	return "", false
}

// Result is the result of a game that the rules ended, turn being the side to move.
func (e End) Result(turn board.Color) dataset.Result {
	if e == Checkmate {
		return Winner(turn, false)
	}
	return dataset.Draw
}

// Winner is the result where the colour wins, or loses.
func Winner(c board.Color, wins bool) dataset.Result {
	if (c == board.White) == wins {
		return dataset.WhiteWins
	}
	return dataset.BlackWins
}
