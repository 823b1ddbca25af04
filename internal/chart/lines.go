package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"talbot/internal/humanize"
)

// The sizes of line charts, in the units of the viewBox, and the margins of charts.
const (
	largeWidth, largeHeight = 400, 230
	smallWidth, smallHeight = 300, 150
	wideWidth               = 800

	marginLeft   = 52
	marginRight  = 16
	marginTop    = 10
	marginBottom = 36
)

// Lines are curves, such as over the steps of a training, to be drawn as a chart.
type Lines struct {
	Title, Note string
	Unit        string // what is counted along the axis, in the singular; "": step
	Parts       bool   // the axis is marked at parts of the unit too
	Curves      []Curve
	Small, Wide bool                 // the size; not both
	Low, High   float64              // the vertical axis goes at least so far, where they differ
	Log         bool                 // the vertical axis is logarithmic, and values that are not positive are left out
	Smooth      Smooth               // of the lines without dots
	Values      bool                 // the chart carries its values, for a script of the page
	Zero        bool                 // the vertical axis begins at 0
	Falls       bool                 // the steep beginning of a long run is cut off, and the note says so
	Show        func(float64) string // writes a value; nil: with four digits
	Best        float64              // where the best checkpoint stands on the axis, which is marked; 0: nowhere
}

// Curve is a line of a chart.
type Curve struct {
	Name   string
	Class  string // its colour: "train" or "val", or "c0" to "c7" to tell curves apart
	Points []Point
	Dots   bool // its points are marked and never smoothed
	Faint  bool // drawn thin, without a place in the key
}

// Smooth is how a line is smoothed.
type Smooth uint8

const (
	SmoothLong Smooth = iota // where it has many points, over a fiftieth of it
	SmoothNone
	SmoothMore // over a tenth
)

// Point is a value at a step.
type Point struct{ X, Y float64 }

// LineChart is a chart of lines, laid out.
type LineChart struct {
	frame
	Units    string // what is counted along the axis, in the plural
	Series   []series
	From, To float64 // of the axis, where the chart carries its values
	Values   bool
	Smoothed bool       // some line is drawn as its moving average too
	Best     *bestPoint // nil: not drawn
}

// bestPoint marks the step of the best checkpoint.
type bestPoint struct {
	X, Y float64 // Y of the validation there
	Ring bool    // a validation was there
}

// series is one line.
type series struct {
	Name, Class string
	Last        string // value of the last point
	Path        string
	Raw         string // path of the points that Path smooths; "" if they are the same
	Dots        []dot
	Faint       bool
	Values      string // "x:y" of its points, unsmoothed and thinned, if the chart carries them
}

type dot struct {
	X, Y float64
	Text string // shown by pointing
}

// NewLineChart lays a chart out; false if there are no two steps to draw a line between. It changes the curves.
func NewLineChart(l Lines) (*LineChart, bool) {
	width, height := largeWidth, largeHeight
	switch {
	case l.Small:
		width, height = smallWidth, smallHeight
	case l.Wide:
		width, height = wideWidth, largeHeight
	}
	unit := cmp.Or(l.Unit, "step")
	show := l.Show
	if show == nil {
		show = func(v float64) string { return short(v, 1e4) }
	}
	c := &LineChart{Units: unit + "s", Values: l.Values, frame: newFrame(l.Title, l.Note, width, height)}
	if l.Falls && len(l.Curves) > 0 {
		if start := cutStart(l.Curves); start > 0 {
			c.Note += ", from " + show(precise(start)) + " at the start"
		}
	}
	if l.Log {
		onlyPositive(l.Curves)
	}
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, line := range l.Curves {
		for _, p := range line.Points {
			low, high = Point{min(low.X, p.X), min(low.Y, p.Y)}, Point{max(high.X, p.X), max(high.Y, p.Y)}
		}
	}
	if !(low.X < high.X) {
		return nil, false
	}
	if l.Low < l.High {
		low.Y, high.Y = min(low.Y, l.Low), max(high.Y, l.High)
	}
	if l.Zero && !l.Log {
		low.Y = min(low.Y, 0)
	}
	if low.Y == high.Y {
		high.Y++
	}
	scale, ys := func(y float64) float64 { return y }, []float64(nil)
	if l.Log {
		scale, ys = math.Log, logTicks(low.Y, high.Y)
	} else {
		ys = ticks(low.Y, high.Y, height/45, 0)
	}
	low.Y, high.Y = min(low.Y, ys[0]), max(high.Y, ys[len(ys)-1])
	c.From, c.To = low.X, high.X
	place := func(p Point) (x, y float64) {
		x = c.Left + (p.X-low.X)/(high.X-low.X)*(c.Right-c.Left)
		y = c.Base - (scale(p.Y)-scale(low.Y))/(scale(high.Y)-scale(low.Y))*(c.Base-c.Top)
		return round(x), round(y)
	}
	for _, t := range ys {
		_, y := place(Point{low.X, t})
		c.Y = append(c.Y, tick{y, show(t)})
	}
	for _, t := range ticks(low.X, high.X, width/60, 0) {
		if x, _ := place(Point{t, low.Y}); t >= low.X && t <= high.X && (l.Parts || t == math.Trunc(t)) {
			c.X = append(c.X, tick{x, short(t, 1e4)})
		}
	}
	if x := l.Best; x > 0 && low.X <= x && x <= high.X {
		c.Note = strings.TrimPrefix(c.Note+"; dotted: the best, "+unit+" "+along(x, l.Parts), "; ")
		c.Best = newBest(x, l.Curves, place)
	}
	for _, line := range l.Curves {
		if len(line.Points) == 0 {
			continue
		}
		points := thin(line.Points)
		last := points[len(points)-1]
		s := series{Name: line.Name, Class: line.Class, Last: show(precise(last.Y)), Faint: line.Faint}
		if l.Values {
			s.Values = values(points)
		}
		if smooth := smooth(points, l.Smooth); !line.Dots && smooth != nil {
			s.Raw, points, c.Smoothed = path(points, place), smooth, true
		}
		s.Path = path(points, place)
		for i, p := range points {
			if x, y := place(p); line.Dots && len(points) <= mostDots || i == len(points)-1 {
				s.Dots = append(s.Dots, dot{x, y, fmt.Sprintf("%s, %s %s: %.4g", line.Name, unit, along(p.X, l.Parts),
					p.Y)})
			}
		}
		c.Series = append(c.Series, s)
	}
	return c, true
}

// newBest marks a step, and on a line with dots its point there.
func newBest(step float64, curves []Curve, place func(Point) (x, y float64)) *bestPoint {
	b := &bestPoint{}
	b.X, _ = place(Point{X: step})
	for _, line := range curves {
		for _, p := range line.Points {
			if line.Dots && p.X == step {
				b.X, b.Y = place(p)
				b.Ring = true
			}
		}
	}
	return b
}

// cutStart cuts off the points in the first twentieth of the steps that are higher than all later ones: the rest of a
// long run would be pressed flat. It returns the greatest value, or 0 if nothing is cut.
func cutStart(curves []Curve) (start float64) {
	longest := slices.MaxFunc(curves, func(a, b Curve) int { return cmp.Compare(len(a.Points), len(b.Points)) }).Points
	if len(longest) < few {
		return 0
	}
	first, last := longest[0], longest[len(longest)-1]
	from, bound := first.X+(last.X-first.X)/20, math.Inf(-1)
	for _, line := range curves {
		for _, p := range line.Points {
			if start = max(start, p.Y); p.X >= from {
				bound = max(bound, p.Y)
			}
		}
	}
	if start <= bound {
		return 0
	}
	for i := range curves {
		curves[i].Points = slices.DeleteFunc(curves[i].Points, func(p Point) bool { return p.Y > bound })
	}
	return start
}

// mostDots is the most points of a line that are all marked.
const mostDots = 60

func path(points []Point, place func(Point) (x, y float64)) string {
	var text strings.Builder
	for i, p := range points {
		x, y := place(p)
		fmt.Fprintf(&text, "%s%g %g", map[bool]string{true: "M", false: "L"}[i == 0], x, y)
	}
	return text.String()
}

// few is the number of points from which a line is smoothed and may be cut.
const few = 60

// smooth returns for each of many points the mean of its neighbourhood; nil for few points.
// The first points, which fall steeply, have as many neighbours on one side as on the other.
func smooth(points []Point, how Smooth) []Point {
	if how == SmoothNone || how == SmoothLong && len(points) < few {
		return nil
	}
	half := max(1, len(points)/100)
	if how == SmoothMore {
		half = max(1, len(points)/20)
	}
	list := make([]Point, len(points))
	for i := range points {
		reach := min(half, i)
		near := points[i-reach : min(i+reach+1, len(points))]
		var sum float64
		for _, p := range near {
			sum += p.Y
		}
		list[i] = Point{points[i].X, sum / float64(len(near))}
	}
	return list
}

// onlyPositive removes the points of curves that have no logarithm.
func onlyPositive(curves []Curve) {
	for i := range curves {
		curves[i].Points = slices.DeleteFunc(curves[i].Points, func(p Point) bool { return !(p.Y > 0) })
	}
}

// logTicks returns numbers that are round on a logarithmic axis, from at most low to at least high, both positive.
func logTicks(low, high float64) []float64 {
	steps := []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}
	switch r := high / low; {
	case r > 1e3:
		steps = []float64{1}
	case r > 20:
		steps = []float64{1, 2, 5}
	case r > 4:
		steps = []float64{1, 1.5, 2, 3, 5, 7}
	}
	var list []float64
	for k := math.Floor(math.Log10(low)); ; k++ {
		for i, s := range steps {
			t := s * math.Pow(10, k)
			next := math.Pow(10, k+1)
			if i+1 < len(steps) {
				next = steps[i+1] * math.Pow(10, k)
			}
			if next > low {
				list = append(list, t)
			}
			if t >= high {
				return list
			}
		}
	}
}

// values writes points for a script.
func values(points []Point) string {
	var text strings.Builder
	for i, p := range points {
		if i > 0 {
			text.WriteByte(' ')
		}
		fmt.Fprintf(&text, "%.7g:%.5g", p.X, p.Y)
	}
	return text.String()
}

// along writes a place on the horizontal axis.
func along(x float64, parts bool) string {
	if parts {
		return fmt.Sprintf("%.4g", x)
	}
	return humanize.Thousands(int64(x))
}

// precise rounds to four significant digits.
func precise(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*unit) / unit
}

// thin returns at most 1000 points, means of neighbours.
func thin(points []Point) []Point {
	const most = 1000
	if len(points) <= most {
		return points
	}
	var list []Point
	for i := range most {
		part := points[i*len(points)/most : (i+1)*len(points)/most]
		var sum Point
		for _, p := range part {
			sum.X, sum.Y = sum.X+p.X, sum.Y+p.Y
		}
		n := float64(len(part))
		list = append(list, Point{sum.X / n, sum.Y / n})
	}
	return list
}
