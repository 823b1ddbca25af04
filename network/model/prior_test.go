package model

import (
	"math"
	"slices"
	"testing"
)

// TestPriorInitialValues: Keras's, uniform within √(6/(fan-in + fan-out)) with a convolution's fans counted over its
// kernel, and biases of 0.
func TestPriorInitialValues(t *testing.T) {
	n := Prior{Blocks: 1, Filters: 32}
	s, err := NewStore(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	fans := map[string]float64{"stem.conv.weight": 25 * (18 + 32), "blocks.0.conv1.weight": 9 * (32 + 32),
		"blocks.0.conv2.weight": 9 * (32 + 32), "policy.conv.weight": 32 + 2, "policy.fc.weight": 128 + 1968}
	for _, p := range n.Params() {
		data, err := s.Get(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		low, high := float64(slices.Min(data)), float64(slices.Max(data))
		if p.Kind != Weight {
			want := 0.0
			if p.Kind == NormGain || p.Kind == RunningVar {
				want = 1
			}
			if low != want || high != want {
				t.Errorf("%s is from %g to %g", p.Name, low, high)
			}
			continue
		}
		if bound := math.Sqrt(6 / fans[p.Name]); !(low >= -bound && low < -0.85*bound && high <= bound &&
			high > 0.85*bound) {
			t.Errorf("%s is from %g to %g, want ±%g", p.Name, low, high, bound)
		}
	}
}
