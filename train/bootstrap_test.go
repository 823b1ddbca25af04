package train

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The draws have the distribution function of Poisson(1), over all 65,536 of them.
func TestPoisson(t *testing.T) {
	counts := map[int64]float64{}
	for draw := range 1 << 16 {
		counts[poisson(uint16(draw))]++
	}
	p := math.Exp(-1)
	for n := int64(0); n <= 6; n++ {
		if got := counts[n] / 65536; math.Abs(got-p) > 2e-5 {
			t.Errorf("P(%d) is %g, want %g", n, got, p)
		}
		p /= float64(n + 1)
	}
}

// The interval of a mean is that of the normal approximation: of samples where they are independent, of lines where the
// samples of a line are all alike.
func TestIntervals(t *testing.T) {
	for _, alike := range []int{1, 5} {
		r := rand.New(rand.NewPCG(1, 2))
		var b bootstrap
		const lines = 2000
		hits := 0.0
		for line := range int64(lines) {
			one := tally{samples: 1, policies: 1}
			if r.Float64() < 0.3 {
				one.top1 = 1
				hits++
			}
			for range alike {
				b.add(line, &one)
			}
		}
		share := hits / lines
		half := 1.96 * math.Sqrt(share*(1-share)/lines)
		got := b.intervals()
		i := got["top1"]
		if math.Abs(i[0]-(share-half)) > 0.15*half || math.Abs(i[1]-(share+half)) > 0.15*half {
			t.Errorf("%d alike: %v, want %g and %g", alike, i, share-half, share+half)
		}
		if _, ok := got["value_mse"]; ok {
			t.Error("an interval of a figure over no samples")
		}
	}
}
