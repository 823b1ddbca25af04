package gpucheck

import (
	"context"
	"errors"
	"testing"
	"time"

	"talbot/network/backend"
)

func small() Check {
	return Check{Backend: "go", Blocks: 1, Filters: 4, Batch: 8, Time: time.Millisecond,
		Begins: func(string) {}}
}

func TestCheck(t *testing.T) {
	for _, name := range []string{"go", "xla:cpu"} {
		t.Run(name, func(t *testing.T) {
			if _, ok := backend.Discover().Plugin("cpu"); name == "xla:cpu" && (!ok || !backend.XLA) {
				t.Skip("NOT TESTED: there is no plugin xla:cpu")
			}
			c := small()
			c.Backend = name
			r, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if r.Backend.Kind != name || r.Backend.Devices < 1 {
				t.Errorf("%+v", r.Backend)
			}
			if l := r.Losses; len(l.Here) != comparedSteps || len(l.Go) != comparedSteps || l.Mean > 1e-4 ||
				!(l.Here[0] > l.Here[comparedSteps-1]*0.5) {
				t.Errorf("%+v", l)
			}
			if s := r.Speed; !(s.PositionsPerSecond > 0 && s.FirstStep > 0 && s.Batch == c.Batch) {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestCheckEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := small()
	c.Time = time.Hour
	c.Begins = func(what string) {
		if what == "training" {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	}
	if r, err := c.Run(ctx); !errors.Is(err, context.Canceled) || r.Losses == nil || r.Speed != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// Losses that differ by more than rounding are refused.
func TestLosses(t *testing.T) {
	l := Losses{Here: []float64{2, 1}, Go: []float64{2.02, 1.1}}
	l.measure()
	if !(l.First > firstApart && l.First < 0.01) || !(l.Mean > 0.05 && l.Mean < 0.051) {
		t.Errorf("%+v", l)
	}
}

func TestMeter(t *testing.T) {
	m := &meter{end: func() {}, done: make(chan struct{})}
	close(m.done)
	for _, line := range []string{"97, 641.20", "3, [N/A]", "[N/A], 3", ""} {
		m.add(line)
	}
	if busy, watts := m.stop(); busy != 0.5 || watts != 320.6 {
		t.Errorf("%g, %g", busy, watts)
	}
}
