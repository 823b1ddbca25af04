package job

import (
	"testing"

	"talbot/network/run"
)

// TestStepsOfAPreset: the published settings go twelve times over the data, the others once; what does not fill a batch
// is one.
func TestStepsOfAPreset(t *testing.T) {
	v15, large := "v1.5", "20x256"
	for _, c := range []struct {
		preset *string
		steps  int64
		want   int64
	}{{nil, 0, 4}, {&large, 0, 4}, {&v15, 0, 39}, {&v15, 7, 7}} {
		got, err := Train{Preset: c.preset, Steps: c.steps,
			Adjust: func(c *run.Config) error { c.Batch = 320; return nil }}.config(1025, nil)
		if err != nil || got.Steps != c.want {
			t.Errorf("preset %v: %d steps, want %d, %v", c.preset, got.Steps, c.want, err)
		}
	}
}
