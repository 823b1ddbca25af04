package report

import (
	"fmt"
	"math"
	"strings"

	"talbot/train"
)

// The size of a chart and of its margins, in pixels.
const (
	chartWidth  = 560
	chartHeight = 240
	left        = 52
	right       = 20
	top         = 10
	bottom      = 26
)

// chart is a line chart laid out for drawing.
type chart struct {
	Title, Note   string
	Width, Height int
	X, Y          []tick
	Series        []series
	Left, Right   float64 // of the plot
	Top, Base     float64
}

type tick struct {
	At   float64
	Text string
}

// series is one line.
type series struct {
	Name, Class, Path string
	Dots              []dot
}

type dot struct {
	X, Y float64
	Text string // shown by pointing
}

type point struct{ x, y float64 }

// curve is a line to be laid out.
type curve struct {
	name, class string
	points      []point
	dots        bool
}

// curves are the charts of the metrics that have something to show.
func curves(lines []train.Line) []chart {
	means := func(kind string, field func(*train.Line) *float64) (points []point) {
		for i := range lines {
			if l := &lines[i]; l.Kind == kind {
				if y := field(l); y != nil {
					points = append(points, point{float64(l.Step), *y})
				}
			}
		}
		return points
	}
	both := func(field func(*train.Line) *float64) []curve {
		return []curve{{"train", "train", means("train", field), false}, {"val", "val", means("val", field), true}}
	}
	one := func(field func(*train.Line) float64) []curve {
		return []curve{{"train", "train", means("train", func(l *train.Line) *float64 { y := field(l); return &y }), false}}
	}
	var list []chart
	for _, c := range []struct {
		title, note string
		curves      []curve
		zero        bool
		show        func(float64) string
	}{
		{"Policy", "cross-entropy over all moves, in nats", both(func(l *train.Line) *float64 { return l.PolicyCE }), false, short},
		{"First move", "share of the targets on the move of the highest logit", both(func(l *train.Line) *float64 { return l.Top1 }), true, percent},
		{"Value", "mean squared error", both(func(l *train.Line) *float64 { return l.ValueMSE }), true, short},
		{"Learning rate", "of each step", one(func(l *train.Line) float64 { return l.LR }), true, short},
		{"Gradient", "global norm before clipping, mean of the steps between lines", one(func(l *train.Line) float64 { return l.GradNorm }), true, short},
		{"Speed", "positions a second", one(func(l *train.Line) float64 { return l.PositionsPerSecond }), true, short},
		{"Loader", "share of the time spent waiting for batches", one(func(l *train.Line) float64 { return l.LoaderWait }), true, percent},
	} {
		if drawn, ok := newChart(c.title, c.note, c.curves, c.zero, c.show); ok {
			list = append(list, drawn)
		}
	}
	return list
}

// newChart lays a chart out; false if there is nothing to draw. With zero the axis begins at 0.
func newChart(title, note string, curves []curve, zero bool, show func(float64) string) (chart, bool) {
	c := chart{Title: title, Note: note, Width: chartWidth, Height: chartHeight,
		Left: left, Right: chartWidth - right, Top: top, Base: chartHeight - bottom}
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, line := range curves {
		for _, p := range line.points {
			low, high = point{min(low.x, p.x), min(low.y, p.y)}, point{max(high.x, p.x), max(high.y, p.y)}
		}
	}
	if !(low.x < high.x) {
		return c, false
	}
	if zero {
		low.y = min(low.y, 0)
	}
	if low.y == high.y {
		high.y++
	}
	ys := ticks(low.y, high.y, 5)
	low.y, high.y = min(low.y, ys[0]), max(high.y, ys[len(ys)-1])
	place := func(p point) (x, y float64) {
		x = c.Left + (p.x-low.x)/(high.x-low.x)*(c.Right-c.Left)
		y = c.Base - (p.y-low.y)/(high.y-low.y)*(c.Base-c.Top)
		return round(x), round(y)
	}
	for _, t := range ys {
		_, y := place(point{low.x, t})
		c.Y = append(c.Y, tick{y, show(t)})
	}
	for _, t := range ticks(low.x, high.x, 6) {
		if x, _ := place(point{t, low.y}); t >= low.x && t <= high.x {
			c.X = append(c.X, tick{x, short(t)})
		}
	}
	for _, line := range curves {
		if len(line.points) == 0 {
			continue
		}
		s := series{Name: line.name, Class: line.class}
		var path strings.Builder
		for i, p := range thinned(line.points) {
			x, y := place(p)
			fmt.Fprintf(&path, "%s%g %g", map[bool]string{true: "M", false: "L"}[i == 0], x, y)
			if line.dots || i == len(line.points)-1 {
				s.Dots = append(s.Dots, dot{x, y, fmt.Sprintf("%s, step %s: %.4g", line.name, thousands(int64(p.x)), p.y)})
			}
		}
		s.Path = path.String()
		c.Series = append(c.Series, s)
	}
	return c, true
}

// thinned returns at most 1000 points, means of neighbours.
func thinned(points []point) []point {
	const most = 1000
	if len(points) <= most {
		return points
	}
	var list []point
	for i := range most {
		part := points[i*len(points)/most : (i+1)*len(points)/most]
		var sum point
		for _, p := range part {
			sum.x, sum.y = sum.x+p.x, sum.y+p.y
		}
		n := float64(len(part))
		list = append(list, point{sum.x / n, sum.y / n})
	}
	return list
}

// ticks returns round numbers from at most low to at least high, about n of them.
func ticks(low, high float64, n int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if (high-low)/(f*step) <= float64(n) {
			step *= f
			break
		}
	}
	var list []float64
	for i := math.Floor(low/step + 1e-9); ; i++ {
		list = append(list, i*step)
		if i*step >= high-1e-9*step {
			return list
		}
	}
}

func round(x float64) float64 { return math.Round(10*x) / 10 }

// short writes a number of an axis.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e6:
		return fmt.Sprintf("%.4g M", v/1e6)
	case a >= 1e4:
		return fmt.Sprintf("%.4g k", v/1e3)
	case a < 1e-12:
		return "0"
	}
	return fmt.Sprintf("%.4g", v)
}
