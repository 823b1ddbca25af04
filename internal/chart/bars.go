package chart

import (
	"fmt"
	"math"
	"strings"

	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// The size of a bar chart and its margins, in the units of the viewBox.
const (
	barsWidth, barsHeight = 400, 210
	barsLeft              = 46
	barsRight             = 4
	barsTop               = 12
	barsBottom            = 30
	widestBar             = 60
)

// Bars are named counts, to be drawn as a chart.
type Bars struct {
	Title, Note string
	Unit        string // what is counted, in the plural
	Bars        []Bar
	Logarithmic bool               // the axis of vertical bars, which then begins at 1
	Number      func(int64) string // writes a count; nil: with commas between thousands
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

func (b *Bars) number(n int64) string {
	if b.Number == nil {
		return humanize.Thousands(n)
	}
	return b.Number(n)
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
		l.Bars = append(l.Bars, horizontalBar{one.Name, b.number(one.Count), share,
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
	c := &BarChart{frame: frame{Title: b.Title, Note: b.Note, Width: barsWidth, Height: barsHeight, Left: barsLeft,
		Right: barsWidth - barsRight, Top: barsTop, Base: barsHeight - barsBottom}, Unit: b.Unit, of: b}
	marks := logarithms(most)
	if !b.Logarithmic {
		marks = ticks(0, float64(most), 5, 1)[1:]
	}
	top := marks[len(marks)-1]
	height := func(n float64) float64 {
		share := n / top
		if b.Logarithmic {
			share = (math.Log10(max(n, 1)) + 0.15) / (math.Log10(top) + 0.15)
		}
		if n == 0 {
			return 0
		}
		return max(share*(c.Base-c.Top), 1)
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
		r.Text = fmt.Sprintf("%s: %s %s, %.2f %%", one.Name, b.number(one.Count), b.Unit,
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
			strings.Repeat(" ", textWidth-length), b.number(one.Count), 100*float64(one.Count)/float64(sum))
	}
}

// logarithms returns the powers of ten from 1 to at least most, and at least 10.
func logarithms(most int64) (list []float64) {
	for t := 1.0; ; t *= 10 {
		list = append(list, t)
		if t >= 10 && t >= float64(most) {
			return list
		}
	}
}
