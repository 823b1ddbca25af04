// Package uci drives chess engines that speak UCI: it is the side that asks. (Package play/uci is the side that
// answers.)
//
// A [Client] is an engine's process that has passed its handshake. It is not trusted: every answer has a deadline,
// every line a length limit, and an engine that has misbehaved once is killed with its whole process group and never
// used again. What its answers mean, and whether its moves are legal, is for the caller to judge.
//
// A Client belongs to one goroutine at a time. While it lives it has two goroutines (see package internal/child), which
// end with Close.
package uci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/child"
	"talbot/internal/fault"
)

// MaxQuote is how much of an engine's output errors quote, in bytes.
const MaxQuote = 200

// Bounds on what an engine may make us hold.
const (
	maxOptions = 1024 // options offered
	maxName    = 256  // bytes of an id or an option name that are kept
)

// StartTimeout limits the wait from an engine's start to its readyok, and for every later readyok, where nothing else
// is asked for.
const StartTimeout = 20 * time.Second

// ErrKilled is the cause when somebody else killed the engine: a person, or the system for want of memory. The search
// is not to blame.
var ErrKilled = errors.New("killed from outside")

// Config is what an engine is started with.
type Config struct {
	child.Config
	Timeout time.Duration // from start to readyok
	// Options returns the options to set, in order and spelt as the engine does (see [Choose]). It is given those that
	// the engine offers, by lower-case name.
	Options func(offered map[string]Option) ([]dataset.Tag, error)
	Log     Log   // nil: none
	Clock   Clock // nil: the machine's
}

// Log gets all that is sent and read.
type Log interface {
	Sent(commands string)
	Read(line []byte) // valid until it returns
}

// Client is an engine's process.
type Client struct {
	Name, Author string            // "": it gave none
	Offered      map[string]Option // by lower-case name

	proc   *child.Process
	log    Log
	clock  Clock
	last   []byte // start of the last line read, for errors
	broken error  // why the process may not be used again
}

// Start runs an engine, waits for uciok, sets the options and waits for readyok. The caller closes the client.
//
// Errors: no such executable, those of cfg.Options, and those of [Client.Ask].
func Start(ctx context.Context, cfg Config) (*Client, error) {
	c := &Client{Offered: map[string]Option{}, log: cfg.Log, clock: cfg.Clock}
	if c.clock == nil {
		c.clock = machineClock{}
	}
	deadline := c.clock.Now().Add(cfg.Timeout)
	var err error
	if c.proc, err = child.Start(cfg.Config, deadline); err != nil {
		return nil, err
	}
	if err := c.handshake(ctx, deadline, cfg.Options); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("%s: %w", cfg.Path, err)
	}
	return c, nil
}

func (c *Client) handshake(ctx context.Context, deadline time.Time,
	options func(map[string]Option) ([]dataset.Tag, error)) error {
	_, err := c.ask(ctx, "uciok", "uci\n", deadline, 0, func(line []byte) (bool, error) {
		word, rest, _ := bytes.Cut(line, []byte(" "))
		switch string(word) {
		case "uciok":
			return true, nil
		case "id":
			if name, ok := bytes.CutPrefix(rest, []byte("name ")); ok {
				c.Name = Text(name, maxName)
			} else if author, ok := bytes.CutPrefix(rest, []byte("author ")); ok {
				c.Author = Text(author, maxName)
			}
		case "option":
			if o, ok := parseOption(string(rest)); ok {
				c.Offered[strings.ToLower(o.Name)] = o
			}
			if len(c.Offered) > maxOptions {
				return false, fmt.Errorf("more than %d options offered", maxOptions)
			}
		}
		return false, nil
	})
	if err != nil {
		return fault.Hint(err, "is it a UCI engine? Start it by hand and type `uci`: it must answer `uciok`")
	}
	set, err := options(c.Offered)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, o := range set {
		fmt.Fprintf(&b, "setoption name %s", o.Name)
		if c.Offered[strings.ToLower(o.Name)].Kind != "button" {
			fmt.Fprintf(&b, " value %s", o.Value)
		}
		b.WriteByte('\n')
	}
	_, err = c.ask(ctx, "readyok", b.String()+"isready\n", deadline, 0, Ready)
	return err
}

// Ready waits for readyok, as the visit of [Client.Ask]. A bestmove that is still to come from an earlier search is an
// error: it would be taken for the next one's.
func Ready(line []byte) (bool, error) {
	if bytes.HasPrefix(line, []byte("bestmove")) {
		return false, errors.New("bestmove without a search")
	}
	return string(line) == "readyok", nil
}

// AppendPosition appends the position command, with its line end, for moves played from start.
func AppendPosition(b []byte, start board.Position, moves []board.Move) []byte {
	if b = append(b, "position "...); start == board.StartPosition() {
		b = append(b, "startpos"...)
	} else {
		b = start.AppendFEN(append(b, "fen "...))
	}
	for k, m := range moves {
		if k == 0 {
			b = append(b, " moves"...)
		}
		b = m.AppendUCI(append(b, ' '))
	}
	return append(b, '\n')
}

// PID is the number of the process.
func (c *Client) PID() int { return c.proc.PID() }

// Err says why the engine may not be used again; nil: it may.
func (c *Client) Err() error { return c.broken }

// Ask sends commands, each with its line end, and hands every line of the engine, trimmed, to visit until that says
// that the awaited one has come. A line is valid until visit returns. No commands: the answer to earlier ones is read.
// step is what is waited for, in errors.
//
// After an error the process is dead and only Close is left. It wraps the cause of ctx if ctx has ended, else
// [os.ErrDeadlineExceeded] for an answer that is not there in time, an error for which [child.IsGone] holds for an
// engine that has ended or closed its output, with [ErrKilled] where that is known; any other error, visit's too, means
// that the engine breaks the protocol.
func (c *Client) Ask(ctx context.Context, step, commands string, within time.Duration,
	visit func(line []byte) (done bool, err error)) error {
	_, err := c.ask(ctx, step, commands, c.clock.Now().Add(within), 0, visit)
	return err
}

// AskOrStop is Ask for a search: an engine that is late gets "stop", and must answer within more. Then stopped is set,
// and the engine is as good as it was if there is no error.
func (c *Client) AskOrStop(ctx context.Context, step, commands string, within, more time.Duration,
	visit func(line []byte) (done bool, err error)) (stopped bool, err error) {
	return c.ask(ctx, step, commands, c.clock.Now().Add(within), more, visit)
}

func (c *Client) ask(ctx context.Context, step, commands string, deadline time.Time, more time.Duration,
	visit func([]byte) (bool, error)) (stopped bool, err error) {
	if c.broken != nil {
		return false, c.broken
	}
	stop := context.AfterFunc(ctx, c.proc.Kill)
	defer func() {
		if !stop() && c.broken == nil { // killed while it may have answered
			c.broken = fmt.Errorf("engine was killed: %w", context.Cause(ctx))
		}
	}()
	err = c.talk(commands, deadline, visit)
	if more > 0 && errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
		stopped, deadline = true, c.clock.Now().Add(more)
		err = c.talk("stop\n", deadline, visit)
	}
	if err != nil {
		c.broken = c.fail(ctx, step, deadline, err)
	}
	return stopped, c.broken
}

// talk sends commands and reads.
func (c *Client) talk(commands string, deadline time.Time, visit func([]byte) (bool, error)) error {
	if commands != "" {
		if c.log != nil {
			c.log.Sent(commands)
		}
		if err := c.proc.Write(commands, deadline); err != nil {
			return err
		}
	}
	if err := c.clock.ReadBy(c.proc, deadline); err != nil {
		return err
	}
	for {
		line, err := c.proc.ReadLine()
		if err != nil {
			c.remember(line)
			return err
		}
		line = bytes.TrimSpace(line)
		if c.log != nil {
			c.log.Read(line)
		}
		done, err := visit(line)
		if err != nil || !done {
			c.remember(line)
		}
		if err != nil || done {
			return err
		}
	}
}

func (c *Client) remember(line []byte) {
	if len(line) > 0 {
		c.last = append(c.last[:0], line[:min(len(line), MaxQuote)]...)
	}
}

// fail kills the engine and describes its end: the step, what went wrong, how the process ended, its last line and the
// end of its stderr.
func (c *Client) fail(ctx context.Context, step string, deadline time.Time, cause error) error {
	var what string
	switch {
	case ctx.Err() != nil:
		cause, what = context.Cause(ctx), "gave up"
	case errors.Is(cause, os.ErrDeadlineExceeded):
		late := c.clock.Now().Sub(deadline)
		what = fmt.Sprintf("no answer in time (deadline %s ago)", late.Round(time.Millisecond))
	case child.IsGone(cause):
		// It died, or closed its side. A death shows within moments.
		if exit, ok := c.proc.WaitExit(500 * time.Millisecond); ok {
			what = "engine ended: " + exit
			if exit == child.KilledExit {
				cause = errors.Join(cause, ErrKilled)
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
	c.proc.Kill()
	_ = c.proc.Close()

	var more strings.Builder
	if len(c.last) > 0 {
		fmt.Fprintf(&more, "; last line %q", Text(c.last, MaxQuote))
	}
	if tail := c.proc.Stderr(); tail != "" {
		fmt.Fprintf(&more, "; stderr %q", tail)
	}
	return fmt.Errorf("waiting for %s: %s: %w%s", step, what, cause, more.String())
}

// Close asks a healthy engine to quit, kills what is left of its process group and waits for the end. It returns an
// error only if the process could not be brought to its end. Closing twice is harmless.
func (c *Client) Close() error {
	if c.broken == nil {
		c.broken = errors.New("engine is closed")
		if c.proc.Write("quit\n", time.Now().Add(100*time.Millisecond)) == nil {
			c.proc.WaitExit(time.Second)
		}
	}
	return c.proc.Close()
}

// Text is at most n bytes of b as trimmed, valid UTF-8.
func Text(b []byte, n int) string {
	return strings.ToValidUTF8(string(bytes.TrimSpace(b[:min(len(b), n)])), "\uFFFD")
}
