package report

import (
	"fmt"
	"math"

	"talbot/evaluate"
)

// The size of a calibration and of its margins, in pixels.
const (
	scatterWidth = 400
	scatterTop   = 10
	scatterSide  = 250 // height of the plot
	countHeight  = 36  // of the counts below
)

// scatter is a calibration: what was said against what it was, with the counts of the bins below.
type scatter struct {
	Title, Note, XName, YName string
	Width, Height             int
	Left, Right, Top, Base    float64
	Foot                      float64 // of the counts
	X, Y                      []tick
	Points                    []calibrationPoint
}

type calibrationPoint struct {
	X, Y, Low, High      float64 // the point, and one standard deviation of the targets; equal without one
	BarX, BarY, BarWidth float64 // the count
	BarHeight            float64
	Text                 string
}

// scatters are the calibrations that have something to show.
func (e *Eval) scatters() (list []scatter) {
	if len(e.Calibration) > 0 {
		list = append(list, newScatter("Calibration of the value",
			e.words("mean label at each predicted value, with one standard deviation; the dashed line is perfect"),
			"the network's value", e.words("label"), e.Calibration, -1, true))
	}
	if len(e.Confidence) > 0 {
		list = append(list, newScatter("Calibration of the policy",
			"how often the likeliest move is the target, by its probability; the dashed line is perfect",
			"probability of the first move", "share right", e.Confidence, 0, false))
	}
	return list
}

// newScatter lays bins of [low, 1] out.
func newScatter(title, note, xName, yName string, bins []evaluate.Bin, low float64, spread bool) scatter {
	s := scatter{Title: title, Note: note, XName: xName, YName: yName, Width: scatterWidth,
		Left: left, Right: scatterWidth - right, Top: scatterTop, Base: scatterTop + scatterSide}
	s.Foot = s.Base + countHeight + 8
	s.Height = int(s.Foot) + 40
	x := func(v float64) float64 { return round(s.Left + (v-low)/(1-low)*(s.Right-s.Left)) }
	y := func(v float64) float64 {
		return round(s.Base - (min(max(v, low), 1)-low)/(1-low)*(s.Base-s.Top))
	}
	for _, t := range ticks(low, 1, 5) {
		s.X = append(s.X, tick{x(t), fmt.Sprintf("%.4g", t)})
		s.Y = append(s.Y, tick{y(t), fmt.Sprintf("%.4g", t)})
	}
	most := int64(1)
	for _, b := range bins {
		most = max(most, b.Count)
	}
	for _, b := range bins {
		p := calibrationPoint{X: x(b.Predicted), Y: y(b.Actual), Low: y(b.Actual), High: y(b.Actual),
			BarX: x(b.From) + 1, BarWidth: x(b.To) - x(b.From) - 2,
			BarHeight: round(max(1, countHeight*math.Sqrt(float64(b.Count)/float64(most)))),
			Text: fmt.Sprintf("%.2f … %.2f: predicted %.3f, actual %.3f; %s", b.From, b.To, b.Predicted, b.Actual,
				count(b.Count, "position"))}
		p.BarY = s.Foot - p.BarHeight
		if spread {
			p.Low, p.High = y(b.Actual-b.Spread), y(b.Actual+b.Spread)
		}
		s.Points = append(s.Points, p)
	}
	return s
}
