package match

import (
	"context"
	"errors"
	"fmt"

	"talbot/board"
	"talbot/stockfish"
	"talbot/syzygy"
)

// worker plays games with players of its own, which are made when they are first needed. It belongs to one goroutine.
type worker struct {
	match   *Match
	logs    []*EngineLog
	seat    int
	players []Player
	tables  *syzygy.Set // nil: there are none
	referee *referee
}

// play plays a game.
func (w *worker) play(ctx context.Context, number int) (*Record, error) {
	m := w.match
	who, opening := m.pairing(number)
	if w.referee == nil {
		var err error
		if w.referee, err = w.newReferee(ctx); err != nil {
			return nil, err
		}
	}
	s := seats{margin: m.Margin, patience: m.Patience, referee: w.referee}
	for c, i := range who {
		if w.players[i] == nil {
			p, err := m.Entrants[i].New(w.seat, w.logs[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Entrants[i].Name, err)
			}
			w.players[i] = p
		}
		s.players[c], s.limits[c] = w.players[i], m.Entrants[i].Limits
	}
	r, err := s.play(ctx, m.Openings.List[opening], mix(mix(m.Seed)+uint64(number)))
	if err != nil {
		var p *playerError
		if errors.As(err, &p) {
			err = fmt.Errorf("%s: %w", m.Entrants[who[p.colour]].Name, p.err)
		}
		return nil, fmt.Errorf("game %d: %w", number+1, err)
	}
	r.Number, r.Players = number, who
	if r.Fault != nil {
		r.Fault.Player = who[board.Color(r.Fault.Player)]
	}
	return r, nil
}

func (w *worker) newReferee(ctx context.Context) (*referee, error) {
	f := &referee{rules: &w.match.Rules}
	if w.tables != nil {
		t, err := stockfish.OpenTables(ctx, stockfish.Config{Path: f.rules.TablesEngine}, w.tables)
		if err != nil {
			return nil, err
		}
		f.tables = t
	}
	if j := f.rules.Judge; j != nil {
		p, err := j.New(w.seat, nil)
		if err != nil {
			return nil, fmt.Errorf("judge: %w", err)
		}
		f.judge = p
	}
	return f, nil
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
	if f := w.referee; f != nil && f.tables != nil {
		_ = f.tables.Close()
	}
	if f := w.referee; f != nil && f.judge != nil {
		_ = f.judge.Close()
	}
}
