package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"talbot/board"
	"talbot/internal/splitmix"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

// DefaultPatience limits a move of a player without a limit of time, after which it is given up.
const DefaultPatience = 2 * time.Minute

// grace is the time after its patience that a player is still waited for: an engine that is told to stop, or shows how
// it ended, takes a part of that.
const grace = 3 * time.Second

// Seats are the players of games and their supervisor.
type Seats struct {
	Players  [2]Player // by colour
	Names    [2]string // in errors
	Limits   [2]Limits
	Margin   time.Duration // by which a limit of time may be exceeded
	Patience time.Duration // with a player without such a limit; 0: [DefaultPatience]
	Referee  *Referee      // a zero one ends no game early
}

// Play plays a game. The seed decides what players leave to chance. An error means that no result was reached: ctx
// ended, or somebody cannot play at all.
func (s *Seats) Play(ctx context.Context, o Opening, seed uint64) (*Game, error) {
	began := time.Now()
	for c, p := range s.Players {
		if err := p.NewGame(ctx, splitmix.Mix(seed+uint64(c))); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Names[c], err)
		}
	}
	if err := s.Referee.newGame(ctx, splitmix.Mix(seed+2)); err != nil {
		return nil, err
	}
	g := playing{Seats: s, game: board.NewGame(o.Start), record: &Game{Start: o.Start, Book: len(o.Moves)}}
	for side, l := range s.Limits {
		g.clock.Left[side], g.clock.Increment[side] = l.Control.Base, l.Control.Increment
	}
	for _, m := range o.Moves {
		g.push(Ply{Move: m})
	}
	for g.record.End == "" { // the 50-move rule has an end for each
		if err := g.step(ctx); err != nil {
			return nil, err
		}
	}
	g.record.Time = time.Since(began)
	return g.record, nil
}

// playing is a game being played.
type playing struct {
	*Seats
	game   *board.Game
	moves  []board.Move
	record *Game
	clock  Clock
}

func (g *playing) push(p Ply) {
	g.game.Push(p.Move)
	g.moves = append(g.moves, p.Move)
	g.record.Plies = append(g.record.Plies, p)
}

// step ends the game, if it is over, or has a player move.
func (g *playing) step(ctx context.Context) error {
	r, turn := g.record, g.game.Position().Turn()
	if end, over := Over(g.game); over {
		r.End, r.Result = end, end.Result(turn)
		return nil
	}
	var err error
	if r.Result, r.End, err = g.Referee.decide(ctx, g.game, r.Start, g.moves); err != nil || r.End != "" {
		return err
	}
	ply, err := g.move(ctx)
	var fault *Fault
	switch {
	case errors.As(err, &fault) && ctx.Err() == nil:
		r.Fault = &FaultNote{Kind: fault.Kind, Player: int(turn), Text: fault.Err.Error()}
		r.Result, r.End = Winner(turn, false), End(fault.Kind)
	case err != nil:
		return fmt.Errorf("%s: %w", g.Names[turn], err)
	default:
		g.push(ply)
		g.Referee.count(turn, ply)
	}
	return nil
}

// move asks the player to move and stops its clock.
func (g *playing) move(ctx context.Context) (Ply, error) {
	p, clock := g.game.Position(), &g.clock
	turn := p.Turn()
	limits, allowed := g.Limits[turn], g.Limits[turn].MoveTime
	r := MoveRequest{Start: g.record.Start, Moves: g.moves, Game: g.game, Limits: limits,
		Patience: cmp.Or(g.Patience, DefaultPatience)}
	if limits.Control != (TimeControl{}) {
		allowed, r.Clock, clock.MovesToGo = clock.Left[turn], clock, 0
		if n := limits.Control.Moves; n > 0 {
			clock.MovesToGo = n - ((len(g.moves)-g.record.Book)/2)%n
		}
	}
	if limits.Timed() {
		r.Patience = allowed + g.Margin
	}
	// Engines end their waits themselves; this is for players of ours that do not.
	bounded, cancel := context.WithTimeout(ctx, r.Patience+grace)
	defer cancel()
	began := time.Now()
	a, err := g.Players[turn].Move(bounded, &r)
	if fault := (*Fault)(nil); err != nil && bounded.Err() != nil && ctx.Err() == nil && !errors.As(err, &fault) {
		return Ply{}, &Fault{limits.silence(), fmt.Errorf("no move within %v",
			(r.Patience + grace).Round(time.Millisecond))}
	}
	if err != nil {
		return Ply{}, err
	}
	if a.Time == 0 {
		a.Time = time.Since(began)
	}
	if limits.Timed() && a.Time > allowed+g.Margin {
		return Ply{}, &Fault{Overtime, fmt.Errorf("%v for a move with %v left", a.Time.Round(time.Millisecond),
			allowed.Round(time.Millisecond))}
	}
	if !p.IsLegal(a.Move) {
		return Ply{}, &Fault{Illegal, fmt.Errorf("%s in %q", a.Move, p.FEN())}
	}
	if r.Clock != nil {
		clock.Left[turn] = max(time.Millisecond, clock.Left[turn]-a.Time) + clock.Increment[turn]
		if clock.MovesToGo == 1 {
			clock.Left[turn] += limits.Control.Base
		}
	}
	a.Time = a.Time.Round(time.Microsecond)
	return a, nil
}

// worker plays games with its players, which are started when they are first needed. It belongs to one goroutine.
type worker struct {
	match   *Match
	logs    []*EngineLog
	seat    int
	players []Player
	set     *syzygy.Set // nil: there are none
	tables  *stockfish.Tables
	referee *Referee
}

// play plays a game.
func (w *worker) play(ctx context.Context, number int) (*Record, error) {
	m := w.match
	who, opening := m.pairing(number)
	if w.referee == nil {
		if err := w.newReferee(ctx); err != nil {
			return nil, err
		}
	}
	s := Seats{Margin: m.Margin, Patience: m.Patience, Referee: w.referee}
	for c, i := range who {
		if w.players[i] == nil {
			p, err := m.Entrants[i].New(w.seat, w.logs[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Entrants[i].Name, err)
			}
			w.players[i] = p
		}
		s.Players[c], s.Names[c], s.Limits[c] = w.players[i], m.Entrants[i].Name, m.Entrants[i].Limits
	}
	r, err := s.Play(ctx, m.Openings.List[opening], splitmix.Mix(splitmix.Mix(m.Seed)+uint64(number)))
	if err != nil {
		return nil, fmt.Errorf("game %d: %w", number+1, err)
	}
	if r.Fault != nil {
		r.Fault.Player = who[board.Color(r.Fault.Player)]
	}
	return &Record{number, who, *r}, nil
}

func (w *worker) newReferee(ctx context.Context) error {
	rules := &w.match.Rules
	f := &Referee{Rules: rules}
	if w.set != nil {
		t, err := stockfish.OpenTables(ctx, stockfish.Config{Path: rules.TablesEngine}, w.set)
		if err != nil {
			return err
		}
		w.tables, f.Tables = t, t
	}
	if j := rules.Judge; j != nil {
		p, err := j.New(w.seat, nil)
		if err != nil {
			return fmt.Errorf("judge: %w", err)
		}
		f.Judge = p
	}
	w.referee = f
	return nil
}

// close ends the players.
func (w *worker) close() {
	for i, p := range w.players {
		if p == nil {
			continue
		}
		if err := p.Close(); err != nil {
			w.match.Warn(fmt.Errorf("%s: %w", w.match.Entrants[i].Name, err))
		}
	}
	if w.tables != nil {
		_ = w.tables.Close()
	}
	if w.referee != nil && w.referee.Judge != nil {
		_ = w.referee.Judge.Close()
	}
}
