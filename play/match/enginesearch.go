package match

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"talbot/board"
	"talbot/stockfish/uci"
)

// Move has the engine search. The engine is told all moves of the game, so it knows repetitions. One that has no time
// left is told to stop and gets a moment more, so that it need not be killed for having lost on time.
func (e *Engine) Move(ctx context.Context, r *MoveRequest) (ChosenMove, error) {
	if e.client == nil {
		return ChosenMove{}, errors.New("the engine does not run: NewGame comes first")
	}
	pos := r.Game.Position()
	began := time.Now()
	var a ChosenMove
	var text string
	ready := false
	visit := func(line []byte) (_ bool, err error) {
		if !ready { // so that a bestmove of an earlier search is not taken for one of this
			ready, err = uci.Ready(line)
			return false, err
		}
		word, rest := uci.CutWord(line)
		switch string(word) {
		case "info":
			a.learn(rest)
		case "bestmove":
			a.Elapsed = max(1, time.Since(began))
			move, _ := uci.CutWord(rest)
			text = string(move[:min(len(move), uci.MaxQuote)])
			return true, nil
		}
		return false, nil
	}
	stopped, err := e.client.AskOrStop(ctx, "bestmove", e.searchCommands(r), r.Patience, stopTimeout, visit)
	if err == nil && e.client.Err() != nil { // killed when it had answered
		_ = e.Close()
	}
	err = e.judged(ctx, err)
	switch {
	case err != nil && (!stopped || ctx.Err() != nil):
		return ChosenMove{}, err
	case stopped:
		return ChosenMove{}, e.lost(r.Limits.silence(), fmt.Errorf("no bestmove within %v",
			r.Patience.Round(time.Millisecond)))
	}
	if a.Move, err = pos.ParseUCI(text); err != nil {
		return a, e.lost(Illegal, fmt.Errorf("bestmove %q in %q: %w", text, pos.FEN(), err))
	}
	return a, nil
}

// lost is a fault that the engine's log has, too.
func (e *Engine) lost(kind FaultKind, err error) error {
	fault := &Fault{kind, err}
	e.dialogue.fault(fault)
	return fault
}

// learn takes over what a line of info says. Lines that cannot be read are passed over: they cost no game.
func (a *ChosenMove) learn(line []byte) {
	i, err := uci.ParseInfoLoosely(line)
	if err != nil || i.Rank != 1 {
		return
	}
	a.Nodes = max(a.Nodes, i.Nodes)
	if i.Scored && !i.Bound {
		a.Score, a.Scored, a.Depth = i.Score, true, i.Depth
	}
}

// searchCommands is everything for one search in one write.
func (e *Engine) searchCommands(r *MoveRequest) string {
	b := uci.AppendPosition(append(e.commands[:0], "isready\n"...), r.Start, r.Moves)
	b = append(b, "go"...)
	number := func(name string, n int64) {
		b = append(append(b, ' '), name...)
		b = strconv.AppendInt(append(b, ' '), n, 10)
	}
	if c := r.Clock; c != nil {
		for _, side := range []board.Color{board.White, board.Black} {
			if c.Left[side] > 0 {
				number(string("wb"[side])+"time", max(1, c.Left[side].Milliseconds()))
			}
		}
		for _, side := range []board.Color{board.White, board.Black} {
			if c.Increment[side] > 0 {
				number(string("wb"[side])+"inc", c.Increment[side].Milliseconds())
			}
		}
		if c.MovesToGo > 0 {
			number("movestogo", int64(c.MovesToGo))
		}
	}
	if r.Depth > 0 {
		number("depth", int64(r.Depth))
	}
	if r.Nodes > 0 {
		number("nodes", r.Nodes)
	}
	if r.MoveTime > 0 {
		number("movetime", r.MoveTime.Milliseconds())
	}
	e.commands = append(b, '\n')
	return string(e.commands)
}
