package match

import (
	"context"
	"fmt"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
)

// Player plays one game at a time. It belongs to one goroutine.
type Player interface {
	// NewGame makes the player ready for another game, with nothing of earlier ones left. All that the player leaves to
	// chance is decided by the seed. An error says that it cannot play: the match ends.
	NewGame(ctx context.Context, seed uint64) error
	// Move says what the player plays in a position that has legal moves. A *[Fault] loses the game; every other error
	// ends the match. Where ctx ends, so does Move, soon and with its error.
	Move(ctx context.Context, r *MoveRequest) (ChosenMove, error)
	// Close ends the player.
	Close() error
}

// MoveRequest asks a player for a move.
type MoveRequest struct {
	Start board.Position // of the game
	Moves []board.Move   // legal, played from Start
	Game  *board.Game    // the same game; to be read alone
	Limits
	Clock *Clock // nil: the player has none
	// Patience limits an answer before the player is given up: longer than the time after which it loses.
	Patience time.Duration
}

// Clock has the times of the clocks. A side without clock has Left 0.
type Clock struct {
	Left      [2]time.Duration // by colour
	Increment [2]time.Duration
	MovesToGo int // to the next time control, 0: none
}

// ChosenMove is a player's move, with its score of the position before the move from its view.
type ChosenMove struct {
	Move   board.Move
	Score  dataset.Score
	Scored bool  // Score is there
	Depth  int   // 0: not known
	Nodes  int64 // 0: not known
	// Illegal says that a network chose this move without a search, and that its favourite of all moves was illegal.
	Illegal bool
	// Elapsed is the time that the move took, if the player measured it better than its caller can; else 0.
	Elapsed time.Duration
}

// FaultKind is a kind of fault of a player.
type FaultKind string

// The kinds of faults, each of which loses the game.
const (
	Crash    FaultKind = "crash"        // the engine ended, or closed its output
	Stall    FaultKind = "stall"        // no answer, where no time limit says when there must be one
	Overtime FaultKind = "time"         // the time limit was exceeded by more than the margin
	Illegal  FaultKind = "illegal_move" // a move that is illegal or no move at all
	Protocol FaultKind = "protocol"     // an answer that UCI does not allow
)

// FaultKinds lists all of them.
var FaultKinds = []FaultKind{Crash, Stall, Overtime, Illegal, Protocol}

// Words is the kind in words.
func (k FaultKind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }

// Fault is the error of a player that loses its game by what it did. After any but [Illegal] and [Overtime] the player
// must be restarted for the next game, which [Player.NewGame] does.
type Fault struct {
	Kind FaultKind
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: %v", f.Kind, f.Err) }

// Unwrap returns what happened.
func (f *Fault) Unwrap() error { return f.Err }
