package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
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

// Player plays one game at a time. It belongs to one goroutine.
type Player interface {
	// NewGame makes the player ready for another game, with nothing of earlier ones left. All that the player leaves to
	// chance is decided by the seed. An error says that it cannot play: the match ends.
	NewGame(ctx context.Context, seed uint64) error
	// Move returns what the player plays in a position that has legal moves, with a Time of 0 unless the player
	// measures that better than its caller can. A *[Fault] loses the game; every other error ends the match. Where ctx
	// ends, so does Move, soon and with its error.
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
