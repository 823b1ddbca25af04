package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"talbot/internal/fault"
	"talbot/internal/plain"
)

// An interrupted command answers at once and ends within five seconds, whatever it is doing: it may wait for a pipe
// without a writer, for a compiler, or for a search that takes an hour, none of which can be told to stop. So it first
// gets the grace to end by itself, then it gives up what it waits for, and then the process ends. Only what was given
// up is lost: all files are whole or absent, and the next run continues from them.
const (
	grace     = 3 * time.Second
	lastGrace = time.Second
)

// Interruption is what the signals that interrupt a command do to it.
type Interruption struct {
	Doing string // what the first signal starts; "": nothing that takes time
	// GiveUp ends what the command waits for, at the second signal or after the grace, and reports whether it did so;
	// nil: only the process can be ended.
	GiveUp func() bool
	// Lost names what GiveUp costs, printed unless a second signal asked for it; "": nothing.
	Lost string
	// Holds reports that the command has something to save and must be waited for; nil: it never has.
	Holds func() bool
	// End returns the error with which the command ends if it does not end by itself.
	End func() error

	after func(time.Duration) <-chan time.Time // the clock; nil: the real one
	exit  func(error)                          // ends the process; nil: really
}

// ErrInterrupted ends a command that saved its work at the first Ctrl-C.
var ErrInterrupted = fault.New(fault.ExitInterrupted, "interrupted", "")

// ErrRepeat ends an interrupted command that has kept nothing.
var ErrRepeat = fault.Hint(ErrInterrupted, "repeat the command")

// Interrupts returns a context that the first Ctrl-C, SIGTERM or SIGHUP cancels, for commands that save their work and
// continue it when repeated. The function that it returns ends the watch.
func Interrupts(parent context.Context) (context.Context, func()) {
	return Interruption{Doing: "saving", End: func() error { return Resumable(context.Canceled) }}.Watch(parent)
}

// Stops is [Interrupts] for commands that keep nothing.
func Stops(parent context.Context) (context.Context, func()) {
	return Interruption{Doing: "stopping", End: func() error { return ErrRepeat }}.Watch(parent)
}

// Repeatable adds a remedy to the error of an interrupted command that keeps nothing.
func Repeatable(err error) error {
	if errors.Is(err, context.Canceled) {
		return ErrRepeat
	}
	return err
}

// Resumable returns, for the error of a command that was interrupted or found the disk full, one that names the command
// line that continues it, which is the same one.
func Resumable(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fault.Hint(err, "free some disk space, then continue with `"+Invocation()+"`")
	}
	if exit, _ := fault.Of(err); err == nil || exit != fault.ExitInterrupted {
		return err
	}
	return fault.Hint(ErrInterrupted, "continue with `"+Invocation()+"`")
}

// Invocation returns the command line of this process.
func Invocation() string { return "talbot " + plain.Quote(os.Args[1:]...) }

// watching counts the watches, and obeyed the signals that they got.
var watching, obeyed atomic.Int32

// Watch returns a context that the first signal cancels, and a function that ends the watch. A second SIGHUP gives
// nothing up: a terminal that is closed sends several. One that was ignored when the process started, as by nohup,
// stays ignored.
func (i Interruption) Watch(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	watching.Add(1)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		i.obey(signals, done, cancel)
	}()
	return ctx, func() {
		signal.Stop(signals)
		watching.Add(-1)
		close(done)
		<-ended // its messages come before the command's last ones
		cancel()
	}
}

// obey does what the signals ask for until the command is done.
func (i Interruption) obey(signals <-chan os.Signal, done <-chan struct{}, cancel func()) {
	if i.after == nil {
		i.after = time.After
	}
	if i.exit == nil {
		i.exit = endProcess
	}
	var late <-chan time.Time
	first, given := true, false
	for {
		giveUp := false
		select {
		case <-done:
			return
		case <-late:
			late = nil
			if !given && i.Holds != nil && i.Holds() {
				Say("talbot: still %s; interrupt again to abort\n", i.Doing)
				continue
			}
			if giveUp = true; !given && i.GiveUp != nil && i.Lost != "" {
				Say("talbot: %s\n", i.Lost)
			}
		case s := <-signals:
			obeyed.Add(1)
			if s == syscall.SIGHUP {
				// The reader of the output may be gone too, and writing to it must not end what is being saved.
				signal.Ignore(syscall.SIGPIPE)
			}
			if first {
				first = false
				cancel()
				late = i.after(grace)
				Stderr.NewLine() // after the terminal's ^C
				if i.Doing != "" {
					Say("talbot: %s; interrupt again to abort\n", i.Doing)
				}
				continue
			}
			if giveUp = s != syscall.SIGHUP; giveUp && i.GiveUp == nil {
				i.exit(nil)
				return
			}
		}
		if !giveUp {
			continue
		}
		if given || i.GiveUp == nil || !i.GiveUp() {
			i.exit(i.End())
			return
		}
		given, late = true, i.after(lastGrace)
	}
}

// ending is set by whichever ends the process: the command itself, or a signal that it did not heed.
var ending atomic.Bool

// endProcess ends the process with an error, or silently: committed files stay, and the next run ignores temporary
// ones. It does not wait for standard output, which may be what the command hangs on.
func endProcess(err error) {
	if !ending.CompareAndSwap(false, true) {
		select {} // the command is about to end by itself
	}
	Stderr.SetLine(nil)
	status := fault.ExitInterrupted
	if err != nil {
		status = fail(err, Mode.JSON)
	}
	Stderr.Flush() // its error has nowhere to go
	os.Exit(status)
}

// unwatched lets a signal end a command that does not watch for any, or not yet, with the same message. Signals that
// were ignored when the process started stay ignored. The function that it returns ends that.
func unwatched() func() {
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	done := make(chan struct{})
	go func() {
		for seen := int32(0); ; { // a signal that a watch obeyed comes here too, perhaps after that watch
			select {
			case <-done:
				return
			case <-signals:
				if seen++; watching.Load() == 0 && seen > obeyed.Load() {
					Stderr.NewLine()
					endProcess(ErrInterrupted)
				}
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
