package evaluate

import "math"

// SeedReport is what a difference between two settings is worth if other seeds are drawn as well as other games: the
// runs of a setting are a sample of what it trains.
type SeedReport struct {
	// Deviation are the standard deviations of the figure between the runs of the setting, and of the one that it is
	// compared with.
	Deviation [2]float64 `json:"deviations"`
	// Error is the standard error of the difference by the seeds alone, and Freedom its degrees of freedom
	// (Welch–Satterthwaite).
	Error    float64    `json:"standard_error"`
	Freedom  float64    `json:"degrees_of_freedom"`
	Interval [2]float64 `json:"interval"` // 95 %, of seeds and games together
	Verdict  Verdict    `json:"verdict"`
}

// ofSeeds is the report on a difference between the means of two settings, whose figures are mine and theirs, one a
// run. lines is the interval of that difference over games, with these runs. There are two runs of each setting or
// more.
//
// What the seeds are unsure of is by Welch's t (The Generalization of “Student's” Problem when Several Different
// Population Variances are Involved, Biometrika 34, 1947), with Satterthwaite's degrees of freedom. The games are drawn
// alike for all runs, so both are independent, and the limits of their sum are recovered from those of each, by MOVER
// (Zou and Donner, Construction of confidence limits about effect measures: A general approach, Statistics in Medicine
// 27, 2008):
//
//	low  = d − √((t·se)² + (d − low of the lines)²)
//	high = d + √((t·se)² + (high of the lines − d)²)
//
// Where all runs are measured on the same few games, the variance between them has a part that is the games': it counts
// twice, and the interval is a little too wide.
func ofSeeds(mine, theirs []float64, lines [2]float64, lower bool) SeedReport {
	a, b := spread(mine), spread(theirs)
	d := a.mean - b.mean
	u, v := a.variance/a.n, b.variance/b.n
	r := SeedReport{Deviation: [2]float64{math.Sqrt(a.variance), math.Sqrt(b.variance)}, Error: math.Sqrt(u + v),
		Freedom: a.n + b.n - 2}
	if u+v > 0 {
		r.Freedom = (u + v) * (u + v) / (u*u/(a.n-1) + v*v/(b.n-1))
	}
	within := studentQuantile(0.975, r.Freedom) * r.Error
	r.Interval = [2]float64{d - math.Hypot(within, max(0, d-lines[0])), d + math.Hypot(within, max(0, lines[1]-d))}
	r.Verdict = Compare(d, 0, lower, &r.Interval)
	return r
}

type moments struct{ n, mean, variance float64 }

// spread has the variance that a sample gives of where it was drawn from.
func spread(list []float64) (m moments) {
	m.n = float64(len(list))
	for _, x := range list {
		m.mean += x / m.n
	}
	for _, x := range list {
		m.variance += (x - m.mean) * (x - m.mean) / (m.n - 1)
	}
	return m
}

// studentQuantile is what Student's t stays below with probability p, above one half, at that many degrees of freedom,
// which need not be whole.
func studentQuantile(p, freedom float64) float64 {
	// With x = ν/(ν + t²) the probability above t is half the regularised incomplete beta function of x at ν/2 and 1/2
	// (Abramowitz and Stegun, 26.7.1), which grows with x: halve where it is.
	low, high := 0.0, 1.0
	for range 60 {
		if x := (low + high) / 2; incompleteBeta(x, freedom/2, 0.5)/2 < 1-p {
			low = x
		} else {
			high = x
		}
	}
	return math.Sqrt(freedom * (1 - high) / high)
}

// incompleteBeta is the regularised incomplete beta function, by the continued fraction of Abramowitz and Stegun,
// 26.5.8, summed from its last term on.
func incompleteBeta(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // there it converges slowly
		return 1 - incompleteBeta(1-x, b, a)
	}
	const terms = 100
	fraction := 1.0
	for k := terms; k > 0; k-- {
		m := float64(k / 2)
		d := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		if k%2 == 1 {
			d = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		fraction = 1 + d/fraction
	}
	lgamma := func(x float64) float64 { y, _ := math.Lgamma(x); return y }
	return math.Exp(a*math.Log(x)+b*math.Log1p(-x)+lgamma(a+b)-lgamma(a)-lgamma(b)) / (a * fraction)
}
