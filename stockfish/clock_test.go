package stockfish

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"talbot/board"
	"talbot/internal/child"
)

// handClock is a clock that only a test moves. It is a century ahead of the machine's, so by it nothing is late because
// the machine is busy.
type handClock struct {
	mu        sync.Mutex
	at        time.Time
	deadlines map[*child.Process]time.Time // of reading
}

func newHandClock() *handClock {
	return &handClock{at: time.Now().AddDate(100, 0, 0), deadlines: map[*child.Process]time.Time{}}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *handClock) ReadBy(p *child.Process, deadline time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadlines[p] = deadline
	return c.apply(p)
}

// apply gives a process a deadline by the machine's clock that is long over, or none; c.mu is held.
func (c *handClock) apply(p *child.Process) error {
	if c.at.Before(c.deadlines[p]) {
		return p.ReadBy(time.Time{})
	}
	return p.ReadBy(time.Unix(1, 0))
}

func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	for p := range c.deadlines {
		_ = c.apply(p) // it may be closed
	}
}

// passInSilence moves the clock of a configuration on by d whenever one of its fakes falls silent for good, so that its
// answer is late by exactly 0 s if it was to come within d.
func passInSilence(t *testing.T, cfg Config, d time.Duration) {
	t.Helper()
	end, ended := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(end); <-ended })
	go func() {
		defer close(ended)
		for n := 1; awaitCount(cfg, "silent", n, end); n++ {
			cfg.testClock.(*handClock).advance(d)
		}
	}()
}

// awaitCount waits until the fakes of a configuration have counted up to n, and reports whether they have before the
// end.
func awaitCount(cfg Config, name string, n int, end <-chan struct{}) bool {
	for countOf(cfg, name) < n {
		select {
		case <-end:
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
	return true
}

// countOf is how far the fakes of a configuration have counted.
func countOf(cfg Config, name string) int {
	info, err := os.Stat(filepath.Join(cfg.dir(), name))
	if err != nil {
		return 0
	}
	return int(info.Size())
}

// TestMachineClock: without a clock of the test's it is the machine's that counts.
func TestMachineClock(t *testing.T) {
	noLeak(t)
	const soon = 100 * time.Millisecond
	cfg := fakeConfig(t, "silent")
	cfg.testClock, cfg.StartTimeout = nil, soon
	if _, err := Start(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "in time") {
		t.Errorf("a silent engine: %v", err)
	}
	cfg = fakeConfig(t, "hang")
	cfg.testClock, cfg.StartTimeout, cfg.SearchTimeout = nil, time.Minute, soon
	_, err := startEngine(t, cfg).Search(t.Context(), board.StartPosition(), nil)
	if err == nil || !strings.Contains(err.Error(), "bestmove: no answer in time") {
		t.Errorf("an endless search: %v", err)
	}
}
