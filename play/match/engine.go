package match

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"talbot/dataset"
	"talbot/internal/child"
	"talbot/internal/fault"
	"talbot/stockfish/uci"
)

// Waits for an engine where nothing else says how long.
const (
	DefaultStartTimeout = 20 * time.Second // from start to readyok, and for every later readyok
	stopTimeout         = time.Second      // from "stop" to the bestmove
	startAttempts       = 3
	maxEngineName       = 100 // bytes
)

// EngineConfig has the settings of a UCI engine.
type EngineConfig struct {
	Path    string // the executable
	Args    []string
	Dir     string
	Options []dataset.Tag // UCI options in this order; one that the engine does not offer is an error

	StartTimeout time.Duration // 0: [DefaultStartTimeout]

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
		cfg.StartTimeout = DefaultStartTimeout
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

// NewGame makes the engine forget earlier games. One that does not run, or does not answer, is restarted, up to
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
		if err := uci.Pause(ctx, attempt); err != nil {
			return err
		}
	}
}

func (e *Engine) newGame(ctx context.Context) error {
	if err := e.Start(ctx); err != nil {
		return err
	}
	return e.judged(ctx, e.client.Ask(ctx, "readyok after ucinewgame", "ucinewgame\nisready\n", e.cfg.StartTimeout,
		uci.Ready))
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
