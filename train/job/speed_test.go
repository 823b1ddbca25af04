package job

import (
	"errors"
	"testing"
	"time"

	"talbot/network/run"
	"talbot/train"
)

// TestProspect: a run on the processor that takes more than an hour is told what takes less, if that can be chosen.
func TestProspect(t *testing.T) {
	c, err := run.New("talbotbot", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name    string
		kind    string
		fixed   bool
		blocks  int
		filters int
		left    time.Duration
		flags   string
		inHour  int64
	}{
		{"short", "go", false, 20, 128, time.Hour, "", 0},
		{"slow", "go", false, 19, 112, 120_000 * time.Second, "--blocks 2 --filters 16", 300},
		{"on a GPU", "xla:cuda", false, 20, 128, 120_000 * time.Second, "", 0},
		{"resumed", "xla:cpu", true, 20, 128, 120_000 * time.Second, "", 0},
		{"too long for any", "go", false, 20, 128, 120_000_000 * time.Second, "", 300},
	} {
		if err := errors.Join(set(&c, "blocks", x.blocks), set(&c, "filters", x.filters)); err != nil {
			t.Fatal(err)
		}
		p := Start{Config: c, Kind: x.kind}.Prospect(train.Progress{Seconds: 90}, 12*time.Second, x.left, x.fixed)
		flags := ""
		if p.Smaller != nil {
			if flags = p.Smaller.Flags; p.Smaller.Time > Hour {
				t.Errorf("%s: %+v takes more than an hour", x.name, p.Smaller)
			}
		}
		if p.Left != x.left || p.Step != 12*time.Second || p.InHour != x.inHour || flags != x.flags {
			t.Errorf("%s: %+v, smaller %q", x.name, p, flags)
		}
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
