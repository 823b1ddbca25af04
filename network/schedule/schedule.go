// Package schedule gives the learning rate of each step of a run.
package schedule

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Schedule gives the learning rate of a step, counted from 0.
type Schedule func(step int64) float64

// Cosine goes from one rate at step 0 to another at the last of the steps: to + (from−to)/2·(1 +
// cos(π·step/(steps−1))). Later steps stay there.
func Cosine(from, to float64, steps int64) Schedule {
	return func(step int64) float64 {
		if steps < 2 {
			return from
		}
		t := float64(min(step, steps-1)) / float64(steps-1)
		return to + (from-to)/2*(1+math.Cos(math.Pi*t))
	}
}

// Constant never changes.
func Constant(rate float64) Schedule { return func(int64) float64 { return rate } }

// Warmup multiplies the first steps of another schedule by (step+1)/steps; the schedule's own clock runs on under it.
func Warmup(steps int64, then Schedule) Schedule {
	return func(step int64) float64 {
		lr := then(step)
		if step < steps {
			lr *= float64(step+1) / float64(steps)
		}
		return lr
	}
}

// Constants of PyTorch's OneCycleLR.
const (
	cycleRise  = 0.3 // share of the steps
	cycleStart = 25  // highest rate / first rate
)

// OneCycle rises along a cosine from high/25 to high within the first 30 % of the steps and falls along another to low
// at the last: the learning rate of PyTorch's OneCycleLR (Smith and Topin, Super-Convergence), whose defaults end at
// high/250,000. The momentum stays as it is.
func OneCycle(high, low float64, steps int64) Schedule {
	top := cycleRise*float64(steps) - 1 // the step of the highest rate, not always a whole one
	last := float64(steps - 1)
	between := func(from, to, t float64) float64 { return to + (from-to)/2*(1+math.Cos(math.Pi*t)) }
	return func(step int64) float64 {
		s := min(float64(step), last)
		if s <= top {
			return between(high/cycleStart, high, s/top)
		}
		if last <= top {
			return high
		}
		return between(high, low, (s-top)/(last-top))
	}
}

// Names are the forms that [Parse] knows.
const Names = "cosine, constant, one-cycle, piecewise:SHARE=FACTOR,…, such as piecewise:0.6=0.1,0.85=0.01, or " +
	"plateau:PATIENCE=FACTOR,stop=N, such as plateau:3=0.5,stop=8"

// Parse returns the schedule of a name, which rises to the highest rate within a warm-up and ends at the lowest one
// after a number of steps.
func Parse(name string, highest, lowest float64, warmup, steps int64) (Schedule, error) {
	kind, pieces, _ := strings.Cut(name, ":")
	switch {
	case name == "cosine":
		return Warmup(warmup, Cosine(highest, lowest, steps)), nil
	case kind == "plateau":
		_, err := ParsePlateau(name)
		return Warmup(warmup, Constant(highest)), err
	case name == "constant":
		return Warmup(warmup, Constant(highest)), nil
	case name == "one-cycle":
		return Warmup(warmup, OneCycle(highest, lowest, steps)), nil
	case kind == "piecewise":
		s, err := parsePieces(pieces, highest, steps)
		if err != nil {
			return nil, fmt.Errorf("schedule %q: %w", name, err)
		}
		return Warmup(warmup, s), nil
	}
	return nil, fmt.Errorf("unknown schedule %q; use %s", name, Names)
}

// parsePieces reads "share=factor,…": from that share of the steps on the rate is the highest one times the factor.
func parsePieces(text string, lr float64, steps int64) (Schedule, error) {
	starts, rates := []int64{0}, []float64{lr}
	before := 0.0
	for part := range strings.SplitSeq(text, ",") {
		left, right, _ := strings.Cut(part, "=")
		share, err := strconv.ParseFloat(left, 64)
		if err != nil || !(share > before && share < 1) {
			return nil, fmt.Errorf("%q does not begin with a share of the run between %g and 1", part, before)
		}
		factor, err := strconv.ParseFloat(right, 64)
		if err != nil || !(factor >= 0 && factor <= 1) {
			return nil, fmt.Errorf("%q does not end with a factor from 0 to 1", part)
		}
		starts, rates = append(starts, int64(math.Round(share*float64(steps)))), append(rates, lr*factor)
		before = share
	}
	return func(step int64) float64 {
		i := len(starts) - 1
		for step < starts[i] {
			i--
		}
		return rates[i]
	}, nil
}
