package game

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"talbot/board"
	"talbot/stockfish"
)

// Move has the engine search. The engine is told all moves of the game, so it knows repetitions.
func (e *Engine) Move(ctx context.Context, r *Request) (Answer, error) {
	if e.proc == nil {
		return Answer{}, errors.New("the engine does not run: NewGame comes first")
	}
	stop := context.AfterFunc(ctx, e.proc.Kill)
	defer func() {
		if !stop() { // killed while it may have answered
			_ = e.Close()
		}
	}()
	pos := r.Game.Position()
	began := time.Now()
	deadline := began.Add(r.Patience)
	if err := e.send(ctx, "go", e.searchCommands(r), deadline); err != nil {
		return Answer{}, err
	}
	var a Answer
	var text string
	ready := false
	visit := func(line []byte) (_ bool, err error) {
		if !ready { // so that a bestmove of an earlier search is not taken for one of this
			ready, err = isReady(line)
			return false, err
		}
		word, rest, _ := bytes.Cut(line, []byte(" "))
		switch string(word) {
		case "info":
			a.learn(rest)
		case "bestmove":
			a.Elapsed = max(1, time.Since(began))
			move, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
			text = string(move[:min(len(move), maxQuoted)])
			return true, nil
		}
		return false, nil
	}
	if err := e.readSearch(ctx, r, deadline, visit); err != nil {
		return Answer{}, err
	}
	move, err := pos.ParseUCI(text)
	if err != nil {
		fault := &Fault{Illegal, fmt.Errorf("bestmove %q in %q: %w", text, pos.FEN(), err)}
		e.dialogue.fault(fault)
		return a, fault
	}
	a.Move = move
	return a, nil
}

// readSearch reads up to the bestmove. An engine that has no time left is told to stop and gets a moment more, so that
// it need not be killed for having lost on time.
func (e *Engine) readSearch(ctx context.Context, r *Request, deadline time.Time,
	visit func([]byte) (bool, error)) error {
	done := false
	err := e.readLines(deadline, func(line []byte) (bool, error) {
		d, err := visit(line)
		done = d
		return d, err
	})
	if err == nil || done || !errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil {
		return e.judged(ctx, "bestmove", err)
	}
	deadline = time.Now().Add(stopTimeout)
	if err := e.proc.Write("stop\n", deadline); err != nil {
		return e.judged(ctx, "bestmove", err)
	}
	e.dialogue.remark("told to stop")
	err = e.readLines(deadline, visit)
	if err != nil {
		_ = e.judged(ctx, "bestmove after stop", err)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	fault := &Fault{r.Limits.silence(), fmt.Errorf("no bestmove within %v", r.Patience.Round(time.Millisecond))}
	e.dialogue.fault(fault)
	return fault
}

// learn takes over what a line of info says. Lines that cannot be read are passed over: they cost no game.
func (a *Answer) learn(line []byte) {
	i, err := stockfish.ParseInfoLoosely(line)
	if err != nil || i.Rank != 1 {
		return
	}
	a.Nodes = max(a.Nodes, i.Nodes)
	if i.Scored && !i.Bound {
		a.Score, a.Scored, a.Depth = i.Score, true, i.Depth
	}
}

// searchCommands is everything for one search in one write.
func (e *Engine) searchCommands(r *Request) string {
	b := append(e.commands[:0], "isready\nposition "...)
	if r.Start == board.StartPosition() {
		b = append(b, "startpos"...)
	} else {
		b = r.Start.AppendFEN(append(b, "fen "...))
	}
	for k, m := range r.Moves {
		if k == 0 {
			b = append(b, " moves"...)
		}
		b = m.AppendUCI(append(b, ' '))
	}
	b = append(b, "\ngo"...)
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
