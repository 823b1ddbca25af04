// Package stockfish turns positions with their history into labels by driving
// a UCI engine (Stockfish, or any engine that speaks UCI).
//
// In: a start position and the legal moves played from it. Out: a
// [dataset.Label] holding what the engine said, scores from the side to move's
// view. The engine is not trusted: every step has a deadline, every line a
// length limit, every move is checked on the board, and an engine that has
// misbehaved once is killed with its whole process group and never used again.
//
// An [Engine] is one process and belongs to one goroutine at a time. While it
// lives it has two goroutines: one starts the process and waits for it, one
// keeps the end of its stderr. Both end with Close. A [Pool] is several engines
// with one goroutine each while Label runs.
package stockfish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/internal/child"
)

// Bounds on what an engine may make us hold.
const (
	maxOptions = 1024 // options offered
	maxName    = 256  // bytes of an id or an option name that are kept
	maxQuote   = 200  // bytes of engine output quoted in an error
)

// errKilled is the cause when somebody else killed the engine: a person, or the
// system for want of memory. The position is not to blame.
var errKilled = errors.New("killed from outside")

// Engine is one UCI process that has passed its handshake.
// It is not safe for concurrent use.
type Engine struct {
	cfg     Config
	path    string
	proc    *child.Process
	name    string
	author  string
	offered map[string]Option // by lower-case name
	set     []dataset.Tag     // options set, sorted by name
	stale   bool              // its memory is to be cleared before the next search
	last    []byte            // start of the last line read, for errors
	broken  error             // why the process may not be used again
}

// Start runs the executable cfg.Path (see [Find] for an empty path), waits for
// uciok, sets the options and waits for readyok. The caller closes the engine.
//
// Errors: a configuration the engine cannot serve (an option that is not
// offered, a value out of its range), no such executable, or an engine that
// dies, stays silent for cfg.StartTimeout or breaks the protocol.
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
	deadline := cfg.within(cfg.startTimeout())
	proc, err := child.Start(child.Config{Path: path, Args: cfg.Args, Env: cfg.env}, deadline)
	if err != nil {
		return nil, fmt.Errorf("stockfish: %w", err)
	}
	e := &Engine{cfg: cfg, path: path, proc: proc, offered: map[string]Option{}, stale: true}
	stop := context.AfterFunc(ctx, proc.Kill)
	defer stop()
	if err := e.handshake(ctx, deadline); err != nil {
		_ = e.Close()
		return nil, err
	}
	return e, nil
}

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
				e.name = text(name, maxName)
			} else if author, ok := bytes.CutPrefix(rest, []byte("author ")); ok {
				e.author = text(author, maxName)
			}
		case "option":
			if o, ok := ParseOption(string(rest)); ok {
				e.offered[strings.ToLower(o.Name)] = o
			}
			if len(e.offered) > maxOptions {
				return false, fmt.Errorf("more than %d options offered", maxOptions)
			}
		}
		return false, nil
	})
	if err != nil {
		return err
	}
	set, err := chooseOptions(e.cfg, e.offered)
	if err != nil {
		return fmt.Errorf("stockfish: %s: %w", e.path, err)
	}
	e.set = set
	var b strings.Builder
	for _, o := range set {
		fmt.Fprintf(&b, "setoption name %s value %s\n", o.Name, o.Value)
	}
	b.WriteString("isready\n")
	if err := e.send(ctx, "setoption", b.String(), deadline); err != nil {
		return err
	}
	return e.read(ctx, "readyok", deadline, func(line []byte) (bool, error) {
		return string(line) == "readyok", nil
	})
}

// Name is the engine's own name and version ("Stockfish 15.1"), empty if it
// gave none.
func (e *Engine) Name() string { return e.name }

// Path is the executable that was started.
func (e *Engine) Path() string { return e.path }

// NewLine says that the next search is the first of another line: with
// [LineScope] the engine forgets what it has searched before.
func (e *Engine) NewLine() { e.stale = true }

// Compiler is what the engine tells of its own compilation when it is asked by
// the word "compiler", which Stockfish knows beside UCI; empty if it says
// nothing. An error is as after [Engine.Search].
func (e *Engine) Compiler(ctx context.Context) (string, error) {
	if e.broken != nil {
		return "", e.broken
	}
	deadline := e.cfg.within(e.cfg.startTimeout())
	if err := e.send(ctx, "compiler", "compiler\nisready\n", deadline); err != nil {
		return "", err
	}
	var said strings.Builder
	err := e.read(ctx, "readyok", deadline, func(line []byte) (bool, error) {
		if string(line) == "readyok" {
			return true, nil
		}
		if said.Len() < child.MaxTail && !bytes.HasPrefix(line, []byte("Unknown command")) {
			said.WriteString(text(line, maxQuote) + "\n")
		}
		return false, nil
	})
	return strings.TrimSpace(said.String()), err
}

// Close asks a healthy engine to quit, kills what is left of its process group
// and waits for the end. It returns an error only if the process could not be
// brought to its end. Closing twice is harmless.
func (e *Engine) Close() error {
	if e.broken == nil {
		e.broken = errors.New("stockfish: engine is closed")
		if e.proc.Write("quit\n", time.Now().Add(100*time.Millisecond)) == nil {
			e.proc.WaitExit(time.Second)
		}
	}
	if err := e.proc.Close(); err != nil {
		return fmt.Errorf("stockfish: %w", err)
	}
	return nil
}

// send writes commands to the engine.
func (e *Engine) send(ctx context.Context, step, commands string, deadline time.Time) error {
	if err := e.proc.Write(commands, deadline); err != nil {
		return e.fail(ctx, step, deadline, err)
	}
	return nil
}

// read hands every line of the engine, without its line end, to visit until it
// says that the awaited one has come. A line is valid until visit returns.
func (e *Engine) read(ctx context.Context, step string, deadline time.Time,
	visit func(line []byte) (bool, error)) error {
	if err := e.cfg.clock().readBy(e.proc, deadline); err != nil {
		return e.fail(ctx, step, deadline, err)
	}
	for {
		line, err := e.proc.ReadLine()
		if err != nil {
			e.remember(line)
			return e.fail(ctx, step, deadline, err)
		}
		line = bytes.TrimSpace(line)
		done, err := visit(line)
		if err != nil || !done {
			e.remember(line)
		}
		if err != nil {
			return e.fail(ctx, step, deadline, err)
		}
		if done {
			return nil
		}
	}
}

func (e *Engine) remember(line []byte) {
	if len(line) > 0 {
		e.last = append(e.last[:0], line[:min(len(line), maxQuote)]...)
	}
}

// fail kills the engine and describes its end: the step, what went wrong, how
// the process ended, its last line and the end of its stderr.
func (e *Engine) fail(ctx context.Context, step string, deadline time.Time, cause error) error {
	var what string
	switch {
	case ctx.Err() != nil:
		cause, what = context.Cause(ctx), "gave up"
	case errors.Is(cause, os.ErrDeadlineExceeded):
		late := e.cfg.clock().now().Sub(deadline)
		what = fmt.Sprintf("no answer in time (deadline %s ago)", late.Round(time.Millisecond))
	case child.IsGone(cause):
		// It died, or closed its side. A death shows within moments.
		if exit, ok := e.proc.WaitExit(500 * time.Millisecond); ok {
			what = "engine ended: " + exit
			if exit == child.KilledExit {
				cause = errors.Join(cause, errKilled)
			}
		} else {
			what = "engine closed its output but still runs"
		}
	default:
		what = "protocol violation"
		if errors.Is(cause, child.ErrLongLine) {
			cause = fmt.Errorf("line longer than %d bytes", child.MaxLine)
		}
	}
	e.proc.Kill()
	_ = e.proc.Close()

	var more strings.Builder
	if len(e.last) > 0 {
		fmt.Fprintf(&more, "; last line %q", text(e.last, maxQuote))
	}
	if tail := e.proc.Stderr(); tail != "" {
		fmt.Fprintf(&more, "; stderr %q", tail)
	}
	e.broken = fmt.Errorf("stockfish: %s (pid %d): waiting for %s: %s: %w%s",
		e.path, e.proc.PID(), step, what, cause, more.String())
	return e.broken
}

// text is at most n bytes of b as trimmed, valid UTF-8.
func text(b []byte, n int) string {
	return strings.ToValidUTF8(string(bytes.TrimSpace(b[:min(len(b), n)])), "\uFFFD")
}
