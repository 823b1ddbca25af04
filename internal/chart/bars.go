package chart

import (
	"fmt"
	"math"
	"strings"

	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// widestBar is the width of a vertical bar, at most, in the units of the viewBox.
const widestBar = 60

// Bars are named counts, to be drawn as a chart.
type Bars struct {
	Title, Note string
	Unit        string // what is counted, in the plural
	Bars        []Bar
}

// Bar is a named count.
type Bar struct {
	Name  string
	Count int64
}

// BarChart is the layout of a chart of vertical bars: for many of them, in an order.
type BarChart struct {
	frame
	Unit string
	Bars []verticalBar
	of   Bars
}

type verticalBar struct {
	X, Y, Width, Height, Middle float64
	Label                       string // below; empty where there is no room
	Text                        string // shown by pointing
}

// BarList is the layout of a chart of horizontal bars: for few of them, with their names and counts.
type BarList struct {
	Title, Note string
	Bars        []horizontalBar
	of          Bars
}

type horizontalBar struct {
	Name, Count, Share string  // the share is of all
	Width              float64 // in per cent of the greatest
}

// most returns the greatest count and the sum of all.
func (b *Bars) most() (most, sum int64) {
	for _, one := range b.Bars {
		most, sum = max(most, one.Count), sum+one.Count
	}
	return most, sum
}

// NewBarList lays out horizontal bars; false if there is nothing to show.
func NewBarList(b Bars) (*BarList, bool) {
	most, sum := b.most()
	if most == 0 {
		return nil, false
	}
	l := &BarList{Title: b.Title, Note: b.Note, of: b}
	for _, one := range b.Bars {
		share := fmt.Sprintf("%.1f %%", 100*(float64(one.Count)/float64(sum)))
		l.Bars = append(l.Bars, horizontalBar{one.Name, humanize.Thousands(one.Count), share,
			100 * float64(one.Count) / float64(most)})
	}
	return l, true
}

// NewBarChart lays out vertical bars; false if there is nothing to show.
func NewBarChart(b Bars) (*BarChart, bool) {
	most, sum := b.most()
	if most == 0 {
		return nil, false
	}
	c := &BarChart{frame: newFrame(b.Title, b.Note, largeWidth, largeHeight), Unit: b.Unit, of: b}
	marks := ticks(0, float64(most), 5, 1)[1:]
	height := func(n float64) float64 {
		if n == 0 {
			return 0
		}
		return max(n/marks[len(marks)-1]*(c.Base-c.Top), 1)
	}
	for _, t := range marks {
		c.Y = append(c.Y, tick{c.Base - height(t), Short(t)})
	}
	letters := 0
	for _, one := range b.Bars {
		letters = max(letters, len([]rune(one.Name)))
	}
	step := (c.Right - c.Left) / float64(len(b.Bars))
	every := max(1, int(math.Ceil(float64(letters*7+8)/step)))
	for i, one := range b.Bars {
		h := height(float64(one.Count))
		width := min(step-min(2, step/5), widestBar)
		r := verticalBar{X: c.Left + float64(i)*step + (step-width)/2, Y: c.Base - h, Width: width, Height: h}
		r.Middle = r.X + r.Width/2
		if i%every == 0 {
			r.Label = one.Name
		}
		r.Text = fmt.Sprintf("%s: %s %s, %.2f %%", one.Name, humanize.Thousands(one.Count), b.Unit,
			100*float64(one.Count)/float64(sum))
		c.Bars = append(c.Bars, r)
	}
	return c, true
}

// WriteText writes the bars in letters.
func (c *BarChart) WriteText(b *strings.Builder) { c.of.writeText(b) }

// WriteText writes the bars in letters.
func (l *BarList) WriteText(b *strings.Builder) { l.of.writeText(b) }

// textWidth is the length of the longest bar in letters.
const textWidth = 32

// writeText writes a line for each bar; what is not zero is seen.
func (b *Bars) writeText(to *strings.Builder) {
	most, sum := b.most()
	title := b.Title
	if b.Note != "" {
		title += ": " + b.Note
	}
	plain.Fprintf(to, "%s\n", title)
	for _, one := range b.Bars {
		length := int(float64(one.Count)/float64(most)*textWidth + 0.5)
		if one.Count > 0 {
			length = max(length, 1)
		}
		plain.Fprintf(to, "  %-14s%s%s %s, %.1f %%\n", one.Name, strings.Repeat("█", length),
			strings.Repeat(" ", textWidth-length), humanize.Thousands(one.Count), 100*float64(one.Count)/float64(sum))
	}
}
