package stats

import (
	"fmt"
	"math"

	"talbot/pipeline"
)

// The size of a drawn chart, in pixels.
const (
	plotWidth  = 400
	plotHeight = 210
	plotLeft   = 46
	plotTop    = 12
	plotBottom = 30
	plotWidest = 60 // bar
)

// plot is a bar chart laid out for drawing.
type plot struct {
	Title, Note, Unit string
	Width, Height     int
	Base              float64 // of the bars
	Left, Right       float64
	Bars              []plotBar
	Lines             []plotLine // of the scale
	Most              int64
}

type plotBar struct {
	X, Y, Width, Height, Middle float64
	Label                       string // below; empty where there is no room
	Text                        string // shown by pointing
}

type plotLine struct {
	Y    float64
	Text string
}

// newPlot lays a chart out; a logarithmic one begins at 1.
func newPlot(title, note, unit string, bars []bar, logarithmic bool) plot {
	p := plot{
		Title: title, Note: note, Unit: unit, Width: plotWidth, Height: plotHeight,
		Base: plotHeight - plotBottom, Left: plotLeft, Right: plotWidth - 4,
	}
	sum, letters := int64(0), 0
	for _, b := range bars {
		p.Most, sum = max(p.Most, b.count), sum+b.count
		letters = max(letters, len([]rune(b.name)))
	}
	if p.Most == 0 {
		return p
	}
	top, ticks := scale(p.Most, logarithmic)
	height := func(n float64) float64 {
		share := n / top
		if logarithmic {
			share = (math.Log10(max(n, 1)) + 0.15) / (math.Log10(top) + 0.15)
		}
		if n == 0 {
			return 0
		}
		return max(share*(p.Base-plotTop), 1)
	}
	for _, t := range ticks {
		p.Lines = append(p.Lines, plotLine{p.Base - height(t), short(t)})
	}
	step := (p.Right - p.Left) / float64(len(bars))
	every := max(1, int(math.Ceil(float64(letters*7+8)/step)))
	for i, b := range bars {
		h := height(float64(b.count))
		width := min(step-min(2, step/5), plotWidest)
		r := plotBar{X: p.Left + float64(i)*step + (step-width)/2, Y: p.Base - h, Width: width, Height: h}
		r.Middle = r.X + r.Width/2
		if i%every == 0 {
			r.Label = b.name
		}
		r.Text = fmt.Sprintf("%s: %s %s, %.2f %%", b.name, pipeline.Thousands(b.count), unit,
			100*float64(b.count)/float64(sum))
		p.Bars = append(p.Bars, r)
	}
	return p
}

// scale returns the top of the axis for a greatest count, and where it has lines.
func scale(most int64, logarithmic bool) (top float64, ticks []float64) {
	if logarithmic {
		top = 10
		for top < float64(most) {
			top *= 10
		}
		for t := 1.0; t <= top; t *= 10 {
			ticks = append(ticks, t)
		}
		return top, ticks
	}
	step := math.Pow(10, math.Floor(math.Log10(float64(most))))
	for _, f := range []float64{0.2, 0.5, 1, 2} {
		if float64(most)/(f*step) <= 5 {
			step *= f
			break
		}
	}
	step = max(step, 1)
	for t := step; ; t += step {
		ticks = append(ticks, t)
		if t >= float64(most) {
			return t, ticks
		}
	}
}

// short writes a number of an axis.
func short(v float64) string {
	switch {
	case v >= 1e9:
		return fmt.Sprintf("%g G", v/1e9)
	case v >= 1e6:
		return fmt.Sprintf("%g M", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%g k", v/1e3)
	}
	return fmt.Sprintf("%g", v)
}
