package chart

import (
	"fmt"
	"math"
)

// frame is what all charts with axes have: their size, the area of the plot within it, in the units of the viewBox, and
// the marks of the axes.
type frame struct {
	Title, Note   string
	Width, Height int
	Left, Right   float64
	Top, Base     float64
	X, Y          []tick
}

// newFrame is a frame of that size with the usual margins.
func newFrame(title, note string, width, height int) frame {
	return frame{Title: title, Note: note, Width: width, Height: height, Left: marginLeft,
		Right: float64(width - marginRight), Top: marginTop, Base: float64(height - marginBottom)}
}

type tick struct {
	At   float64
	Text string
}

// Edge is where the texts of the vertical axis end, Depth the height of the plot.
func (f *frame) Edge() float64  { return f.Left - 6 }
func (f *frame) Depth() float64 { return f.Base - f.Top }

// ticks returns round numbers from at most low to at least high, about n of them and not closer than least.
func ticks(low, high float64, n int, least float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if (high-low)/(f*step) <= float64(n) {
			step *= f
			break
		}
	}
	step = max(step, least)
	var list []float64
	for i := math.Floor(low/step + 1e-9); ; i++ {
		list = append(list, i*step)
		if i*step >= high-1e-9*step {
			return list
		}
	}
}

func round(x float64) float64 { return math.Round(10*x) / 10 }

// Short writes a count for an axis, from 1,000 on in thousands.
func Short(v float64) string { return short(v, 1e3) }

// short writes a number with four digits, thousands as "k" from a number on.
func short(v, thousand float64) string {
	switch a := math.Abs(v); {
	case a >= 1e9:
		return fmt.Sprintf("%.4g G", v/1e9)
	case a >= 1e6:
		return fmt.Sprintf("%.4g M", v/1e6)
	case a >= thousand:
		return fmt.Sprintf("%.4g k", v/1e3)
	case a < 1e-12:
		return "0"
	}
	return fmt.Sprintf("%.4g", v)
}
