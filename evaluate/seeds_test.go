package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Known quantiles of Student's t: tables, and for degrees that are not whole the density integrated by mpmath.
func TestStudentQuantile(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.7062047, 2: 4.3026527, 4: 2.7764451, 10: 2.2281389,
		30: 2.0422725, 1e6: 1.9599664, 1.3: 7.5005293, 2.5: 3.5746548, 3.7: 2.8675207, 17.2: 2.1079483} {
		if got := studentQuantile(0.975, freedom); math.Abs(got-want) > 1e-7*want {
			t.Errorf("%g degrees: %.7f, want %.7f", freedom, got, want)
		}
	}
}

// By hand: 1, 2, 3 have mean 2 and variance 1, and 3, 5, 7 mean 5 and variance 4. The standard error is √(1/3 + 4/3) =
// 1.2910, the degrees of freedom (5/3)²/((1/3)²/2 + (4/3)²/2) = 50/17.
func TestSeedsByHand(t *testing.T) {
	r := ofSeeds([]float64{3, 5, 7}, []float64{1, 2, 3}, [2]float64{2.9, 3.3}, true)
	within := studentQuantile(0.975, 50.0/17) * math.Sqrt(5.0/3)
	want := [2]float64{3 - math.Sqrt(within*within+0.01), 3 + math.Sqrt(within*within+0.09)}
	if math.Abs(r.Error-math.Sqrt(5.0/3)) > 1e-12 || math.Abs(r.Freedom-50.0/17) > 1e-12 ||
		math.Abs(r.Interval[0]-want[0]) > 1e-12 || math.Abs(r.Interval[1]-want[1]) > 1e-12 ||
		r.Deviation != [2]float64{2, 1} || r.Verdict != Unclear {
		t.Errorf("%+v, want %v", r, want)
	}
	if r := ofSeeds([]float64{1, 1}, []float64{2, 2}, [2]float64{-1.1, -0.9}, true); r.Verdict != Better ||
		math.Abs(r.Interval[0]+1.1) > 1e-12 || math.Abs(r.Interval[1]+0.9) > 1e-12 {
		t.Errorf("seeds that make no difference: %+v", r)
	}
}

// drawnSettings are two settings of the same worth, with so many runs of each, measured on so many lines: how much a
// line is harder for one setting than for the other, how far runs are from their setting, and how far they are from
// that on a line.
func drawnSettings(r *rand.Rand, runs [2]int, lines int, ofLine, ofSeed, ofBoth float64) (interval [2]float64,
	seeds SeedReport) {
	harder := make([]float64, lines) // for the second setting
	for i := range harder {
		harder[i] = ofLine * r.NormFloat64()
	}
	var figures [2][]float64
	gap := make([]float64, lines) // difference of the settings' means on a line
	for side, n := range runs {
		for range n {
			own, sum := ofSeed*r.NormFloat64(), 0.0
			for i := range gap {
				x := own + ofBoth*r.NormFloat64()
				if side == 1 {
					x += harder[i]
				}
				sum += x
				gap[i] += float64(2*side-1) * x / float64(n)
			}
			figures[side] = append(figures[side], sum/float64(lines))
		}
	}
	// The bootstrap of so many lines is the normal distribution of their mean, as other tests show.
	m := spread(gap)
	within := 1.96 * math.Sqrt(m.variance/m.n)
	interval = [2]float64{m.mean - within, m.mean + within}
	return interval, ofSeeds(figures[1], figures[0], interval, true)
}

// The interval of two settings of equal worth holds 0 in at least about 95 % of the cases, whatever part of the
// variance is between seeds, and that of these networks alone does not.
func TestCoverageOfSeeds(t *testing.T) {
	const tries, lines = 1000, 100
	const root = 10 // of the lines
	for _, c := range []struct {
		name                   string
		runs                   [2]int
		ofLine, ofSeed, ofBoth float64
	}{
		{"lines alone", [2]int{3, 3}, 1, 0, 0},
		{"mostly lines", [2]int{3, 3}, 1, 0.3 / root, 0.3},
		{"alike", [2]int{3, 3}, 1, 1.0 / root, 0.5},
		{"mostly seeds", [2]int{3, 3}, 0.1, 1, 0.1},
		{"seeds on lines", [2]int{3, 3}, 0.1, 0, 1},
		{"two runs", [2]int{2, 2}, 1, 1.0 / root, 0.5},
		{"two and five", [2]int{2, 5}, 0.5, 1.0 / root, 0.5},
		{"five runs", [2]int{5, 5}, 0.5, 1.0 / root, 0.5},
	} {
		r := rand.New(rand.NewPCG(11, 12))
		networks, settings := 0.0, 0.0
		for range tries {
			i, s := drawnSettings(r, c.runs, lines, c.ofLine, c.ofSeed, c.ofBoth)
			networks += indicator(i[0] <= 0 && 0 <= i[1])
			settings += indicator(s.Verdict == Unclear)
		}
		t.Logf("%s: settings %.3f, networks alone %.3f", c.name, settings/tries, networks/tries)
		if share := settings / tries; share < 0.925 {
			t.Errorf("%s: %.3f of the intervals hold the truth", c.name, share)
		}
		if c.name == "mostly seeds" && networks/tries > 0.5 {
			t.Errorf("the interval of these networks held in %.3f: the test shows nothing", networks/tries)
		}
	}
}
