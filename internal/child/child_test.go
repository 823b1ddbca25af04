//go:build unix

package child

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func start(t *testing.T, script string, cfg Config) *Process {
	t.Helper()
	cfg.Path, cfg.Args = "/bin/sh", []string{"-c", script}
	p, err := Start(cfg, time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// TestTalk: lines come and go, in the folder and with the environment that were asked for.
func TestTalk(t *testing.T) {
	dir := t.TempDir()
	p := start(t, `read x; echo "$x $CHILD_TEST"; pwd -P`, Config{Dir: dir, Env: []string{"CHILD_TEST=here"}})
	deadline := time.Now().Add(time.Minute)
	if err := errors.Join(p.Write("hello\n", deadline), p.ReadBy(deadline)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"hello here\n", dir + "\n"} {
		if line, err := p.ReadLine(); err != nil || string(line) != want {
			t.Errorf("%q, %v, should be %q", line, err, want)
		}
	}
	if _, err := p.ReadLine(); !IsGone(err) {
		t.Errorf("at the end: %v", err)
	}
	if exit, ok := p.WaitExit(time.Minute); !ok || exit != "exit status 0" {
		t.Errorf("%q, %v", exit, ok)
	}
	if err := p.Write(strings.Repeat("x", 1<<20), time.Now().Add(time.Minute)); !IsGone(err) {
		t.Errorf("writing to one who has gone: %v", err)
	}
}

// TestBounds: neither silence, nor noise, nor one who does not listen, is waited for. The deadline is set only when the
// program is known to do what it is to be cut off from, however long that took.
func TestBounds(t *testing.T) {
	const soon = 100 * time.Millisecond
	for script, want := range map[string]error{
		"echo started; exec sleep 1000": os.ErrDeadlineExceeded,
		"yes":                           os.ErrDeadlineExceeded,
		"echo; yes | tr -d '\\n'":       ErrLongLine,
	} {
		p := start(t, script, Config{})
		if err := p.ReadBy(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		_, err := p.ReadLine()
		if err != nil {
			t.Fatalf("%q: the first line: %v", script, err)
		}
		if want == os.ErrDeadlineExceeded {
			err = p.ReadBy(time.Now().Add(soon))
		}
		for err == nil {
			_, err = p.ReadLine()
		}
		if !errors.Is(err, want) {
			t.Errorf("%q: %v, should be %v", script, err, want)
		}
		if err := p.Close(); err != nil {
			t.Errorf("%q: %v", script, err)
		}
	}
	p := start(t, "sleep 1000", Config{})
	if err := p.Write(strings.Repeat("x", 1<<20), time.Now().Add(soon)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("writing to one who does not read: %v", err)
	}
}

// lockedBuilder is written by one goroutine and read by another.
type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestStderr: all of it goes where it is asked for, its end is kept.
func TestStderr(t *testing.T) {
	var all lockedBuilder
	p := start(t, "i=0; while test $i -lt 2000; do echo line $i >&2; i=$((i+1)); done", Config{Stderr: &all})
	select {
	case <-p.drained: // all that was written is there; Close does not wait long for it
	case <-time.After(time.Minute):
		t.Fatal("stderr does not end")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if tail := p.Stderr(); !strings.HasSuffix(tail, "line 1999") || !strings.HasPrefix(tail, "…") ||
		len(tail) > MaxTail+3 {
		t.Errorf("tail of %d bytes: %.40q", len(tail), tail)
	}
	if n := strings.Count(all.text(), "\n"); n != 2000 {
		t.Errorf("%d lines", n)
	}
}

// TestKillGroup: what the program has started goes with it.
func TestKillGroup(t *testing.T) {
	p := start(t, "sleep 1000 & echo started; wait", Config{})
	_ = p.ReadBy(time.Now().Add(time.Minute))
	if _, err := p.ReadLine(); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if _, err := p.ReadLine(); !IsGone(err) { // the other sleeper has our pipes open
		t.Errorf("after the end of all: %v", err)
	}
	if err := p.Close(); err != nil { // it does not wait long
		t.Error(err)
	}
	if exit, ok := p.WaitExit(time.Second); !ok || exit != KilledExit {
		t.Errorf("%q, %v", exit, ok)
	}
}

func TestStartFails(t *testing.T) {
	if _, err := Start(Config{Path: "/nowhere/engine"}, time.Now().Add(time.Minute)); !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), `"/nowhere/engine"`) {
		t.Error(err)
	}
}
