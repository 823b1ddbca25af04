package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"talbot/board"
)

// Player plays one game at a time. It belongs to one goroutine.
type Player interface {
	// NewGame makes the player ready for another game, with nothing of earlier ones left. All that the player leaves to
	// chance is decided by the seed. An error says that it cannot play: the match ends.
	NewGame(ctx context.Context, seed uint64) error
	// Move returns what the player plays in a position that has legal moves, with a Time of 0 unless the player measures
	// that better than its caller can. A *[Fault] loses the game; every other error ends the match. Where ctx ends, so
	// does Move, soon and with its error.
	Move(ctx context.Context, r *MoveRequest) (Ply, error)
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

// Random is a player that draws each legal move with the same chance. The zero value is ready.
type Random struct {
	rng   *rand.Rand
	legal []board.Move
}

// NewGame seeds the player.
func (p *Random) NewGame(_ context.Context, seed uint64) error {
	p.rng = rand.New(rand.NewPCG(seed, 0))
	return nil
}

// Move draws a move.
func (p *Random) Move(_ context.Context, r *MoveRequest) (Ply, error) {
	p.legal = r.Game.Position().LegalMoves(p.legal[:0])
	return Ply{Move: p.legal[p.rng.IntN(len(p.legal))]}, nil
}

// Close does nothing.
func (p *Random) Close() error { return nil }
