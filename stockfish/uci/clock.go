package uci

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"talbot/internal/child"
)

// Clock measures deadlines: the machine's clock, or one that a test moves on.
type Clock interface {
	Now() time.Time
	// ReadBy sets the deadline of p's ReadLine.
	ReadBy(p *child.Process, deadline time.Time) error
}

type machineClock struct{}

func (machineClock) Now() time.Time { return time.Now() }

func (machineClock) ReadBy(p *child.Process, deadline time.Time) error { return p.ReadBy(deadline) }

const (
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
)

const (
	maxAttempts = 3
	// MaxKilled is how often somebody else may kill an engine before that counts as its failure.
	MaxKilled = 10
)

// Retry makes attempts until one succeeds, ctx ends or three have failed; that somebody else kills the engine does not
// count, up to [MaxKilled] times. Before each it waits, but for the first if no attempt was lost before: see [Pause].
func Retry(ctx context.Context, lost int, attempt func(n int) error) error {
	for failed, killed := 0, 0; ; {
		n := lost + failed + killed
		if n > 0 {
			if err := Pause(ctx, n); err != nil {
				return err
			}
		}
		err := attempt(n)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if errors.Is(err, ErrKilled) && killed < MaxKilled {
			killed++
		} else if failed++; failed == maxAttempts {
			return fmt.Errorf("%w (%d attempts)", err, failed)
		}
	}
}

// Pause waits before the n-th start of an engine in a row: doubled each time, within a factor of a half to three halves
// at random so that engines that died together do not start together. It returns the cause of ctx if that ends.
func Pause(ctx context.Context, n int) error {
	d := min(firstPause<<min(n-1, 20), lastPause)
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
