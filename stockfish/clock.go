package stockfish

import (
	"time"

	"talbot/internal/child"
)

// clock is what an engine's answers are late by: the machine's, or one that a test moves on.
type clock interface {
	now() time.Time
	// readBy sets the deadline of p's ReadLine.
	readBy(p *child.Process, deadline time.Time) error
}

type machineClock struct{}

func (machineClock) now() time.Time { return time.Now() }

func (machineClock) readBy(p *child.Process, deadline time.Time) error { return p.ReadBy(deadline) }

func (c Config) clock() clock {
	if c.testClock != nil {
		return c.testClock
	}
	return machineClock{}
}

// within is the deadline of what may take that long from now on.
func (c Config) within(d time.Duration) time.Time { return c.clock().now().Add(d) }
