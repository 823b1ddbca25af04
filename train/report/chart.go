package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"talbot/train"
)

// size is that of a chart, in the units of its viewBox.
type size struct{ width, height int }

// The sizes of the charts of losses and of those about the training itself, and their margins.
var (
	large = size{400, 230}
	small = size{300, 150}
)

const (
	left   = 52
	right  = 16
	top    = 10
	bottom = 36
)

// chart is a line chart laid out for drawing.
type chart struct {
	Title, Note   string
	Width, Height int
	X, Y          []tick
	Series        []series
	Left, Right   float64 // of the plot
	Top, Base     float64
	Smoothed      bool  // some line is smoothed
	Best          *best // nil = not drawn
}

// best marks the step of the best checkpoint.
type best struct {
	X, Y   float64 // Y of the validation there
	Ring   bool    // there is one
	Text   string
	Anchor string // of the text
	Shift  float64
}

type tick struct {
	At   float64
	Text string
}

// series is one line.
type series struct {
	Name, Class string
	Last        string // value of the last point
	Path        string
	Raw         string // path of the points that Path smooths; "" if they are the same
	Dots        []dot
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

// curves are the charts of the metrics that have something to show: those of losses, and those about the training
// itself.
func (r Run) curves() (losses, others []chart) {
	means := func(kind string, field func(*train.MetricsLine) *float64) (points []point) {
		for i := range r.Lines {
			if l := &r.Lines[i]; l.Kind == kind {
				if y := field(l); y != nil {
					points = append(points, point{float64(l.Step), *y})
				}
			}
		}
		return points
	}
	bestStep := int64(0)
	for i := range r.Lines {
		if r.Lines[i].Best {
			bestStep = r.Lines[i].Step
		}
	}
	for _, t := range r.terms() {
		of := func(l *train.MetricsLine) *float64 { return l.Of(t.Name) }
		show := short
		if t.Share {
			show = percent
		}
		both := []curve{{"train", "train", means("train", of), false}, {"val", "val", means("val", of), true}}
		if c, ok := newChart(t.Title, t.Note, large, both, t.Zero, t.Falls, show, bestStep); ok {
			losses = append(losses, c)
		}
	}
	for _, c := range []struct {
		title, note string
		show        func(float64) string
		field       func(*train.MetricsLine) float64
	}{
		{"Learning rate", "of each step", short, func(l *train.MetricsLine) float64 { return l.LR }},
		{"Gradient", "global norm before clipping", short, func(l *train.MetricsLine) float64 { return l.GradNorm }},
		{"Speed", "positions a second", short, func(l *train.MetricsLine) float64 { return l.PositionsPerSecond }},
		{"Loader", "time spent waiting for batches", percent,
			func(l *train.MetricsLine) float64 { return l.LoaderWait }},
	} {
		alone := []curve{{"train", "train", means("train",
			func(l *train.MetricsLine) *float64 { y := c.field(l); return &y }), false}}
		if c, ok := newChart(c.title, c.note, small, alone, true, false, c.show, 0); ok {
			others = append(others, c)
		}
	}
	return losses, others
}

// newChart lays a chart out; false if there is nothing to draw. With zero the axis begins at 0. Of a long line that
// falls the steep beginning is cut, see [cutStart]. The best step is marked, 0 = none.
func newChart(title, note string, size size, curves []curve, zero, falls bool, show func(float64) string,
	bestStep int64) (chart, bool) {
	c := chart{Title: title, Note: note, Width: size.width, Height: size.height,
		Left: left, Right: float64(size.width - right), Top: top, Base: float64(size.height - bottom)}
	if falls {
		if start := cutStart(curves); start > 0 {
			c.Note += ", from " + show(precise(start)) + " at the start"
		}
	}
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
	ys := ticks(low.y, high.y, size.height/45)
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
	for _, t := range ticks(low.x, high.x, size.width/60) {
		if x, _ := place(point{t, low.y}); t >= low.x && t <= high.x && t == math.Trunc(t) {
			c.X = append(c.X, tick{x, short(t)})
		}
	}
	if x := float64(bestStep); bestStep > 0 && low.x <= x && x <= high.x {
		c.Best = newBest(x, curves, place)
	}
	for _, line := range curves {
		if len(line.points) == 0 {
			continue
		}
		points := thinned(line.points)
		last := points[len(points)-1]
		s := series{Name: line.name, Class: line.class, Last: show(precise(last.y))}
		if smooth := smoothed(points); !line.dots && smooth != nil {
			s.Raw, points, c.Smoothed = path(points, place), smooth, true
		}
		s.Path = path(points, place)
		for i, p := range points {
			if x, y := place(p); line.dots && len(points) <= mostDots || i == len(points)-1 {
				s.Dots = append(s.Dots, dot{x, y, fmt.Sprintf("%s, step %s: %.4g", line.name, thousands(int64(p.x)),
					p.y)})
			}
		}
		c.Series = append(c.Series, s)
	}
	return c, true
}

// newBest marks a step, and on a line with dots its point there.
func newBest(step float64, curves []curve, place func(point) (x, y float64)) *best {
	b := &best{Text: "best, step " + thousands(int64(step)), Anchor: "start", Shift: 6}
	b.X, _ = place(point{x: step})
	if b.X > float64(large.width)/2 {
		b.Anchor, b.Shift = "end", -6
	}
	for _, line := range curves {
		for _, p := range line.points {
			if line.dots && p.x == step {
				b.X, b.Y = place(p)
				b.Ring = true
			}
		}
	}
	return b
}

// cutStart cuts off what is higher, before the twentieth part of the steps, than anything behind it, so that the rest
// of a long run is not pressed flat. It returns the greatest value, 0 if nothing is cut.
func cutStart(curves []curve) (start float64) {
	longest := slices.MaxFunc(curves, func(a, b curve) int { return cmp.Compare(len(a.points), len(b.points)) }).points
	if len(longest) < few {
		return 0
	}
	first, last := longest[0], longest[len(longest)-1]
	from, bound := first.x+(last.x-first.x)/20, math.Inf(-1)
	for _, line := range curves {
		for _, p := range line.points {
			if start = max(start, p.y); p.x >= from {
				bound = max(bound, p.y)
			}
		}
	}
	if start <= bound {
		return 0
	}
	for i := range curves {
		curves[i].points = slices.DeleteFunc(curves[i].points, func(p point) bool { return p.y > bound })
	}
	return start
}

// mostDots is up to how many points of a line have a mark each.
const mostDots = 60

func path(points []point, place func(point) (x, y float64)) string {
	var text strings.Builder
	for i, p := range points {
		x, y := place(p)
		fmt.Fprintf(&text, "%s%g %g", map[bool]string{true: "M", false: "L"}[i == 0], x, y)
	}
	return text.String()
}

// few is below how many points a line is drawn as it is.
const few = 60

// smoothed returns for each of many points the mean of its neighbourhood, a fiftieth of the line; nil for few points.
// The first points, which fall steeply, have as many neighbours on one side as on the other.
func smoothed(points []point) []point {
	if len(points) < few {
		return nil
	}
	half := max(1, len(points)/100)
	list := make([]point, len(points))
	for i := range points {
		reach := min(half, i)
		near := points[i-reach : min(i+reach+1, len(points))]
		var sum float64
		for _, p := range near {
			sum += p.y
		}
		list[i] = point{points[i].x, sum / float64(len(near))}
	}
	return list
}

// precise rounds to four significant digits.
func precise(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*unit) / unit
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
