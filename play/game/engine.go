package game

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

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

// ErrSetting: a player has a setting that it does not know, or a value that is not possible.
var ErrSetting = errors.New("wrong setting")

// NewEngine returns an engine that is not yet started.
func NewEngine(cfg EngineConfig) *Engine {
	if cfg.StartTimeout == 0 {
		cfg.StartTimeout = DefaultStartTimeout
	}
	return &Engine{cfg: cfg, dialogue: dialogue{log: cfg.Log, seat: cfg.Seat}}
}

// Name returns the engine's own name, "" before it was started.
func (e *Engine) Name() string { return e.name }

// Offered returns the options that the engine offers, by lower-case name.
func (e *Engine) Offered() map[string]stockfish.Option { return e.offered }

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
			return "", fmt.Errorf("%w: the engine does not offer the option %q", ErrSetting, want.Name)
		}
		if err := o.Check(want.Value); err != nil {
			return "", fmt.Errorf("%w: %w", ErrSetting, err)
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
