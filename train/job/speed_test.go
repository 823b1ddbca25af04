package job

import (
	"strings"
	"testing"
	"time"

	"talbot/train"
)

// A run is said once to take what its steps take, without the first one, which compiles, and without validations.
func TestForecast(t *testing.T) {
	c, err := train.Preset("")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name          string
		kind          string
		fixed         bool
		first, step   float64
		steps         int64
		left          time.Duration
		at            int64 // the step behind which it is said; 0: never
		flags         string
		stepsInAnHour int64
	}{
		{"short", "go", false, 20, 1, 106, 100 * time.Second, 6, "", 0},
		{"slow", "go", false, 60, 12, 10_002, 120_000 * time.Second, 2, "--blocks 6 --filters 64", 300},
		{"on a GPU", "xla:cuda", false, 60, 12, 10_002, 120_000 * time.Second, 2, "", 0},
		{"resumed", "xla:cpu", true, 60, 12, 10_002, 120_000 * time.Second, 2, "", 0},
		{"over before", "go", false, 1, 1, 6, 0, 0, "", 0},
		{"too long for any", "go", false, 60, 12, 10_000_002, 120_000_000 * time.Second, 2, "", 300},
	} {
		t.Run(x.name, func(t *testing.T) {
			c.Blocks, c.Filters = 20, 128
			if x.name == "slow" {
				c.Blocks, c.Filters = 19, 112
			}
			f := Forecast{Start: Start{Config: c, Kind: x.kind}, Fixed: x.fixed}
			said := 0
			for step, now := int64(1), x.first; step <= min(x.steps, 50); step, now = step+1, now+x.step {
				if step == 3 { // a validation, which takes long
					now += 1000
					f.Add(train.Progress{Step: 2, Steps: x.steps, Seconds: now - x.step, Val: &train.MetricsLine{}})
				}
				p, ok := f.Add(train.Progress{Step: step, Steps: x.steps, Seconds: now})
				if !ok {
					continue
				}
				said++
				flags := ""
				if p.Smaller != nil {
					flags = p.Smaller.Flags
					if p.Smaller.Time > Hour {
						t.Errorf("%+v takes more than an hour", p.Smaller)
					}
				}
				if step != x.at || p.Left != x.left || p.Step.Seconds() != x.step || p.InHour != x.stepsInAnHour ||
					(flags != "") != (x.flags != "") {
					t.Errorf("behind step %d: %+v, smaller %q", step, p, flags)
				}
			}
			if (said == 1) != (x.at > 0) || said > 1 {
				t.Errorf("said %d times", said)
			}
		})
	}
}

// What is named is smaller than the network asked about, and the first of those that end in the limit.
func TestWithin(t *testing.T) {
	c, err := train.Preset("")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		blocks, filters int
		takes           time.Duration
		want            string
	}{
		{20, 128, 5 * time.Hour, "--preset 10x64"},
		{20, 128, 11 * time.Hour, "--blocks 6 --filters 64"},
		{20, 128, 20 * time.Hour, "--blocks 4 --filters 32"},
		{10, 64, 90 * time.Minute, "--blocks 6 --filters 64"},
		{2, 16, 90 * time.Minute, ""},
		{20, 128, 10_000 * time.Hour, ""},
	} {
		c.Blocks, c.Filters = x.blocks, x.filters
		s, ok := Within(c, x.takes, time.Hour)
		if s.Flags != x.want || ok != (x.want != "") || s.Time > time.Hour {
			t.Errorf("%d×%d of %v: %+v, want %q", x.blocks, x.filters, x.takes, s, x.want)
		}
	}
}

func TestMeasurement(t *testing.T) {
	begun := 0
	m := Measurement{Blocks: 1, Filters: 4, Batch: 16, Backend: "go", For: 1, Begun: func(Measured) { begun++ }}
	x, err := m.Run(t.Context())
	if err != nil || x.Kind != "go" || x.Batch != 16 || x.Config.Batch != 16 || !(x.PositionsPerSecond > 0) ||
		begun != 1 {
		t.Errorf("%+v, %v, begun %d times", x, err, begun)
	}
	m.Preset = "none"
	if _, err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("%v", err)
	}
}
