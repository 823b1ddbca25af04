package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"talbot/internal/plain"
	"talbot/pipeline"
)

// shellQuote returns a command line that a shell splits into args again. What would not show is in $'…'.
func shellQuote(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if plain.Escape(a) != a {
			quoted[i] = "$'" + plain.Escape(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(a)) + "'"
		} else if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%", r)
		}) {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// resumable turns the end of an interrupted command into the command line that
// goes on with it, which is the same one.
func resumable(err error) error {
	if status, _ := classify(err); status != exitInterrupted {
		return err
	}
	return hintError{error: errInterrupted, hint: "continue with `" + again() + "`", status: exitInterrupted}
}

// again returns the command line of this process.
func again() string { return "talbot " + shellQuote(os.Args[1:]) }

// interrupts returns a context that the first Ctrl-C, SIGTERM or SIGHUP cancels, so
// that work drains and is saved, and calls abort at the second one. A second SIGHUP
// does not: a terminal that is closed sends several. One that was ignored when the
// process began, as by nohup, stays ignored.
func interrupts(parent context.Context, abort func()) (context.Context, func()) {
	return interruptsSaying(parent, "saving", abort)
}

// interruptsSaying is [interrupts] for work that does something else at the first.
func interruptsSaying(parent context.Context, first string, abort func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				if s == syscall.SIGHUP {
					// Whoever read the output may be gone too, and writing to it must not end what is being saved.
					signal.Ignore(syscall.SIGPIPE)
				}
				if ctx.Err() == nil {
					cancel()
					stderr.newLine() // behind the terminal's ^C
					say("talbot: %s; interrupt again to abort\n", first)
				} else if s != syscall.SIGHUP {
					abort()
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-ended // what it says is said before the command's last words
		cancel()
	}
}

// abortNow ends the process: what is committed stays, temporary files are
// ignored by the next run.
func abortNow() {
	stderr.setLine(nil)
	os.Exit(exitInterrupted)
}

// How often progress is shown on a terminal, and as lines of text elsewhere.
const (
	drawEvery = 100 * time.Millisecond
	sayEvery  = 10 * time.Second
)

// progress returns a callback that keeps one line up to date on a terminal and prints one every ten seconds elsewhere,
// and a function that ends the display.
func progress() (func(pipeline.Progress), func()) {
	if voice.quiet {
		return func(pipeline.Progress) {}, func() {}
	}
	show, end := display()
	var s stages
	return func(p pipeline.Progress) { s.add(p); show(p) }, func() { end(); s.end() }
}

// display is [progress] of a command that is not quiet.
func display() (func(pipeline.Progress), func()) {
	start := time.Now()
	if stderr.columns == nil {
		last := start
		return func(p pipeline.Progress) {
			if time.Since(last) >= sayEvery {
				last = time.Now()
				say("%s: %s\n", p.Verb, p.Text(time.Since(start)))
			}
		}, func() {}
	}
	var last time.Time
	return func(p pipeline.Progress) {
		if time.Since(last) >= drawEvery {
			last = time.Now()
			stderr.setLine(statusOf(p, last.Sub(start)).text)
		}
	}, func() { stderr.setLine(nil) }
}

func statusOf(p pipeline.Progress, elapsed time.Duration) statusLine {
	line := statusLine{verb: p.Verb, share: -1, details: p.Details(elapsed)}
	if share, ok := p.Share(); ok {
		line.share = share
	}
	return line
}
