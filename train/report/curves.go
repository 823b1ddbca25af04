package report

import (
	"fmt"
	"slices"

	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/network/run"
	"talbot/train"
)

// Axis is what curves are drawn over.
type Axis uint8

const (
	BySteps Axis = iota
	BySamples
	ByTime // of training and validation, interruptions left out
)

// View says how the curves of runs are drawn. The zero value is that of the page of a run.
type View struct {
	Axis   Axis
	Log    bool // the vertical axes are logarithmic
	Smooth chart.Smooth
	Values bool // see [chart.Lines]
}

// Chart is a chart of the metrics.
type Chart struct {
	Name string // of the term, or of the column of metrics.jsonl
	*chart.LineChart
}

// Charts are the charts of the metrics of runs that have something to show: those of losses, and those about the
// training itself. The curves of several runs are drawn over each other.
func Charts(runs []Run, v View) (losses, others []Chart) {
	x, unit := v.axis(runs)
	draw := func(name string, l chart.Lines, kinds []string, of func(*train.MetricsLine) *float64) (Chart, bool) {
		l.Unit, l.Parts, l.Log, l.Smooth, l.Values = unit, v.Axis == ByTime, v.Log, v.Smooth, v.Values
		l.Curves = curves(runs, x, kinds, of)
		if len(runs) > 1 {
			l.Best = 0
		}
		c, ok := chart.NewLineChart(l)
		return Chart{name, c}, ok
	}
	for _, t := range termsOf(runs) {
		of := func(l *train.MetricsLine) *float64 { return l.Of(t.Name) }
		lines := chart.Lines{Title: t.Title, Note: t.Note, Zero: t.Zero, Falls: t.Falls, Best: runs[0].best(x[0])}
		if t.Share {
			lines.Show = humanize.Percent
		}
		if c, ok := draw(t.Name, lines, []string{"train", "val"}, of); ok {
			losses = append(losses, c)
		}
	}
	for _, c := range []struct {
		name, title, note string
		show              func(float64) string
		field             func(*train.MetricsLine) *float64
	}{
		{"lr", "Learning rate", "of each step", nil, func(l *train.MetricsLine) *float64 { return &l.LR }},
		{"grad_norm", "Gradient", "global norm before clipping", nil,
			func(l *train.MetricsLine) *float64 { return &l.GradNorm }},
		{"positions_per_second", "Speed", "positions a second", nil,
			func(l *train.MetricsLine) *float64 { return &l.PositionsPerSecond }},
		{"loader_wait", "Loader", "time spent waiting for batches", humanize.Percent,
			func(l *train.MetricsLine) *float64 { return &l.LoaderWait }},
	} {
		lines := chart.Lines{Title: c.title, Note: c.note, Small: true, Zero: true, Show: c.show}
		if c, ok := draw(c.name, lines, []string{"train"}, c.field); ok {
			others = append(others, c)
		}
	}
	return losses, others
}

// termsOf are the terms of all runs.
func termsOf(runs []Run) (list []run.TermText) {
	for _, r := range runs {
		for _, t := range r.terms() {
			if !slices.ContainsFunc(list, func(other run.TermText) bool { return other.Name == t.Name }) {
				list = append(list, t)
			}
		}
	}
	return list
}

// axis returns where the lines of each run stand on the axis, and its unit.
func (v View) axis(runs []Run) (x [][]float64, unit string) {
	x = make([][]float64, len(runs))
	longest := 0.0
	for i, r := range runs {
		hours := train.Hours(r.Lines)
		for k := range r.Lines {
			at := float64(r.Lines[k].Step)
			switch v.Axis {
			case BySamples:
				at *= float64(r.Config.Batch)
			case ByTime:
				at = hours[k]
			}
			x[i], longest = append(x[i], at), max(longest, at)
		}
	}
	switch {
	case v.Axis == BySamples:
		return x, "sample"
	case v.Axis == ByTime && longest < 1:
		for i := range x {
			for k := range x[i] {
				x[i][k] *= 60
			}
		}
		return x, "minute"
	case v.Axis == ByTime:
		return x, "hour"
	}
	return x, "step"
}

// best is where the best checkpoint stands on the axis; 0 if there is none.
func (r Run) best(x []float64) (at float64) {
	for i := range r.Lines {
		if r.Lines[i].Best {
			at = x[i]
		}
	}
	return at
}

// curves are those of a figure, by kind of the line for one run, and by run for several.
func curves(runs []Run, x [][]float64, kinds []string, of func(*train.MetricsLine) *float64) (list []chart.Curve) {
	for i, r := range runs {
		points := map[string][]chart.Point{}
		for k := range r.Lines {
			if y := of(&r.Lines[k]); y != nil {
				points[r.Lines[k].Kind] = append(points[r.Lines[k].Kind], chart.Point{X: x[i][k], Y: *y})
			}
		}
		for _, kind := range kinds {
			c := chart.Curve{Name: kind, Class: kind, Points: points[kind], Dots: kind == "val"}
			if len(runs) > 1 {
				c.Name, c.Class = chart.Plain(r.Name), fmt.Sprintf("c%d", i%curveColours)
				if kind == "train" && len(points["val"]) > 0 && len(kinds) > 1 {
					c.Name, c.Faint = c.Name+", train", true
				}
			}
			list = append(list, c)
		}
	}
	return list
}

// curveColours is how many runs have a colour of their own.
const curveColours = 8
