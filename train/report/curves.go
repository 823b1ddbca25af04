package report

import (
	"talbot/evaluate"
	"talbot/internal/page"
	"talbot/train"
)

// curves are the charts of the metrics that have something to show: those of losses, and those about the training
// itself.
func (r Run) curves() (losses, others []*page.LineChart) {
	means := func(kind string, field func(*train.MetricsLine) *float64) (points []page.Point) {
		for i := range r.Lines {
			if l := &r.Lines[i]; l.Kind == kind {
				if y := field(l); y != nil {
					points = append(points, page.Point{X: float64(l.Step), Y: *y})
				}
			}
		}
		return points
	}
	best := int64(0)
	for i := range r.Lines {
		if r.Lines[i].Best {
			best = r.Lines[i].Step
		}
	}
	for _, t := range r.terms() {
		of := func(l *train.MetricsLine) *float64 { return l.Of(t.Name) }
		lines := page.Lines{Title: t.Title, Note: t.Note, Zero: t.Zero, Falls: t.Falls, Best: best,
			Curves: []page.Curve{{Name: "train", Class: "train", Points: means("train", of)},
				{Name: "val", Class: "val", Points: means("val", of), Dots: true}}}
		if t.Share {
			lines.Show = percent
		}
		if c, ok := page.NewLineChart(lines); ok {
			losses = append(losses, c)
		}
	}
	for _, c := range []struct {
		title, note string
		show        func(float64) string
		field       func(*train.MetricsLine) *float64
	}{
		{"Learning rate", "of each step", nil, func(l *train.MetricsLine) *float64 { return &l.LR }},
		{"Gradient", "global norm before clipping", nil, func(l *train.MetricsLine) *float64 { return &l.GradNorm }},
		{"Speed", "positions a second", nil, func(l *train.MetricsLine) *float64 { return &l.PositionsPerSecond }},
		{"Loader", "time spent waiting for batches", percent,
			func(l *train.MetricsLine) *float64 { return &l.LoaderWait }},
	} {
		lines := page.Lines{Title: c.title, Note: c.note, Small: true, Zero: true, Show: c.show,
			Curves: []page.Curve{{Name: "train", Class: "train", Points: means("train", c.field)}}}
		if c, ok := page.NewLineChart(lines); ok {
			others = append(others, c)
		}
	}
	return losses, others
}

// calibrations are those that have something to show.
func (e *Eval) calibrations() (list []*page.CalibrationChart) {
	draw := func(c page.Calibration, bins []evaluate.Bin) {
		for _, b := range bins {
			c.Bins = append(c.Bins, page.Bin(b))
		}
		if len(bins) > 0 {
			list = append(list, page.NewCalibrationChart(c))
		}
	}
	draw(page.Calibration{Title: "Calibration of the value", XName: "the network's value", YName: e.words("label"),
		Note: e.words("mean label at each predicted value, with one standard deviation; the dashed line is perfect"),
		Low:  -1, Spread: true}, e.Calibration)
	draw(page.Calibration{Title: "Calibration of the policy", XName: "probability of the first move",
		Note:  "how often the likeliest move is the target, by its probability; the dashed line is perfect",
		YName: "share right"}, e.Confidence)
	return list
}
