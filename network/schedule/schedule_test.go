package schedule

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

// TestOneCycle compares with torch.optim.lr_scheduler.OneCycleLR of PyTorch 2.15 with max_lr=1, total_steps=10,
// final_div_factor=4, and with max_lr=2, total_steps=23, final_div_factor=4.
func TestOneCycle(t *testing.T) {
	c := OneCycle(1, 0.01, 10)
	for step, want := range []float64{0.04, 0.52, 1, 0.9509795896116974, 0.8136274519200731, 0.6151478623083756,
		0.3948521376916244,
		0.19637254807992693, 0.05902041038830258, 0.01} {
		if got := c(int64(step)); math.Abs(got-want) > 1e-12 {
			t.Errorf("step %d: %g, want %g", step, got, want)
		}
	}
	long := OneCycle(2, 0.02, 23) // its top is between two steps
	for step, want := range map[int64]float64{0: 0.08, 1: 0.2129080818619462, 5: 1.8918579920543088,
		6: 1.9998115312230917,
		7: 1.97728197700081, 11: 1.5489225940352518, 21: 0.038787748975714846, 22: 0.02} {
		if got := long(step); math.Abs(got-want) > 1e-12 {
			t.Errorf("step %d of 23: %g, want %g", step, got, want)
		}
	}
	if c(50) != c(9) || math.Abs(c(9)-0.01) > 1e-12 {
		t.Errorf("end at %g, %g later", c(9), c(50))
	}
	for _, steps := range []int64{1, 2, 3, 4} { // no rise fits in
		for step := range steps {
			if lr := OneCycle(1, 0.01, steps)(step); !(lr >= 0.01 && lr <= 1) {
				t.Errorf("step %d of %d: %g", step, steps, lr)
			}
		}
	}
}

func TestConfiguredSchedules(t *testing.T) {
	for name, want := range map[string]map[int64]float64{
		"cosine":                       {1: 0.5 * (0.5 + 0.75*(1+math.Cos(math.Pi/99))), 99: 0.5},
		"constant":                     {0: 0.5, 3: 2, 99: 2},
		"one-cycle":                    {29: 2, 99: 0.5},
		"piecewise:0.5=0.1,0.755=0.01": {2: 1.5, 49: 2, 50: 0.2, 75: 0.2, 76: 0.02, 99: 0.02},
	} {
		s, err := Parse(name, 2, 0.5, 4, 100)
		if err != nil {
			t.Error(err)
			continue
		}
		for step, lr := range want {
			if got := s(step); math.Abs(got-lr) > 1e-12 {
				t.Errorf("%s, step %d: %g, want %g", name, step, got, lr)
			}
		}
	}
}
