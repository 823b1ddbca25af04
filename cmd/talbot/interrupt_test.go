package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"talbot/internal/plain"
)

// events is what happens to a command, each in its turn: a signal, or the next time that was waited for.
type events struct {
	signals chan os.Signal
	clock   chan time.Time
	waits   []time.Duration
	log     []string
	ended   error
}

// play has an interruption obey the events and returns what it did: "cancel", "give up", "end" and what it said.
func play(t *testing.T, i interruption, what ...any) (log []string, waits []time.Duration, end error) {
	t.Helper()
	e := events{signals: make(chan os.Signal), clock: make(chan time.Time)}
	var said strings.Builder
	old := stderr
	stderr = &outlet{file: &said}
	stderr.text = plain.NewWriter((*exactOutlet)(stderr))
	defer func() { stderr = old }()
	note := func(s string) {
		if said.Len() > 0 {
			e.log = append(e.log, strings.TrimSpace(said.String()))
			said.Reset()
		}
		if s != "" {
			e.log = append(e.log, s)
		}
	}
	i.after = func(d time.Duration) <-chan time.Time { e.waits = append(e.waits, d); return e.clock }
	i.end = func(err error) { e.ended = err; note("end") }
	if give := i.giveUp; give != nil {
		i.giveUp = func() bool { note("give up"); return give() }
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		i.obey(e.signals, done, func() { note("cancel") })
	}()
	for _, w := range what {
		var open bool
		switch w := w.(type) {
		case syscall.Signal:
			select {
			case e.signals <- w:
				open = true
			case <-ended:
			}
		case time.Duration:
			select {
			case e.clock <- time.Time{}:
				open = true
			case <-ended:
			}
		}
		if !open {
			t.Fatalf("%v came after the end: %q", w, e.log)
		}
	}
	select { // what the last event does is awaited; a further hang-up does nothing
	case e.signals <- syscall.SIGHUP:
	case <-ended:
	}
	close(done)
	<-ended
	note("")
	return e.log, e.waits, e.ended
}

// Whatever a command does, the first signal is answered, and it ends within five seconds unless it saves something.
func TestInterruption(t *testing.T) {
	const tick = time.Duration(0)
	words := errors.New("last words")
	yes, no := func() bool { return true }, func() bool { return false }
	plain := interruption{says: "saving", words: func() error { return words }}
	engines, starting, trained, untrained := plain, plain, plain, plain
	engines.giveUp, engines.lost = yes, "giving up"
	starting.giveUp, starting.lost = no, "giving up"
	trained.holds, untrained.holds = yes, no
	const answer, giving = "talbot: saving; interrupt again to abort", "talbot: giving up"
	for _, c := range []struct {
		name string
		i    interruption
		what []any
		want []string
		said error
	}{
		{"heeded", plain, []any{syscall.SIGINT}, []string{"cancel", answer}, nil},
		{"not heeded", plain, []any{syscall.SIGTERM, tick}, []string{"cancel", answer, "end"}, words},
		{"twice", plain, []any{syscall.SIGINT, syscall.SIGINT}, []string{"cancel", answer, "end"}, nil},
		{"hang-ups", plain, []any{syscall.SIGHUP, syscall.SIGHUP}, []string{"cancel", answer}, nil},
		{"hang-ups, late", plain, []any{syscall.SIGHUP, syscall.SIGHUP, tick}, []string{"cancel", answer, "end"},
			words},
		{"a long search", engines, []any{syscall.SIGINT, tick}, []string{"cancel", answer + "\n" + giving, "give up"},
			nil},
		{"engines that hang", engines, []any{syscall.SIGINT, tick, tick},
			[]string{"cancel", answer + "\n" + giving, "give up", "end"}, words},
		{"a search aborted", engines, []any{syscall.SIGINT, syscall.SIGINT}, []string{"cancel", answer, "give up"},
			nil},
		{"aborted, hangs", engines, []any{syscall.SIGINT, syscall.SIGINT, tick},
			[]string{"cancel", answer, "give up", "end"}, words},
		{"engines that start", starting, []any{syscall.SIGINT, tick},
			[]string{"cancel", answer + "\n" + giving, "give up", "end"}, words},
		{"a step", trained, []any{syscall.SIGINT, tick},
			[]string{"cancel", answer + "\ntalbot: still saving; interrupt again to abort"}, nil},
		{"a compiler", untrained, []any{syscall.SIGINT, tick}, []string{"cancel", answer, "end"}, words},
	} {
		log, waits, err := play(t, c.i, c.what...)
		if !slices.Equal(log, c.want) || err != c.said {
			t.Errorf("%s: %q, %v; want %q, %v", c.name, log, err, c.want, c.said)
		}
		var all time.Duration
		for _, w := range waits {
			all += w
		}
		if all > 4500*time.Millisecond {
			t.Errorf("%s: it takes %v", c.name, waits)
		}
	}
}

// What a command that keeps nothing says of a full disk does not promise that it goes on from there.
func TestRepeatable(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "page.html", Err: syscall.ENOSPC}
	status, hint := classify(repeatable(full))
	if status != exitFailed || hint != "free some disk space and repeat the command" {
		t.Errorf("%d, %q", status, hint)
	}
	if _, other := classify(full); other == hint {
		t.Errorf("%q for a command that goes on", other)
	}
}

// A command that waits for what never comes ends on a signal all the same, with the words of any other interruption.
func TestSignalWhileWaiting(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the grace")
	}
	for name, c := range map[string]struct{ args, hint []string }{
		"games":     {[]string{"ingest", "fifo", "--out", "a"}, []string{"saving; interrupt again", "continue with"}},
		"materials": {[]string{"synth-endgames", "--count", "3", "--material-file", "fifo", "--out", "c"}, nil},
		"openings":  {[]string{"match", "random:", "random:", "--openings", "fifo", "--out", "d"}, nil},
		"an engine": {[]string{"synth-games", "--games", "3", "--engine", "./engine", "--workers", "1", "--out", "e"},
			[]string{"saving; interrupt again", "continue with"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			fifo := filepath.Join(dir, "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Skip(err)
			}
			const engine = "#!/bin/sh\n" + `while read line; do case $line in
uci) echo "id name Fake"; echo "option name Hash type spin default 16 min 1 max 64"; echo uciok;;
isready) echo readyok;;
go*) read move <fifo;;
quit) exit;;
esac; done
`
			if err := os.WriteFile(filepath.Join(dir, "engine"), []byte(engine), 0o700); err != nil {
				t.Fatal(err)
			}
			cmd, _, said := talbotCommand(t, dir, c.args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			silent, err := os.OpenFile(fifo, os.O_WRONLY, 0) // until the command reads
			if err != nil {
				t.Fatal(err)
			}
			defer silent.Close()
			cmd.Process.Signal(os.Interrupt)
			cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); status != exitInterrupted {
				t.Errorf("%q: status %d", c.args, status)
			}
			for _, part := range append(c.hint, "talbot: error: interrupted") {
				if !strings.Contains(said.String(), part) {
					t.Errorf("%q is not in %q", part, said)
				}
			}
		})
	}
}
