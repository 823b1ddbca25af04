package match

import (
	"context"
	"errors"
	"fmt"

	"talbot/board"
	"talbot/internal/splitmix"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

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
		s.Players[c], s.Limits[c] = w.players[i], m.Entrants[i].Limits
	}
	r, err := s.Play(ctx, m.Openings.List[opening], splitmix.Mix(splitmix.Mix(m.Seed)+uint64(number)))
	if err != nil {
		if p, ok := errors.AsType[*PlayerError](err); ok {
			err = fmt.Errorf("%s: %w", m.Entrants[who[p.Colour]].Name, p.Err)
		}
		return nil, fmt.Errorf("game %d: %w", number+1, err)
	}
	if r.Fault != nil {
		r.Fault.Player = who[board.Color(r.Fault.Player)]
	}
	return &Record{number, who, *r}, nil
}

func (w *worker) newReferee(ctx context.Context) error {
	rules := &w.match.Rules
	f := &Referee{Rules: rules.Adjudication}
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
		f.Judge = &JudgePlayer{Player: p, Limits: j.Limits, Every: j.Every, Score: j.Score}
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
