package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/schollz/progressbar/v3"

	"talbot/internal/plain"
	"talbot/internal/progress"
)

// Line is a line of progress.
type Line struct {
	Verb    string
	Share   float64  // done, 0 to 1; negative if not known
	Details []string // the most important first
}

// The bar's length in columns. Where there is no room for the shortest there is no bar.
const (
	shortestBar = 8
	longestBar  = 30
)

// Fit returns the line for a terminal of that many columns: verb, percentage, bar and the first details that fit. The
// last column stays free, so that the cursor never wraps.
func (l Line) Fit(columns int) string {
	room := columns - 1
	verb := shorten(plain.Escape(l.Verb), max(room/3, 12))
	head := verb
	if l.Share >= 0 {
		head = drawBar(verb, l.Share, 0)
	}
	details, separator := "", " "
	for _, d := range l.Details {
		next := details + separator + plain.Escape(d)
		if uniseg.StringWidth(head+next) > room {
			break
		}
		details, separator = next, ", "
	}
	if spare := room - uniseg.StringWidth(head+details+" ||"); l.Share >= 0 && spare >= shortestBar {
		head = drawBar(verb, l.Share, min(spare, longestBar))
	}
	return shorten(head+details, room)
}

// drawBar returns verb, percentage and a bar of that many columns; no bar if the number is 0.
func drawBar(verb string, share float64, columns int) string {
	const whole = 100_000
	var ends progressbar.Theme
	if columns > 0 {
		ends = progressbar.ThemeDefault
	}
	bar := progressbar.NewOptions64(whole, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(columns),
		progressbar.OptionSetDescription(verb), progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetTheme(ends))
	_ = bar.Set64(int64(share * whole)) // io.Discard has no errors
	_ = bar.RenderBlank()               // Set64 draws nothing below 1 %
	return strings.TrimSpace(bar.String())
}

// text returns the line for a file.
func (l Line) text() string {
	details := strings.Join(l.Details, ", ")
	if l.Share < 0 {
		return l.Verb + ": " + details
	}
	return fmt.Sprintf("%s: %d %%, %s", l.Verb, int(100*l.Share), details)
}

// shorten cuts a text to that many columns and marks the cut with "…".
func shorten(text string, columns int) string {
	if uniseg.StringWidth(text) <= columns {
		return text
	}
	cut, width := "", 1
	for g := uniseg.NewGraphemes(text); g.Next() && width+g.Width() <= columns; width += g.Width() {
		cut += g.Str()
	}
	return cut + "…"
}

// Display shows lines of progress: on a terminal the newest in place of the last, elsewhere one every ten seconds.
type Display struct{ last time.Time }

// NewDisplay returns a display that shows nothing yet. The first line on a terminal is due at once.
func NewDisplay() *Display {
	if Stderr.IsTerminal() {
		return &Display{}
	}
	return &Display{last: time.Now()}
}

const (
	drawEvery  = 100 * time.Millisecond
	printEvery = 10 * time.Second
)

// Show shows the line that a function returns, if one is due. A quiet command shows none.
func (d *Display) Show(line func() Line) {
	every := printEvery
	if Stderr.IsTerminal() {
		every = drawEvery
	}
	if Mode.Quiet || time.Since(d.last) < every {
		return
	}
	d.last = time.Now()
	if l := line(); Stderr.IsTerminal() {
		Stderr.SetLine(l.Fit)
	} else {
		Say("%s\n", l.text())
	}
}

// End removes the line from a terminal.
func (d *Display) End() { Stderr.SetLine(nil) }

// ShowProgress returns a function that shows how far work has come, each verb measured for itself, and one that ends
// the display.
func ShowProgress() (show func(progress.Progress), end func()) {
	var start time.Time
	var pace *progress.Pace
	var now progress.Progress
	d := NewDisplay()
	end = func() {
		d.End()
		detailStage(now, time.Since(start))
		now = progress.Progress{}
	}
	return func(p progress.Progress) {
		if pace == nil || p.Verb != now.Verb {
			end()
			start, pace, d = time.Now(), &progress.Pace{}, NewDisplay()
			pace.Add(0, p.First, 0)
		}
		now = p
		pace.Add(time.Since(start), p.Done, p.Free)
		p.Pace = pace
		d.Show(func() Line { return lineOf(p, time.Since(start)) })
	}, end
}

func lineOf(p progress.Progress, elapsed time.Duration) Line {
	l := Line{Verb: p.Verb, Share: -1, Details: p.Details(elapsed)}
	if share, ok := p.Share(); ok {
		l.Share = share
	}
	return l
}
