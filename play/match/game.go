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
	Scored bool
	Depth  int
	Nodes  int64
	Time   time.Duration // whole microseconds
	// Illegal: a network without a search favoured an illegal move, and this one was played in its place.
	Illegal bool
}

// FaultNote names the player that lost a game by a fault.
type FaultNote struct {
	Kind   FaultKind `json:"kind"`
	Player int       `json:"player"` // the colour
	Text   string    `json:"text"`
}
