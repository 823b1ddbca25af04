package match

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/child"
	"talbot/internal/fault"
	"talbot/stockfish/uci"
)

// Waits for an engine where nothing else says how long.
const (
	stopTimeout   = time.Second // from "stop" to the bestmove
	maxEngineName = 100         // bytes
)

// EngineConfig has the settings of a UCI engine.
type EngineConfig struct {
	Path    string // the executable
	Args    []string
	Dir     string
	Options []dataset.Tag // UCI options in this order; one that the engine does not offer is an error

	StartTimeout time.Duration // 0: [uci.StartTimeout]

	Log  *EngineLog // nil: none
	Seat int        // stands in the log
}

// Engine is a player that is a UCI engine. The process is started when the first game begins, and again after a fault.
type Engine struct {
	cfg      EngineConfig
	client   *uci.Client // nil: the next game needs a new one
	name     string
	offered  map[string]uci.Option
	dialogue dialogue
	commands []byte
}

// ErrSetting: a player has a setting that it does not know, or a value that is not possible.
var ErrSetting = fault.New(fault.ExitUsage, "wrong setting",
	"docs/11-matches.md and docs/12-play.md list the settings of players")

// NewEngine returns an engine that is not yet started.
func NewEngine(cfg EngineConfig) *Engine {
	if cfg.StartTimeout == 0 {
		cfg.StartTimeout = uci.StartTimeout
	}
	return &Engine{cfg: cfg, dialogue: dialogue{log: cfg.Log, seat: cfg.Seat}}
}

// Name returns the engine's own name, "" before it was started.
func (e *Engine) Name() string { return e.name }

// Offered returns the options that the engine offers, by lower-case name.
func (e *Engine) Offered() map[string]uci.Option { return e.offered }

// Start starts the process and sets the options, if it does not run.
func (e *Engine) Start(ctx context.Context) (err error) {
	if e.client != nil {
		return nil
	}
	cfg := uci.Config{
		Config:  child.Config{Path: e.cfg.Path, Args: e.cfg.Args, Dir: e.cfg.Dir},
		Timeout: e.cfg.StartTimeout,
		Options: e.settings,
	}
	if e.cfg.Log != nil {
		cfg.Stderr, cfg.Log = &e.dialogue, &e.dialogue
	}
	if e.client, err = uci.Start(ctx, cfg); err != nil {
		e.client = nil
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e.dialogue.fault(err)
		return err
	}
	e.name, e.offered = uci.Text([]byte(e.client.Name), maxEngineName), e.client.Offered
	return nil
}

// settings are the options to set.
func (e *Engine) settings(offered map[string]uci.Option) (set []dataset.Tag, err error) {
	for _, want := range e.cfg.Options {
		o, err := uci.Choose(offered, want.Name, want.Value)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSetting, err)
		}
		set = append(set, o)
	}
	return set, nil
}

// NewGame makes the engine forget earlier games. One that does not run, or does not answer, is restarted: see
// [uci.Retry]. The seed is not used: UCI has no word for it.
func (e *Engine) NewGame(ctx context.Context, _ uint64) error {
	return uci.Retry(ctx, 0, func(int) error {
		err := e.Start(ctx)
		if err == nil {
			err = e.judged(ctx, e.client.Ask(ctx, "readyok after ucinewgame", "ucinewgame\nisready\n",
				e.cfg.StartTimeout, uci.Ready))
		}
		return err
	})
}

// Close asks the engine to quit, kills what is left of its process group and waits for the end.
func (e *Engine) Close() error {
	if e.client == nil {
		return nil
	}
	client := e.client
	e.client = nil
	return client.Close()
}

// judged turns an error of talking with the engine into a fault of its, lets go of the engine and writes the fault into
// its log. The end of ctx is not a fault.
func (e *Engine) judged(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	_ = e.Close()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	kind := Protocol
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		kind = Stall
	case child.IsGone(err):
		kind = Crash
	}
	return e.lost(kind, err)
}

// Move has the engine search. The engine is told all moves of the game, so it knows repetitions. One that has no time
// left is told to stop and gets a moment more, so that it need not be killed for having lost on time.
func (e *Engine) Move(ctx context.Context, r *MoveRequest) (Ply, error) {
	if e.client == nil {
		return Ply{}, errors.New("the engine does not run: NewGame comes first")
	}
	pos := r.Game.Position()
	began := time.Now()
	var a Ply
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
			a.Time = max(1, time.Since(began))
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
		return Ply{}, err
	case stopped:
		return Ply{}, e.lost(r.Limits.silence(), fmt.Errorf("no bestmove within %v",
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
func (a *Ply) learn(line []byte) {
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
