package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"talbot/board"
	"talbot/internal/splitmix"
)

// DefaultPatience limits a move of a player without a limit of time, after which it is given up.
const DefaultPatience = 2 * time.Minute

// judgePatience limits an answer of a judge.
const judgePatience = DefaultPatience

// grace is the time after its patience that a player is still waited for: an engine that is told to stop, or shows how
// it ended, takes a part of that.
const grace = 3 * time.Second

// Seats are the players of games and their supervisor.
type Seats struct {
	Players  [2]Player // by colour
	Limits   [2]Limits
	Margin   time.Duration // by which a limit of time may be exceeded
	Patience time.Duration // with a player without such a limit; 0: [DefaultPatience]
	Referee  *Referee      // a zero one ends no game early
}

// Play plays a game. The seed decides what players leave to chance. An error means that no result was reached: ctx
// ended, or somebody cannot play at all; of one of the players it is a [*PlayerError].
func (s *Seats) Play(ctx context.Context, o Opening, seed uint64) (*Game, error) {
	began := time.Now()
	for c, p := range s.Players {
		if err := p.NewGame(ctx, splitmix.Mix(seed+uint64(c))); err != nil {
			return nil, &PlayerError{board.Color(c), err}
		}
	}
	if err := s.Referee.newGame(ctx, splitmix.Mix(seed+2)); err != nil {
		return nil, err
	}
	g := playing{game: board.NewGame(o.Start), record: &Game{Start: o.Start, Book: len(o.Moves)}, clock: s.wind()}
	for _, m := range o.Moves {
		g.push(Ply{Move: m})
	}
	for g.record.End == "" { // the 50-move rule has an end for each
		if err := s.step(ctx, &g); err != nil {
			return nil, err
		}
	}
	g.record.Time = time.Since(began)
	return g.record, nil
}

// playing is a game being played.
type playing struct {
	game   *board.Game
	moves  []board.Move
	record *Game
	clock  *Clock // nil: none
}

func (g *playing) push(p Ply) {
	g.game.Push(p.Move)
	g.moves = append(g.moves, p.Move)
	g.record.Plies = append(g.record.Plies, p)
}

// step ends the game, if it is over, or has a player move.
func (s *Seats) step(ctx context.Context, g *playing) error {
	r, turn := g.record, g.game.Position().Turn()
	if end, over := Over(g.game); over {
		r.End, r.Result = end, end.Result(turn)
		return nil
	}
	var err error
	if r.Result, r.End, err = s.Referee.decide(ctx, g.game, r.Start, g.moves); err != nil || r.End != "" {
		return err
	}
	ply, err := s.move(ctx, g)
	var fault *Fault
	switch {
	case errors.As(err, &fault) && ctx.Err() == nil:
		r.Fault = &FaultNote{Kind: fault.Kind, Player: int(turn), Text: fault.Err.Error()}
		r.Result, r.End = Winner(turn, false), End(fault.Kind)
	case err != nil:
		return &PlayerError{turn, err}
	default:
		g.push(ply)
		s.Referee.hear(turn, ply)
	}
	return nil
}

// PlayerError is the error of a player that cannot play.
type PlayerError struct {
	Colour board.Color
	Err    error
}

func (e *PlayerError) Error() string { return e.Err.Error() }

// Unwrap returns why it cannot.
func (e *PlayerError) Unwrap() error { return e.Err }

// wind sets the clocks; nil if no player has one.
func (s *Seats) wind() *Clock {
	var c Clock
	for side, l := range s.Limits {
		c.Left[side], c.Increment[side] = l.Control.Base, l.Control.Increment
	}
	if c.Left == [2]time.Duration{} {
		return nil
	}
	return &c
}

// move asks the player to move and stops its clock.
func (s *Seats) move(ctx context.Context, g *playing) (Ply, error) {
	game, moves, clock := g.game, g.moves, g.clock
	turn := game.Position().Turn()
	limits := s.Limits[turn]
	r := MoveRequest{Start: g.record.Start, Moves: moves, Game: game, Limits: limits, Patience: s.Patience}
	if r.Patience == 0 {
		r.Patience = DefaultPatience
	}
	allowed := time.Duration(0)
	switch {
	case limits.Control != TimeControl{}:
		allowed = clock.Left[turn]
		r.Clock = clock
		if n := limits.Control.Moves; n > 0 {
			clock.MovesToGo = n - ((len(moves)-g.record.Book)/2)%n
		} else {
			clock.MovesToGo = 0
		}
	case limits.MoveTime > 0:
		allowed = limits.MoveTime
	}
	if limits.Timed() {
		r.Patience = allowed + s.Margin
	}
	// Engines end their waits themselves; this is for players of ours that do not.
	bounded, cancel := context.WithTimeout(ctx, r.Patience+grace)
	defer cancel()
	began := time.Now()
	a, err := s.Players[turn].Move(bounded, &r)
	if fault := (*Fault)(nil); err != nil && bounded.Err() != nil && ctx.Err() == nil && !errors.As(err, &fault) {
		return Ply{}, &Fault{limits.silence(), fmt.Errorf("no move within %v",
			(r.Patience + grace).Round(time.Millisecond))}
	}
	if err != nil {
		return Ply{}, err
	}
	elapsed := a.Elapsed
	if elapsed == 0 {
		elapsed = time.Since(began)
	}
	if limits.Timed() && elapsed > allowed+s.Margin {
		return Ply{}, &Fault{Overtime, fmt.Errorf("%v for a move with %v left", elapsed.Round(time.Millisecond),
			allowed.Round(time.Millisecond))}
	}
	if !game.Position().IsLegal(a.Move) {
		return Ply{}, &Fault{Illegal, fmt.Errorf("%s in %q", a.Move, game.Position().FEN())}
	}
	if r.Clock != nil {
		clock.Left[turn] = max(time.Millisecond, clock.Left[turn]-elapsed) + clock.Increment[turn]
		if clock.MovesToGo == 1 {
			clock.Left[turn] += limits.Control.Base
		}
	}
	return Ply{Move: a.Move, Score: a.Score, Scored: a.Scored, Depth: a.Depth, Nodes: a.Nodes,
		Time: elapsed.Round(time.Microsecond), Illegal: a.Illegal}, nil
}
