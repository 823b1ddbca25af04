// Package stockfish turns positions with their history into labels by driving a UCI engine (Stockfish, or any engine
// that speaks UCI).
//
// It takes a start position and the legal moves played from it, and returns a [dataset.Label] with the engine's
// evaluation, with scores from the side to move's view. The engine is not trusted: every step has a deadline, every
// line a length limit, every move is checked on the board, and an engine that has misbehaved once is killed with its
// whole process group and never used again (see package uci).
//
// An [Engine] is one process and belongs to one goroutine at a time. A [Pool] is several engines with one goroutine
// each while Label runs.
package stockfish

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/internal/child"
	"talbot/stockfish/uci"
)

// Engine is one UCI process that has passed its handshake. It is not safe for concurrent use.
type Engine struct {
	cfg    Config
	path   string
	client *uci.Client
	set    []dataset.Tag // options set, sorted by name
	stale  bool          // its memory is to be cleared before the next search
}

// Start runs the executable cfg.Path (see [Find] for an empty path), waits for
// uciok, sets the options and waits for readyok. The caller closes the engine.
//
// Errors: a configuration the engine cannot serve (an option that is not offered, a value out of its range), no such
// executable, or an engine that dies, stays silent for cfg.StartTimeout or breaks the protocol.
func Start(ctx context.Context, cfg Config) (*Engine, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	path, err := Find(cfg.Path)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stockfish: starting %q: %w", path, context.Cause(ctx))
	}
	e := &Engine{cfg: cfg, path: path, stale: true}
	e.client, err = uci.Start(ctx, uci.Config{
		Config:  child.Config{Path: path, Args: cfg.Args, Env: cfg.env},
		Timeout: cfg.startTimeout(),
		Options: func(offered map[string]uci.Option) (_ []dataset.Tag, err error) {
			e.set, err = chooseOptions(cfg, offered)
			return e.set, err
		},
		Clock: cfg.testClock,
	})
	if err != nil {
		return nil, fmt.Errorf("stockfish: %w", err)
	}
	return e, nil
}

// chooseOptions decides what to set, sorted by name and spelt as offered. Of our
// own settings only MultiPV must be offered, and only if it is over 1.
func chooseOptions(cfg Config, offered map[string]uci.Option) ([]dataset.Tag, error) {
	type existing struct {
		dataset.Tag
		must bool
	}
	wishes := []existing{
		{dataset.Tag{Name: "Threads", Value: "1"}, false},
		{dataset.Tag{Name: "Hash", Value: strconv.Itoa(cfg.hash())}, false},
		{dataset.Tag{Name: "UCI_ShowWDL", Value: "true"}, false},
	}
	if n := cfg.multiPV(); n > 1 {
		wishes = append(wishes, existing{dataset.Tag{Name: "MultiPV", Value: strconv.Itoa(n)}, true})
	}
	for _, o := range cfg.Options {
		wishes = append(wishes, existing{o, true})
	}
	var set []dataset.Tag
	for _, w := range wishes {
		if _, ok := offered[strings.ToLower(w.Name)]; !ok && !w.must {
			continue
		}
		o, err := uci.Choose(offered, w.Name, w.Value)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(set, func(t dataset.Tag) bool { return t.Name == o.Name }) {
			return nil, fmt.Errorf("engine option %q is set twice", o.Name)
		}
		set = append(set, o)
	}
	slices.SortFunc(set, func(a, b dataset.Tag) int { return strings.Compare(a.Name, b.Name) })
	return set, nil
}

// Name is the engine's own name and version ("Stockfish 15.1"), empty if it gave none.
func (e *Engine) Name() string { return e.client.Name }

// Path is the executable that was started.
func (e *Engine) Path() string { return e.path }

// NewLine says that the next search is the first of another line: with
// [LineScope] the engine forgets what it has searched before.
func (e *Engine) NewLine() { e.stale = true }

// Compiler is the engine's description of its own compilation, which it prints after the word "compiler", which
// Stockfish knows beside UCI; empty if it says nothing. An error is as after [Engine.Search].
func (e *Engine) Compiler(ctx context.Context) (string, error) {
	var said strings.Builder
	err := e.ask(ctx, "readyok", "compiler\nisready\n", e.cfg.startTimeout(), func(line []byte) (bool, error) {
		if string(line) == "readyok" {
			return true, nil
		}
		if said.Len() < child.MaxTail && !bytes.HasPrefix(line, []byte("Unknown command")) {
			said.WriteString(uci.Text(line, uci.MaxQuote) + "\n")
		}
		return false, nil
	})
	return strings.TrimSpace(said.String()), err
}

// Close asks a healthy engine to quit, kills what is left of its process group and waits for the end. It returns an
// error only if the process could not be brought to its end. Closing twice is harmless.
func (e *Engine) Close() error {
	if err := e.client.Close(); err != nil {
		return fmt.Errorf("stockfish: %w", err)
	}
	return nil
}

// ask is [uci.Client.Ask] with an error that names the engine.
func (e *Engine) ask(ctx context.Context, step, commands string, within time.Duration,
	visit func(line []byte) (bool, error)) error {
	if err := e.client.Ask(ctx, step, commands, within, visit); err != nil {
		return fmt.Errorf("stockfish: %s (pid %d): %w", e.path, e.client.PID(), err)
	}
	return nil
}
