package chart

import (
	"fmt"
	"math"

	"talbot/internal/humanize"
)

// The size of a calibration and of its parts, in the units of the viewBox.
const (
	calibrationWidth = 400
	calibrationSide  = 250 // height of the plot
	countHeight      = 36  // of the counts below
)

// Calibration compares predictions with outcomes, in bins, to be drawn as a chart.
type Calibration struct {
	Title, Note  string
	XName, YName string
	Bins         []Bin
	Low          float64 // the bins cover [Low, 1]
	Spread       bool    // one standard deviation is drawn at each point
}

// Bin is a range of predictions.
type Bin struct {
	From, To  float64
	Count     int64
	Predicted float64 // mean prediction
	Actual    float64 // mean outcome
	Spread    float64 // standard deviation of that
}

// CalibrationChart is a calibration, laid out: the bins above, their counts below.
type CalibrationChart struct {
	frame
	XName, YName string
	Foot         float64 // of the counts
	Points       []calibrationPoint
}

type calibrationPoint struct {
	X, Y, Low, High      float64 // the point, and one standard deviation; equal without one
	BarX, BarY, BarWidth float64 // the count
	BarHeight            float64
	Text                 string
}

// NewCalibrationChart lays a calibration out.
func NewCalibrationChart(c Calibration) *CalibrationChart {
	s := &CalibrationChart{frame: frame{Title: c.Title, Note: c.Note, Width: calibrationWidth, Left: marginLeft,
		Right: calibrationWidth - marginRight, Top: marginTop, Base: marginTop + calibrationSide},
		XName: c.XName, YName: c.YName}
	s.Foot = s.Base + countHeight + 8
	s.Height = int(s.Foot) + 40
	x := func(v float64) float64 { return round(s.Left + (v-c.Low)/(1-c.Low)*(s.Right-s.Left)) }
	y := func(v float64) float64 {
		return round(s.Base - (min(max(v, c.Low), 1)-c.Low)/(1-c.Low)*(s.Base-s.Top))
	}
	for _, t := range ticks(c.Low, 1, 5, 0) {
		s.X = append(s.X, tick{x(t), fmt.Sprintf("%.4g", t)})
		s.Y = append(s.Y, tick{y(t), fmt.Sprintf("%.4g", t)})
	}
	most := int64(1)
	for _, b := range c.Bins {
		most = max(most, b.Count)
	}
	for _, b := range c.Bins {
		p := calibrationPoint{X: x(b.Predicted), Y: y(b.Actual), Low: y(b.Actual), High: y(b.Actual),
			BarX: x(b.From) + 1, BarWidth: x(b.To) - x(b.From) - 2,
			BarHeight: round(max(1, countHeight*math.Sqrt(float64(b.Count)/float64(most)))),
			Text: fmt.Sprintf("%.2f … %.2f: predicted %.3f, actual %.3f; %s", b.From, b.To, b.Predicted, b.Actual,
				humanize.Count(b.Count, "position"))}
		p.BarY = s.Foot - p.BarHeight
		if c.Spread {
			p.Low, p.High = y(b.Actual-b.Spread), y(b.Actual+b.Spread)
		}
		s.Points = append(s.Points, p)
	}
	return s
}
