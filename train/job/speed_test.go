package job

import (
	"errors"
	"testing"
	"time"

	"talbot/network/run"
	"talbot/train"
)

// A run is said once to take what its steps take, without the first one, which compiles, and without validations.
// TestForecastOfStacks: steps of one execution are told at its end, and take a share of its time each.
func TestForecastOfStacks(t *testing.T) {
	c, err := run.New("talbotbot", "")
	if err != nil {
		t.Fatal(err)
	}
	f := Forecast{Start: Start{Config: c, Kind: "xla:cpu"}}
	step, now := int64(0), 2.0 // with compilation
	for _, n := range []int64{1, 1, 2, 4, 8} {
		now += 0.25 * float64(n)
		for i := range n {
			step++
			p, ok := f.Add(train.Progress{Step: step, Steps: 1000, Seconds: now, More: i < n-1})
			if ok != (step == 8) {
				t.Errorf("said at step %d: %v", step, ok)
			}
			if ok && (p.Step != 250*time.Millisecond || p.Steps != 7 || p.Left != 992*250*time.Millisecond) {
				t.Errorf("%+v", p)
			}
		}
	}
}

func TestForecast(t *testing.T) {
	c, err := run.New("talbotbot", "")
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
			size := [2]int{20, 128}
			if x.name == "slow" {
				size = [2]int{19, 112}
			}
			if err := errors.Join(set(&c, "blocks", size[0]), set(&c, "filters", size[1])); err != nil {
				t.Fatal(err)
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
	c, err := run.New("talbotbot", "")
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
		if err := errors.Join(set(&c, "blocks", x.blocks), set(&c, "filters", x.filters)); err != nil {
			t.Fatal(err)
		}
		s, ok := Within(c, x.takes, time.Hour)
		if s.Flags != x.want || ok != (x.want != "") || s.Time > time.Hour {
			t.Errorf("%d×%d of %v: %+v, want %q", x.blocks, x.filters, x.takes, s, x.want)
		}
	}
}

func TestMeasurement(t *testing.T) {
	c, err := run.New("talbotbot", "")
	if err == nil {
		err = errors.Join(set(&c, "blocks", 1), set(&c, "filters", 4))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Batch = 16
	begun := 0
	m := Measurement{Config: c, Backend: "go", For: 1, Begun: func(Measured) { begun++ }}
	x, err := m.Run(t.Context())
	if err != nil || x.Kind != "go" || x.Batch != 16 || x.Config.Batch != 16 || !(x.PositionsPerSecond > 0) ||
		begun != 1 {
		t.Errorf("%+v, %v, begun %d times", x, err, begun)
	}
	m.Config.Batch = 0
	if _, err := m.Run(t.Context()); !errors.Is(err, ErrConfig) {
		t.Errorf("a batch of nothing: %v", err)
	}
}
