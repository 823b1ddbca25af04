package game

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"talbot/internal/child"
)

// send writes commands.
func (e *Engine) send(ctx context.Context, step, commands string, deadline time.Time) error {
	e.dialogue.sent(commands)
	return e.judged(ctx, step, e.proc.Write(commands, deadline))
}

// read hands lines to visit until it says that the awaited one has come, and judges what went wrong.
func (e *Engine) read(ctx context.Context, step string, deadline time.Time, visit func([]byte) (bool, error)) error {
	return e.judged(ctx, step, e.readLines(deadline, visit))
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
		e.dialogue.read(line)
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
func (e *Engine) judged(ctx context.Context, step string, err error) error {
	if err == nil {
		return nil
	}
	proc := e.proc
	kind, what := Protocol, fmt.Sprintf("protocol violation: %v", err)
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
		what = fmt.Sprintf("protocol violation: line longer than %d bytes", child.MaxLine)
	}
	_ = e.kill()
	more := ""
	if e.last != "" {
		more = fmt.Sprintf("; line %q", e.last)
	}
	if tail := proc.Stderr(); tail != "" {
		more += fmt.Sprintf("; stderr %q", tail)
	}
	fault := &Fault{kind, fmt.Errorf("waiting for %s: %s%s", step, what, more)}
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
