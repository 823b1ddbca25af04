package train

import "math"

// Schedule gives the learning rate of a step, counted from 0.
type Schedule func(step int64) float64

// Cosine falls from high at step 0 to low at the last of the steps: low + (high−low)/2·(1 + cos(π·step/(steps−1))).
// Later steps stay at low.
func Cosine(high, low float64, steps int64) Schedule {
	return func(step int64) float64 {
		if steps < 2 {
			return high
		}
		t := float64(min(step, steps-1)) / float64(steps-1)
		return low + (high-low)/2*(1+math.Cos(math.Pi*t))
	}
}

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

// schedule is the run's.
func (c Config) schedule() Schedule { return Warmup(c.Warmup, Cosine(c.LR, c.MinLR, c.Steps)) }
