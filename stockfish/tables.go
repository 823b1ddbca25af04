package stockfish

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish/uci"
	"talbot/tablebase/syzygy"
)

// Tables are Syzygy endgame tables, read by an engine process of their own: Stockfish prints their results in answer to
// its command "d". Another engine gives [syzygy.ErrNone]. Tables belong to one goroutine at a time. A reader that
// hangs, dies or talks nonsense is replaced after a pause that grows, and asked again; see [Tables.Probe].
type Tables struct {
	cfg      Config
	set      *syzygy.Set
	engine   *Engine // nil: the next query needs a new one
	most     int     // pieces
	restarts int64
	broken   error // why no more queries are sent
}

// OpenTables starts the engine of a configuration, of which only the executable and the timeouts count, and has it find
// the tables of a set. Whether they are intact is for the caller to check. The caller closes them, and the set later.
// Engines that label do not get the tables, so that their labels stay what their fingerprint says.
func OpenTables(ctx context.Context, cfg Config, set *syzygy.Set) (*Tables, error) {
	cfg.Limit, cfg.Hash, cfg.MultiPV, cfg.Scope, cfg.Shallower, cfg.Options, cfg.SearchTimeout = Depth(1), 1, 0,
		DefaultScope, nil, nil, 0
	t := &Tables{cfg: cfg, set: set, most: set.Pieces()}
	if err := t.start(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// start starts a reader and has it find the tables.
func (t *Tables) start(ctx context.Context) error {
	e, err := Start(ctx, t.cfg)
	if err != nil {
		return err
	}
	t.engine = e
	if _, ok := e.client.Offered["syzygypath"]; !ok {
		err = fmt.Errorf("%w: %s does not read them", syzygy.ErrNone, e.Path())
	}
	if err == nil {
		_, err = t.ask(ctx, "setoption", "setoption name SyzygyPath value "+t.set.Path()+"\n")
	}
	if err == nil {
		err = t.check(ctx)
	}
	if err != nil {
		_ = t.Close()
	}
	return err
}

// restart starts a reader in place of a lost one, of the same tables.
func (t *Tables) restart(ctx context.Context) error {
	t.restarts++
	changed, err := t.set.Changed()
	if err != nil {
		return err
	}
	if changed {
		return fmt.Errorf("stockfish: the tables in %q changed during the run", t.set.Path())
	}
	return t.start(ctx)
}

// Restarts is how many readers were started in place of lost ones.
func (t *Tables) Restarts() int64 { return t.restarts }

// check queries a position, so that an engine that does not answer, or tables that it cannot read, are found at once.
// Kings alone are drawn in tables of any number of pieces.
func (t *Tables) check(ctx context.Context) error {
	lines, err := t.ask(ctx, "tables", "position fen 8/8/8/4k3/8/8/8/4K3 w - - 0 1\nd\n")
	if err == nil && lines["WDL"] == "" {
		err = fmt.Errorf("%w: %s does not report them", syzygy.ErrNone, t.engine.Path())
	}
	return err
}

// Fingerprint is that of the tables' results: it names the tables by their content, not the engine that reads them. See
// [syzygy.Set.Identity], which makes sense of tables that were checked, and [dataset.TablesFingerprint].
func (t *Tables) Fingerprint() dataset.Fingerprint {
	return dataset.TablesFingerprint(t.set.Identity())
}

// Close ends the engine.
func (t *Tables) Close() error {
	e := t.engine
	if t.engine = nil; e == nil {
		return nil
	}
	return e.Close()
}

// Probe returns the result of a position with best play under the 50-move rule, for the side to move. It reports false
// where the tables do not have it: more pieces than they have, castling rights, a table that is missing, or a halfmove
// clock with which the rule may end the game first.
//
// An error means that ctx has ended, or that three readers in a row were lost over this position (up to ten more if
// somebody killed them from outside): then only Close is left. It never goes on without an answer: whether the tables
// have a position must not depend on how busy a machine was.
func (t *Tables) Probe(ctx context.Context, p *board.Position) (c dataset.Class, known bool, err error) {
	wdl, dtz, known, err := t.Lookup(ctx, p)
	switch {
	case err != nil || !known:
		return 0, false, err
	case wdl != 2 && wdl != -2: // a draw, by the rule or without it
		return dataset.Drawn, true, nil
	case p.HalfmoveClock() > 0 && (dtz == 0 || dtz+p.HalfmoveClock() > 99): // within 50 moves only from a clock of 0
		return 0, false, nil
	case wdl > 0:
		return dataset.Won, true, nil
	}
	return dataset.Lost, true, nil
}

// about queries a position, with another reader if the first is lost.
func (t *Tables) about(ctx context.Context, fen string) (lines map[string]string, err error) {
	if t.broken != nil {
		return nil, t.broken
	}
	err = uci.Retry(ctx, 0, func(int) (err error) {
		if t.engine == nil {
			err = t.restart(ctx)
		}
		if err == nil {
			lines, err = t.ask(ctx, "tables", "position fen "+fen+"\nd\n")
		}
		if err != nil {
			_ = t.Close()
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		t.broken = fmt.Errorf("reading endgame tables for %q: %w; repeat the command to continue", fen, err)
		err = t.broken
	}
	return lines, err
}

// Pieces is the number of pieces, kings included, of the largest table.
func (t *Tables) Pieces() int { return t.most }

// Lookup returns the tables' result of a position as if its halfmove clock were 0, for the side to move: 2 and −2 for a
// win and a loss, 1 and −1 for those that the 50-move rule makes draws, 0 for a draw; and the plies to the next capture
// or pawn move, 0 where they are not known. It reports false where the tables do not have the position. The error is as
// of [Tables.Probe].
func (t *Tables) Lookup(ctx context.Context, p *board.Position) (wdl, dtz int, known bool, err error) {
	if p.Occupied().Len() > t.most || p.HasCastlingRights() {
		return 0, 0, false, nil
	}
	lines, err := t.about(ctx, p.EPD()+" 0 1")
	if err != nil {
		return 0, 0, false, err
	}
	wdl, known = parseResult(lines["WDL"])
	dtz, _ = parseDTZ(lines["DTZ"])
	return wdl, dtz, known, nil
}

// ask sends commands and returns the lines about tables that the engine prints until it is ready, by the word before
// the colon: "WDL" and "DTZ".
func (t *Tables) ask(ctx context.Context, step, commands string) (map[string]string, error) {
	e := t.engine
	lines := map[string]string{}
	err := e.ask(ctx, step, commands+"isready\n", e.cfg.startTimeout(), func(line []byte) (bool, error) {
		if rest, ok := bytes.CutPrefix(line, []byte("Tablebase")); ok {
			rest = bytes.TrimPrefix(rest, []byte("s"))
			if name, value, ok := strings.Cut(string(rest), ":"); ok && len(lines) < 8 {
				lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
			}
		}
		return string(line) == "readyok", nil
	})
	return lines, err
}

// parseResult reads "Win (Success)", or "2 (1)" of versions that print numbers: 2 wins, 1 would win without the 50-move
// rule.
func parseResult(s string) (wdl int, ok bool) {
	result, state, _ := strings.Cut(s, " (")
	if state == "" || strings.HasPrefix(state, "Fail") || strings.HasPrefix(state, "0)") {
		return 0, false
	}
	for i, names := range [5][2]string{{"Loss", "-2"}, {"Blessed loss", "-1"}, {"Draw", "0"}, {"Cursed win", "1"},
		{"Win", "2"}} {
		if result == names[0] || result == names[1] {
			return i - 2, true
		}
	}
	return 0, false
}

// parseDTZ reads the plies to the next capture or pawn move of "-17 (Success)", without their sign.
func parseDTZ(s string) (plies int, ok bool) {
	number, state, _ := strings.Cut(s, " (")
	n, err := strconv.Atoi(number)
	if err != nil || state == "" || strings.HasPrefix(state, "Fail") || strings.HasPrefix(state, "0)") {
		return 0, false
	}
	return max(n, -n), true
}
