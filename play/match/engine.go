package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/child"
	"talbot/stockfish"
)

// Waits for an engine where nothing else says how long.
const (
	DefaultStartTimeout = 20 * time.Second // from start to readyok, and for every later readyok
	stopTimeout         = time.Second      // from "stop" to the bestmove
	startAttempts       = 3
	maxEngineOptions    = 1024
	maxEngineName       = 100
	maxQuoted           = 120
)

// EngineConfig is what a UCI engine is started with.
type EngineConfig struct {
	Path    string // the executable
	Args    []string
	Dir     string
	Options []dataset.Tag // UCI options in this order; one that the engine does not offer is an error

	StartTimeout time.Duration // 0: [DefaultStartTimeout]

	Log  *EngineLog // nil: none
	Seat int        // stands in the log
}

// Engine is a player that is a UCI engine. The process is started when the first game begins and anew after a fault.
type Engine struct {
	cfg      EngineConfig
	proc     *child.Process // nil: the next game needs a new one
	name     string
	offered  map[string]stockfish.Option // by lower-case name
	dialogue dialogue
	last     string // the last line read, for errors
	commands []byte
}

// NewEngine returns an engine that is not yet started.
func NewEngine(cfg EngineConfig) *Engine {
	if cfg.StartTimeout == 0 {
		cfg.StartTimeout = DefaultStartTimeout
	}
	return &Engine{cfg: cfg, dialogue: dialogue{log: cfg.Log, seat: cfg.Seat}}
}

// Name returns the engine's own name, "" before it was started.
func (e *Engine) Name() string { return e.name }

// Start starts the process and sets the options, if it does not run.
func (e *Engine) Start(ctx context.Context) error {
	if e.proc != nil {
		return nil
	}
	deadline := time.Now().Add(e.cfg.StartTimeout)
	cfg := child.Config{Path: e.cfg.Path, Args: e.cfg.Args, Dir: e.cfg.Dir}
	if e.cfg.Log != nil {
		cfg.Stderr = &e.dialogue
	}
	proc, err := child.Start(cfg, deadline)
	if err != nil {
		return err
	}
	e.proc, e.offered, e.last = proc, map[string]stockfish.Option{}, ""
	stop := context.AfterFunc(ctx, proc.Kill)
	defer stop()
	if err := e.handshake(ctx, deadline); err != nil {
		_ = e.Close()
		return fmt.Errorf("starting %q: %w", e.cfg.Path, err)
	}
	return nil
}

// handshake makes a process ready.
func (e *Engine) handshake(ctx context.Context, deadline time.Time) error {
	if err := e.send(ctx, "uci", "uci\n", deadline); err != nil {
		return err
	}
	err := e.read(ctx, "uciok", deadline, func(line []byte) (bool, error) {
		word, rest, _ := bytes.Cut(line, []byte(" "))
		switch string(word) {
		case "uciok":
			return true, nil
		case "id":
			if name, ok := bytes.CutPrefix(rest, []byte("name ")); ok {
				e.name = strings.ToValidUTF8(string(bytes.TrimSpace(name[:min(len(name), maxEngineName)])), "\uFFFD")
			}
		case "option":
			if o, ok := stockfish.ParseOption(string(rest)); ok {
				e.offered[strings.ToLower(o.Name)] = o
			}
			if len(e.offered) > maxEngineOptions {
				return false, fmt.Errorf("more than %d options offered", maxEngineOptions)
			}
		}
		return false, nil
	})
	if err != nil {
		return err
	}
	text, err := e.optionCommands()
	if err != nil {
		return err
	}
	if err := e.send(ctx, "readyok", text+"isready\n", deadline); err != nil {
		return err
	}
	return e.read(ctx, "readyok", deadline, isReady)
}

func isReady(line []byte) (bool, error) {
	if bytes.HasPrefix(line, []byte("bestmove")) {
		return false, errors.New("bestmove without a search")
	}
	return string(line) == "readyok", nil
}

// optionCommands sets the options, spelt as the engine offers them.
func (e *Engine) optionCommands() (string, error) {
	var b strings.Builder
	for _, want := range e.cfg.Options {
		o, ok := e.offered[strings.ToLower(strings.TrimSpace(want.Name))]
		if !ok {
			return "", fmt.Errorf("the engine does not offer the option %q", want.Name)
		}
		if err := o.Check(want.Value); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "setoption name %s", o.Name)
		if o.Kind != "button" {
			fmt.Fprintf(&b, " value %s", want.Value)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// NewGame makes the engine forget earlier games. One that does not run, or does not answer, is started anew, up to
// three times. The seed is not used: UCI has no word for it.
func (e *Engine) NewGame(ctx context.Context, _ uint64) error {
	for attempt := 1; ; attempt++ {
		err := e.newGame(ctx)
		if err == nil {
			return nil
		}
		_ = e.Close()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if attempt == startAttempts {
			return fmt.Errorf("%w (%d attempts)", err, attempt)
		}
		wait := time.NewTimer(time.Duration(attempt)*50*time.Millisecond + rand.N(50*time.Millisecond))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return context.Cause(ctx)
		}
	}
}

func (e *Engine) newGame(ctx context.Context) error {
	if err := e.Start(ctx); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, e.proc.Kill)
	defer stop()
	deadline := time.Now().Add(e.cfg.StartTimeout)
	if err := e.send(ctx, "ucinewgame", "ucinewgame\nisready\n", deadline); err != nil {
		return err
	}
	return e.read(ctx, "readyok after ucinewgame", deadline, isReady)
}

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
	// The readyok is there so that a bestmove of an earlier search is not taken for one of this.
	if err := e.read(ctx, "readyok", deadline, isReady); err != nil {
		return Answer{}, err
	}
	var a Answer
	var text string
	visit := func(line []byte) (bool, error) {
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
		return e.judged(ctx, "bestmove", deadline, err)
	}
	late := err
	deadline = time.Now().Add(stopTimeout)
	if err := e.proc.Write("stop\n", deadline); err != nil {
		return e.judged(ctx, "bestmove", deadline, err)
	}
	e.dialogue.said("<", "(told to stop)")
	err = e.readLines(deadline, visit)
	if err != nil {
		_ = e.judged(ctx, "bestmove after stop", deadline, err)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	fault := &Fault{r.Limits.silence(), fmt.Errorf("no bestmove within %v: %w", r.Patience.Round(time.Millisecond),
		late)}
	e.dialogue.fault(fault)
	return fault
}

// learn takes over what a line of info says. Lines that cannot be read are passed over: they cost no game.
func (a *Answer) learn(line []byte) {
	i, err := stockfish.ParseInfo(line)
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

// Close asks the engine to quit, kills what is left of its process group and waits for the end.
func (e *Engine) Close() error {
	if e.proc == nil {
		return nil
	}
	proc := e.proc
	e.proc = nil
	if proc.Write("quit\n", time.Now().Add(100*time.Millisecond)) == nil {
		proc.WaitExit(time.Second)
	}
	return proc.Close()
}

// send writes commands.
func (e *Engine) send(ctx context.Context, step, commands string, deadline time.Time) error {
	e.dialogue.sent(commands)
	return e.judged(ctx, step, deadline, e.proc.Write(commands, deadline))
}

// read hands lines to visit until it says that the awaited one has come, and judges what went wrong.
func (e *Engine) read(ctx context.Context, step string, deadline time.Time, visit func([]byte) (bool, error)) error {
	return e.judged(ctx, step, deadline, e.readLines(deadline, visit))
}

// errVisit marks an error of what an engine says.
type errVisit struct{ error }

func (e *Engine) readLines(deadline time.Time, visit func([]byte) (bool, error)) error {
	if err := e.proc.ReadBy(deadline); err != nil {
		return err
	}
	for {
		line, err := e.proc.ReadLine()
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
		if e.cfg.Log != nil {
			e.dialogue.said("<", string(line))
		}
		done, err := visit(line)
		if err != nil {
			e.last = string(line[:min(len(line), maxQuoted)])
			return errVisit{err}
		}
		if done {
			return nil
		}
	}
}

// judged turns an error of talking with the engine into a fault of its, kills the engine and writes the fault into its
// log. The end of ctx is nobody's fault.
func (e *Engine) judged(ctx context.Context, step string, deadline time.Time, err error) error {
	if err == nil {
		return nil
	}
	proc := e.proc
	kind, what := Protocol, "protocol violation"
	switch {
	case ctx.Err() != nil:
		_ = e.kill()
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		kind, what = Stall, "no answer in time"
	case child.IsGone(err):
		kind = Crash
		if exit, ok := proc.WaitExit(500 * time.Millisecond); ok {
			what = "engine ended: " + exit
		} else {
			what = "engine closed its output but still runs"
		}
	case errors.Is(err, child.ErrLongLine):
		err = fmt.Errorf("line longer than %d bytes", child.MaxLine)
	}
	_ = e.kill()
	more := ""
	if e.last != "" {
		more = fmt.Sprintf("; line %q", e.last)
	}
	if tail := proc.Stderr(); tail != "" {
		more += fmt.Sprintf("; stderr %q", tail)
	}
	fault := &Fault{kind, fmt.Errorf("waiting for %s: %s: %w%s", step, what, err, more)}
	e.dialogue.fault(fault)
	return fault
}

// kill ends the process without asking it.
func (e *Engine) kill() error {
	proc := e.proc
	e.proc = nil
	proc.Kill()
	return proc.Close()
}
