package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// A command that is interrupted answers at once and ends within five seconds, whatever it is doing: it may wait for a
// pipe without a writer, for a compiler, or for a search that takes an hour, none of which can be told to stop. So
// it first gets the grace to end by itself, then what it is waiting for is given up, and then the process ends. No work
// is lost that way but what was given up: all files are whole or absent, and what is on disk is gone on with.
const (
	grace     = 3 * time.Second
	lastGrace = time.Second
)

// interruption is what the signals that interrupt a command do to it. The zero value of all but says is ready.
type interruption struct {
	says string // what the first signal begins; "": nothing that takes time
	// giveUp ends what the command waits for, at the second signal or after the grace; nil: there is nothing to end
	// but the process. It reports whether it did so.
	giveUp func() bool
	// lost names what giveUp costs, where it was not asked for by a second signal; "": nothing worth a word.
	lost string
	// holds reports that the command has something to save and must be waited for; nil: it never has.
	holds func() bool
	// words are what the command ends with if it does not end by itself.
	words func() error

	after func(time.Duration) <-chan time.Time // the clock; nil: the real one
	end   func(error)                          // ends the process; nil: really
}

// errRepeatCommand is how a command ends that was interrupted and has kept nothing.
var errRepeatCommand = hintError{error: errInterrupted, hint: "repeat the command", status: exitInterrupted}

// interrupts returns a context that the first Ctrl-C, SIGTERM or SIGHUP cancels, for commands whose work is saved and
// gone on with by the same command line. What it returns with it ends the watch.
func interrupts(parent context.Context) (context.Context, func()) {
	return interruption{says: "saving", words: func() error { return resumable(context.Canceled) }}.watch(parent)
}

// stops is [interrupts] for commands that keep nothing.
func stops(parent context.Context) (context.Context, func()) {
	return interruption{says: "stopping", words: func() error { return errRepeatCommand }}.watch(parent)
}

// repeatable turns the end of a command that keeps nothing, interrupted or on a full disk, into words.
func repeatable(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return errRepeatCommand
	case errors.Is(err, syscall.ENOSPC):
		return hintError{error: err, hint: "free some disk space and repeat the command"}
	}
	return err
}

// resumable turns the end of an interrupted command into the command line that
// goes on with it, which is the same one.
func resumable(err error) error {
	if status, _ := classify(err); status != exitInterrupted {
		return err
	}
	return hintError{error: errInterrupted, hint: "continue with `" + invocation() + "`", status: exitInterrupted}
}

// invocation returns the command line of this process.
func invocation() string { return "talbot " + shellQuote(os.Args[1:]) }

// watched counts the interruptions that are watched for, and obeyed the signals that they got.
var watched, obeyed atomic.Int32

// watch returns a context that the first signal cancels, and what ends the watch. A second SIGHUP gives nothing up: a
// terminal that is closed sends several. One that was ignored when the process began, as by nohup, stays ignored.
func (i interruption) watch(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	watched.Add(1)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		i.obey(signals, done, cancel)
	}()
	return ctx, func() {
		signal.Stop(signals)
		watched.Add(-1)
		close(done)
		<-ended // what it says is said before the command's last words
		cancel()
	}
}

// obey does what signals ask for until the command is done.
func (i interruption) obey(signals <-chan os.Signal, done <-chan struct{}, cancel func()) {
	if i.after == nil {
		i.after = time.After
	}
	if i.end == nil {
		i.end = endProcess
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
			if !given && i.holds != nil && i.holds() {
				say("talbot: still %s; interrupt again to abort\n", i.says)
				continue
			}
			if giveUp = true; !given && i.giveUp != nil && i.lost != "" {
				say("talbot: %s\n", i.lost)
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
				stderr.newLine() // after the terminal's ^C
				if i.says != "" {
					say("talbot: %s; interrupt again to abort\n", i.says)
				}
				continue
			}
			if giveUp = s != syscall.SIGHUP; giveUp && i.giveUp == nil {
				i.end(nil)
				return
			}
		}
		if !giveUp {
			continue
		}
		if given || i.giveUp == nil || !i.giveUp() {
			i.end(i.words())
			return
		}
		given, late = true, i.after(lastGrace)
	}
}

// lastWords is set by what ends the process: the command itself, or a signal that it did not heed.
var lastWords atomic.Bool

// endProcess ends the process with an error, or silently: what is committed stays, and the next run ignores
// temporary files. It does not wait for standard output, which may be what the command hangs on.
func endProcess(err error) {
	if !lastWords.CompareAndSwap(false, true) {
		select {} // the command is about to end by itself
	}
	stderr.setLine(nil)
	status := exitInterrupted
	if err != nil {
		status = fail(err, voice.json)
	}
	stderr.flush() // its error has nowhere to go
	os.Exit(status)
}

// unwatched lets a signal end a command that does not watch for any, or not yet, in the way of those that do. Signals
// that were ignored when the process began stay ignored.
func unwatched() func() {
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	done := make(chan struct{})
	go func() {
		for seen := int32(0); ; { // a signal that a watch obeyed comes here too, maybe after that watch has ended
			select {
			case <-done:
				return
			case <-signals:
				if seen++; watched.Load() == 0 && seen > obeyed.Load() {
					stderr.newLine()
					endProcess(hintError{error: errInterrupted, status: exitInterrupted})
				}
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
