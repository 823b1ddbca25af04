package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

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
	again := "talbot " + shellQuote(os.Args[1:])
	return hintError{error: errInterrupted, hint: "continue with `" + again + "`", status: exitInterrupted}
}

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
	done := make(chan struct{})
	go func() {
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
					say("\ntalbot: %s; interrupt again to abort\n", first)
				} else if s != syscall.SIGHUP {
					abort()
				}
			}
		}
	}()
	return ctx, func() { signal.Stop(signals); close(done); cancel() }
}

// abortNow ends the process: what is committed stays, temporary files are
// ignored by the next run.
func abortNow() { os.Exit(exitInterrupted) }

// progress returns a callback that draws a bar on a terminal and prints a
// line every ten seconds elsewhere, and a function that ends the display.
func progress(quiet bool) (func(pipeline.Progress), func()) {
	if quiet {
		return func(pipeline.Progress) {}, func() {}
	}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		return progressBar()
	}
	start, last := time.Now(), time.Now()
	return func(p pipeline.Progress) {
		if time.Since(last) < 10*time.Second {
			return
		}
		last = time.Now()
		say("%s: %s\n", p.Verb, p.Text(time.Since(start)))
	}, func() {}
}

func progressBar() (func(pipeline.Progress), func()) {
	var bar *progressbar.ProgressBar
	start := time.Now()
	return func(p pipeline.Progress) {
			if bar == nil {
				bar = progressbar.NewOptions64(max(p.Total, -1),
					progressbar.OptionSetWriter(stderr.exact()),
					progressbar.OptionThrottle(100*time.Millisecond),
					progressbar.OptionSetPredictTime(false),
					progressbar.OptionClearOnFinish())
			}
			bar.Describe(plain.Escape(p.Verb + ": " + p.Text(time.Since(start))))
			_ = bar.Set64(p.Done)
		}, func() {
			if bar != nil {
				_ = bar.Finish()
			}
		}
}
