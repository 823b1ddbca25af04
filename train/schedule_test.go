package train

import (
	"math"
	"testing"
)

func TestSchedules(t *testing.T) {
	near := func(got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-15 {
			t.Errorf("got %g, want %g", got, want)
		}
	}
	c := Cosine(1e-3, 1e-5, 101)
	near(c(0), 1e-3)
	near(c(50), (1e-3+1e-5)/2) // cos(π/2) = 0
	near(c(100), 1e-5)
	near(c(1000), 1e-5)
	near(c(25), 1e-5+(1e-3-1e-5)*(2+math.Sqrt2)/4) // cos(π/4) = √2/2
	near(Cosine(3, 1, 1)(0), 3)
	w := Warmup(4, func(int64) float64 { return 8 })
	for step, want := range []float64{2, 4, 6, 8, 8, 8} {
		near(w(int64(step)), want)
	}
	for step := range int64(99) {
		if c(step+1) >= c(step) {
			t.Fatalf("cosine rises at step %d", step)
		}
	}
}
