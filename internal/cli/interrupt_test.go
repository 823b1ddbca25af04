package cli

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"talbot/internal/fault"
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
func play(t *testing.T, i Interruption, what ...any) (log []string, waits []time.Duration, end error) {
	t.Helper()
	e := events{signals: make(chan os.Signal), clock: make(chan time.Time)}
	var said strings.Builder
	old := Stderr
	Stderr = NewTerminal(&said, nil)
	defer func() { Stderr = old }()
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
	i.exit = func(err error) { e.ended = err; note("end") }
	if give := i.GiveUp; give != nil {
		i.GiveUp = func() bool { note("give up"); return give() }
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
	saving := Interruption{Doing: "saving", End: func() error { return words }}
	engines, starting, trained, untrained := saving, saving, saving, saving
	engines.GiveUp, engines.Lost = yes, "giving up"
	starting.GiveUp, starting.Lost = no, "giving up"
	trained.Holds, untrained.Holds = yes, no
	const answer, giving = "talbot: saving; interrupt again to abort", "talbot: giving up"
	for _, c := range []struct {
		name string
		i    Interruption
		what []any
		want []string
		said error
	}{
		{"heeded", saving, []any{syscall.SIGINT}, []string{"cancel", answer}, nil},
		{"not heeded", saving, []any{syscall.SIGTERM, tick}, []string{"cancel", answer, "end"}, words},
		{"twice", saving, []any{syscall.SIGINT, syscall.SIGINT}, []string{"cancel", answer, "end"}, nil},
		{"hang-ups", saving, []any{syscall.SIGHUP, syscall.SIGHUP}, []string{"cancel", answer}, nil},
		{"hang-ups, late", saving, []any{syscall.SIGHUP, syscall.SIGHUP, tick}, []string{"cancel", answer, "end"},
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

// Only a command that goes on from there promises it of a full disk.
func TestFullDisk(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "page.html", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string
	}{
		{full, "free some disk space and repeat the command"},
		{Repeatable(full), "free some disk space and repeat the command"},
		{Resumable(full), "free some disk space, then continue with `" + Invocation() + "`"},
	} {
		if status, hint := fault.Of(c.err); status != fault.ExitFailed || hint != c.want {
			t.Errorf("%d, %q, want %q", status, hint, c.want)
		}
	}
}
