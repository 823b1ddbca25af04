package progress

import (
	"math/rand/v2"
	"testing"
	"time"
)

// work is how far work is after each event: seconds, units, and units that cost nothing.
type work []struct {
	at         float64
	done, free int64
}

// add goes on with so many units in so many seconds, in that many events.
func (w *work) add(seconds float64, units, free int64, events int) {
	var last struct {
		at         float64
		done, free int64
	}
	if len(*w) > 0 {
		last = (*w)[len(*w)-1]
	}
	for i := 1; i <= events; i++ {
		next := last
		next.at += seconds * float64(i) / float64(events)
		next.done += units * int64(i) / int64(events)
		next.free += free * int64(i) / int64(events)
		*w = append(*w, next)
	}
}

// searches goes on with units that take a time of their own each, in that many workers.
func (w *work) searches(workers, units int, seconds func() float64) {
	var last struct {
		at         float64
		done, free int64
	}
	if len(*w) > 0 {
		last = (*w)[len(*w)-1]
	}
	ends := make([]float64, workers)
	for i := range ends {
		ends[i] = last.at + seconds()
	}
	for range units {
		first := 0
		for i, e := range ends {
			if e < ends[first] {
				first = i
			}
		}
		last.at, last.done = ends[first], last.done+1
		*w = append(*w, last)
		ends[first] += seconds()
	}
}

// firstLeft returns the first time left that is told, the time it takes from there, and the share done by then.
func firstLeft(w work) (told, truth, share float64) {
	var p Pace
	p.Add(0, 0, 0)
	end := w[len(w)-1]
	for _, e := range w[:len(w)-1] {
		p.Add(time.Duration(e.at*1e9), e.done, e.free)
		if left, ok := p.Left(end.done - e.done); ok {
			return left.Seconds(), end.at - e.at, float64(e.done) / float64(end.done)
		}
	}
	return 0, 0, 1
}

// However work begins, the first time left that is told is within a factor of two of what it takes.
func TestFirstTimeLeft(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	around := func(mean float64) func() float64 {
		return func() float64 { return mean * (0.5 + rng.Float64()) }
	}
	for _, c := range []struct {
		name string
		make func(w *work)
		by   float64 // the share of the work by which a time is told; 1: perhaps never
	}{
		{"evenly", func(w *work) { w.add(0, 1, 0, 1); w.add(100, 1000, 0, 1000) }, 0.06},
		{"a compiler first", func(w *work) { w.add(40, 1, 0, 1); w.add(400, 1000, 0, 1000) }, 0.12},
		{"two compilers", func(w *work) { w.add(40, 1, 0, 1); w.add(30, 20, 0, 1); w.add(600, 1000, 0, 50) }, 0.3},
		{"a third was labelled before", func(w *work) {
			w.add(10, 300_000, 300_000, 100)
			w.add(8640, 600_000, 0, 8640)
		}, 0.4},
		{"slow engines at first", func(w *work) { w.add(2, 10, 0, 20); w.add(1000, 50_000, 0, 10000) }, 0.05},
		{"half is found again, evenly", func(w *work) { w.add(1000, 50_000, 24_000, 10000) }, 0.1},
		{"nearly all is found again", func(w *work) { w.add(1000, 50_000, 49_000, 10000) }, 1},
		{"long searches", func(w *work) { w.searches(2, 300, around(6)) }, 0.2},
		{"games side by side", func(w *work) { w.searches(16, 400, around(30)) }, 0.3},
		{"a burst at first", func(w *work) { w.add(1, 5000, 0, 100); w.add(500, 20_000, 0, 4000) }, 0.5},
		{"one event", func(w *work) { w.add(3600, 1, 0, 1) }, 1},
	} {
		for range 50 {
			var w work
			c.make(&w)
			told, truth, share := firstLeft(w)
			if share > c.by || share < 1 && (told > 2*truth || truth > 2*told) {
				t.Errorf("%s: %.1f s left are told where %.1f s are, after %.1f %%", c.name, told, truth, 100*share)
				break
			}
		}
	}
}

// A Pace that has seen much forgets what is long ago and stays right.
func TestPaceIsBounded(t *testing.T) {
	var p Pace
	for i := range 100_000 {
		p.Add(time.Duration(i)*time.Millisecond, int64(i), 0)
	}
	if left, ok := p.Left(1000); !ok || left < 990*time.Millisecond || left > 1010*time.Millisecond ||
		len(p.marks) > maxMarks {
		t.Errorf("%v %v of %d marks", left, ok, len(p.marks))
	}
}
