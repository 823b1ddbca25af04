package main

import (
	"io"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/schollz/progressbar/v3"

	"talbot/internal/plain"
)

// statusLine is what stands on the last line of a terminal while a command works.
type statusLine struct {
	verb    string
	share   float64  // done, 0 to 1; negative if not known
	details []string // the most important first
}

// The columns of the bar between its ends. A terminal that is too narrow for the shortest has none.
const (
	shortestBar = 8
	longestBar  = 30
)

// text returns the line for a terminal of that many columns. It leaves the last one free, so that the cursor never
// wraps.
//
// The library draws percentage and bar. It can neither leave out details that do not fit, nor keep the line in a width
// that changes, nor let warnings pass above it: that is done here and by [outlet].
func (l statusLine) text(columns int) string {
	room := columns - 1
	verb := shorten(plain.Escape(l.verb), max(room/3, 12))
	details := make([]string, len(l.details))
	for i, d := range l.details {
		details[i] = plain.Escape(d)
	}
	if l.share < 0 {
		return shorten(verb+"  "+fitting(details, room-uniseg.StringWidth(verb)-2), room)
	}
	bar := drawBar(verb, l.share, shortestBar)
	if uniseg.StringWidth(bar+" "+fitting(details[:min(1, len(details))], room)) > room {
		bar = drawBar(verb, l.share, 0)
		return shorten(bar+" "+fitting(details, room-uniseg.StringWidth(bar)-1), room)
	}
	text := fitting(details, room-uniseg.StringWidth(bar)-1)
	spare := room - uniseg.StringWidth(bar+" "+text)
	return drawBar(verb, l.share, min(longestBar, shortestBar+spare)) + " " + text
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

// fitting joins the first details that fit.
func fitting(details []string, columns int) string {
	text := ""
	for i, d := range details {
		if i > 0 {
			d = ", " + d
		}
		if uniseg.StringWidth(text+d) > columns {
			break
		}
		text += d
	}
	return text
}

// shorten cuts a text to that many columns and marks that with "…".
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
