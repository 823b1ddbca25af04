package chart

import (
	"fmt"
	"math"
	"strings"

	"talbot/internal/humanize"
)

// Band is an estimate with its interval as it went on, to be drawn as a chart.
type Band struct {
	Title, Note string
	XName       string // what is counted along the axis, in the plural
	Points      []BandPoint
}

// BandPoint is the estimate after so much of what is counted, with the limits of its interval.
type BandPoint struct{ X, Y, Low, High float64 }

// BandChart is a band, laid out.
type BandChart struct {
	frame
	XName      string
	Line, Band string  // paths
	Zero       float64 // where the estimate is 0; 0: not in the plot
	End        *dot
}

// NewBandChart lays a band out; false if no two points have an estimate. Points whose estimate or limits are infinite
// or missing are left out. The intervals of the first tenth are wide and may leave the plot, which is for the rest.
func NewBandChart(b Band) (*BandChart, bool) {
	var points []BandPoint
	for _, p := range b.Points {
		if sum := p.Y + p.Low + p.High; !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			points = append(points, p)
		}
	}
	if len(points) < 2 || points[0].X == points[len(points)-1].X {
		return nil, false
	}
	c := &BandChart{frame: newFrame(b.Title, b.Note, largeWidth, largeHeight), XName: b.XName}
	last := points[len(points)-1]
	low, high := last.Low, last.High
	for _, p := range points {
		if p.X >= last.X/10 {
			low, high = min(low, p.Low), max(high, p.High)
		}
	}
	// The last interval has at least a third of the height.
	low = max(low, last.Y-3*max(last.Y-last.Low, 1))
	high = min(high, last.Y+3*max(last.High-last.Y, 1))
	ys := ticks(low, high, 5, 0)
	low, high = ys[0], ys[len(ys)-1]
	x := func(v float64) float64 { return round(c.Left + v/last.X*(c.Right-c.Left)) }
	y := func(v float64) float64 {
		return round(c.Base - (min(max(v, low), high)-low)/(high-low)*(c.Base-c.Top))
	}
	for _, t := range ys {
		c.Y = append(c.Y, tick{y(t), short(t, 1e4)})
	}
	for _, t := range ticks(0, last.X, 6, 1) {
		if t <= last.X {
			c.X = append(c.X, tick{x(t), short(t, 1e4)})
		}
	}
	if low < 0 && high > 0 {
		c.Zero = y(0)
	}
	var line, upper, lower strings.Builder
	outside := true
	for i, p := range points {
		if within := p.Y >= low && p.Y <= high; !within {
			outside = true
		} else {
			step := "L"
			if outside {
				step, outside = "M", false
			}
			fmt.Fprintf(&line, "%s%g %g", step, x(p.X), y(p.Y))
		}
		step := "L"
		if i == 0 {
			step = "M"
		}
		fmt.Fprintf(&upper, "%s%g %g", step, x(p.X), y(p.High))
		back := points[len(points)-1-i]
		fmt.Fprintf(&lower, "L%g %g", x(back.X), y(back.Low))
	}
	c.Line, c.Band = line.String(), upper.String()+lower.String()+"z"
	c.End = &dot{x(last.X), y(last.Y), fmt.Sprintf("after %s %s: %+.1f (%+.1f to %+.1f)",
		humanize.Thousands(int64(last.X)),
		b.XName, last.Y, last.Low, last.High)}
	return c, true
}
