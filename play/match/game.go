package match

import (
	"time"

	"talbot/board"
	"talbot/dataset"
)

// Opening is the start of a game: a position, and moves played from it, so that players see a real past.
type Opening struct {
	Start board.Position
	Moves []board.Move
}

// Game is a game that was played.
type Game struct {
	Start  board.Position
	Book   int   // leading plies that are the opening's
	Plies  []Ply // legal moves from Start, the opening's first
	Result dataset.Result
	End    End
	Fault  *FaultNote // nil: none
	Time   time.Duration
}

// Ply is a move with the player's score of the position before it.
type Ply struct {
	Move   board.Move
	Score  dataset.Score // from the player's view
	Scored bool          // there is a score
	Depth  int           // 0: not known
	Nodes  int64         // 0: not known
	Time   time.Duration // whole microseconds in a [Game]
	// Illegal: a network without a search favoured an illegal move, and this one was played in its place.
	Illegal bool
}

// FaultNote names the player that lost a game by a fault.
type FaultNote struct {
	Kind   FaultKind `json:"kind"`
	Player int       `json:"player"` // the colour
	Text   string    `json:"text"`
}

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
