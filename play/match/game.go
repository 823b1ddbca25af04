package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"talbot/board"
	"talbot/dataset"
)

// DefaultPatience is how long a player without a limit of time may think before it is given up.
const DefaultPatience = 2 * time.Minute

// judgePatience is how long a judge may think.
const judgePatience = DefaultPatience

// grace is how much longer than its patience a player is waited for: an engine that is told to stop, or shows how it
// ended, takes a part of that.
const grace = 3 * time.Second

// seats are the players of one game, and who watches over it.
type seats struct {
	players  [2]Player // by colour
	limits   [2]Limits
	margin   time.Duration // by which a limit of time may be exceeded
	patience time.Duration // 0: [DefaultPatience]
	referee  *referee
}

// play plays a game. The record has everything but its number and players, and Fault.Player is the colour. An error
// means that no result was reached: ctx ended, or somebody cannot play at all.
func (s *seats) play(ctx context.Context, o Opening, seed uint64) (*Record, error) {
	began := time.Now()
	for c, p := range s.players {
		if err := p.NewGame(ctx, mix(seed+uint64(c))); err != nil {
			return nil, &playerError{c, err}
		}
	}
	if err := s.referee.newGame(ctx, mix(seed+2)); err != nil {
		return nil, err
	}
	g := playing{game: board.NewGame(o.Start), record: &Record{Start: o.Start, Book: len(o.Moves)}, clock: s.wind()}
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
	record *Record
	clock  *Clock // nil: none
}

func (g *playing) push(p Ply) {
	g.game.Push(p.Move)
	g.moves = append(g.moves, p.Move)
	g.record.Plies = append(g.record.Plies, p)
}

// step ends the game, if it is over, or has a player move.
func (s *seats) step(ctx context.Context, g *playing) error {
	r, turn := g.record, g.game.Position().Turn()
	if end, over := Over(g.game); over {
		r.End, r.Result = end, dataset.Draw
		if end == Checkmate {
			r.Result = Winner(turn, false)
		}
		return nil
	}
	var err error
	if r.Result, r.End, err = s.referee.decide(ctx, g.game, r.Start, g.moves); err != nil || r.End != "" {
		return err
	}
	ply, err := s.move(ctx, g)
	var fault *Fault
	switch {
	case errors.As(err, &fault) && ctx.Err() == nil:
		r.Fault = &FaultNote{Kind: fault.Kind, Player: int(turn), Text: fault.Err.Error()}
		r.Result, r.End = Winner(turn, false), End(fault.Kind)
	case err != nil:
		return &playerError{int(turn), err}
	default:
		g.push(ply)
		s.referee.hear(turn, ply)
	}
	return nil
}

// playerError is that of a player who cannot play, by colour.
type playerError struct {
	colour int
	err    error
}

func (e *playerError) Error() string { return e.err.Error() }
func (e *playerError) Unwrap() error { return e.err }

// wind sets the clocks; nil if nobody has one.
func (s *seats) wind() *Clock {
	var c Clock
	for side, l := range s.limits {
		c.Left[side], c.Increment[side] = l.Control.Base, l.Control.Increment
	}
	if c.Left == [2]time.Duration{} {
		return nil
	}
	return &c
}

// move asks the player to move and stops its clock.
func (s *seats) move(ctx context.Context, g *playing) (Ply, error) {
	game, moves, clock := g.game, g.moves, g.clock
	turn := game.Position().Turn()
	limits := s.limits[turn]
	r := Request{Start: g.record.Start, Moves: moves, Game: game, Limits: limits, Patience: s.patience}
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
		r.Patience = allowed + s.margin
	}
	// Engines end their waits themselves; this is for players of ours that do not.
	bounded, cancel := context.WithTimeout(ctx, r.Patience+grace)
	defer cancel()
	began := time.Now()
	a, err := s.players[turn].Move(bounded, &r)
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
	if limits.Timed() && elapsed > allowed+s.margin {
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

// mix is the finalizer of splitmix64: neighbouring numbers become unrelated ones.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
