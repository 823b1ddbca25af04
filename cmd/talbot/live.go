package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"talbot/internal/plain"
	"talbot/train"
)

// liveTrain returns a callback that keeps one line about a run up to date on a
// terminal and prints one every ten seconds elsewhere, and a function that ends
// the display.
func liveTrain(quiet bool) (func(train.Progress), func()) {
	if quiet {
		return func(train.Progress) {}, func() {}
	}
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	every := 10 * time.Second
	if terminal {
		every = 200 * time.Millisecond
	}
	var line trainLine
	last := time.Now()
	return func(p train.Progress) {
			line.add(p)
			if time.Since(last) < every {
				return
			}
			last = time.Now()
			text := line.text()
			if !terminal {
				say("train: %s\n", text)
				return
			}
			if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 1 {
				text = text[:min(len(text), width-1)]
			}
			fmt.Fprint(stderr.exact(), "\r\033[K"+plain.Escape(text))
		}, func() {
			if terminal && line.steps > 0 {
				fmt.Fprint(stderr.exact(), "\r\033[K")
			}
		}
}

// trainLine is the line about a run.
type trainLine struct {
	now                 train.Progress
	steps               int64 // of this process
	policy, value, top1 *float64
	val                 *train.Line
}

// smooth is the weight of a step in the running means of the line: they are over about fifty steps.
const smooth = 0.02

// add takes over what a step or a validation tells.
func (l *trainLine) add(p train.Progress) {
	l.now = p
	if p.Val != nil {
		l.val = p.Val
		return
	}
	l.steps++
	weight := max(smooth, 1/float64(l.steps))
	mean := func(old **float64, x *float64) {
		switch {
		case x == nil:
		case *old == nil:
			*old = x
		default:
			next := **old + weight*(*x-**old)
			*old = &next
		}
	}
	mean(&l.policy, p.PolicyCE)
	mean(&l.value, p.ValueMSE)
	mean(&l.top1, p.Top1)
}

// text is the line. It is ASCII, so that it may be cut anywhere, and what matters stands first.
func (l *trainLine) text() string {
	p := l.now
	left := time.Duration(float64(p.Steps-p.Step) * p.Seconds / float64(max(1, l.steps)) * float64(time.Second))
	text := fmt.Sprintf("step %d/%d, policy %s, value %s, top-1 %s, %.0f positions/s, loader wait %.0f %%, %v left",
		p.Step, p.Steps, cell(l.policy, false), cell(l.value, false), cell(l.top1,
			true), p.PositionsPerSecond, 100*p.LoaderWait, left.Round(time.Second))
	if v := l.val; v != nil {
		text += fmt.Sprintf(", val %s / %s / %s", cell(v.PolicyCE, false), cell(v.ValueMSE, false), cell(v.Top1, true))
	}
	return text
}
