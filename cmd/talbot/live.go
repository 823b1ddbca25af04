package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

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
	first, last, val := int64(-1), time.Now(), ""
	return func(p train.Progress) {
			if first < 0 {
				first = p.Step - 1
			}
			if p.Val != nil {
				val = fmt.Sprintf(", val %.3f / %.4f", p.Val.PolicyCE, p.Val.ValueMSE)
			}
			if time.Since(last) < every {
				return
			}
			last = time.Now()
			text := trainText(p, first) + val
			if !terminal {
				fmt.Fprintln(os.Stderr, "train: "+text)
				return
			}
			if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 1 {
				text = text[:min(len(text), width-1)]
			}
			fmt.Fprint(os.Stderr, "\r\033[K"+text)
		}, func() {
			if terminal && first >= 0 {
				fmt.Fprint(os.Stderr, "\r\033[K")
			}
		}
}

// trainText is the line; first is the step this process began behind. It is
// ASCII, so that it may be cut anywhere.
func trainText(p train.Progress, first int64) string {
	left := time.Duration(float64(p.Steps-p.Step) * p.Seconds / float64(max(1, p.Step-first)) * float64(time.Second))
	return fmt.Sprintf("step %d/%d, %.0f positions/s, %v left, policy %.3f, value %.4f, loader wait %.0f %%",
		p.Step, p.Steps, p.PositionsPerSecond, left.Round(time.Second), p.PolicyCE, p.ValueMSE, 100*p.LoaderWait)
}
