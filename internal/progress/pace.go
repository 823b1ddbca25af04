package progress

import (
	"math"
	"sort"
	"time"
)

// Pace measures how fast work goes on. The zero value has measured nothing. It belongs to one goroutine.
//
// A time left is worth showing if it can be trusted: the first that is shown is within a factor of two of what it
// takes, as long as the rest goes on as the work did last. So it is shown only when two stretches of the work, which
// end now and together are the second half of the time watched, went at the same pace. A start that was faster or
// slower than what followed (labels found again, a compiler, the engines' start) is forgotten when the work has gone on
// for as long again.
type Pace struct {
	// Even says that each unit given to Add takes the same time, as training steps do. Otherwise more of them must be
	// seen: what many engines began together also ends together, and games end soon or late.
	Even bool

	marks []mark
	now   mark          // where the work is now: the last mark or shortly after it
	gap   time.Duration // between marks, at least
}

// mark is how far the work was at a time.
type mark struct {
	at         time.Duration
	done, free int64
}

const (
	// watchedAtLeast is how long work is watched before a time left is shown.
	watchedAtLeast = 5 * time.Second
	// steadyWithin is the greatest ratio of the paces of the two stretches.
	steadyWithin = 1.5
	// eventsAtLeast and evenEventsAtLeast are how often work must have gone on in each of the stretches.
	eventsAtLeast     = 5
	evenEventsAtLeast = 2
	// maxMarks is how many marks are kept; of more, each second one goes, and fewer are made.
	maxMarks = 256
)

// Add notes how far the work is after that time, in any unit, and how much of it cost nothing. The first call is when
// the work begins; times do not go back.
func (p *Pace) Add(at time.Duration, done, free int64) {
	n := len(p.marks)
	if n > 0 && done <= p.now.done {
		return
	}
	p.now = mark{at, done, free}
	if n > 0 && at < p.marks[n-1].at+p.gap {
		return
	}
	if n == maxMarks {
		for i := range maxMarks / 2 {
			p.marks[i] = p.marks[2*i]
		}
		p.marks = p.marks[:maxMarks/2]
		p.gap = (at - p.marks[0].at) / (maxMarks / 2)
	}
	p.marks = append(p.marks, p.now)
}

// Left returns how long the given amount of work will take; false if that is not known.
func (p *Pace) Left(more int64) (time.Duration, bool) {
	n := len(p.marks)
	if n == 0 {
		return 0, false
	}
	now, events := p.now, eventsAtLeast
	if p.Even {
		events = evenEventsAtLeast
	}
	span := now.at - p.marks[0].at
	if span < watchedAtLeast {
		return 0, false
	}
	half, quarter := p.until(now.at-span/2), p.until(now.at-span/4)
	if quarter-half < events || n-1-quarter < events {
		return 0, false
	}
	from, middle := p.marks[half], p.marks[quarter]
	before, after := pace(from, middle), pace(middle, now)
	if before > steadyWithin*after || after > steadyWithin*before {
		return 0, false
	}
	// What is to come may be free as what was, or not at all: between the two there is a factor of two at most.
	paid := 1 - float64(now.free-from.free)/float64(now.done-from.done)
	if paid < 0.5 {
		return 0, false
	}
	return time.Duration(float64(more) / pace(from, now) / math.Sqrt(min(1, paid))), true
}

// until returns the last mark that was made at a time or before.
func (p *Pace) until(at time.Duration) int {
	i := sort.Search(len(p.marks), func(i int) bool { return p.marks[i].at > at })
	return max(0, i-1)
}

// pace is the work in a nanosecond between two marks.
func pace(a, b mark) float64 { return float64(b.done-a.done) / float64(max(1, b.at-a.at)) }
