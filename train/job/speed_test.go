package job

import (
	"errors"
	"strings"
	"testing"
	"time"

	"talbot/network/run"
	"talbot/train"
)

// TestOutlook: a run on the processor that takes more than an hour is told what takes less, if that can be chosen.
func TestOutlook(t *testing.T) {
	c, err := run.New("talbotbot", "")
	if err != nil {
		t.Fatal(err)
	}
	const within = "\nwithin an hour on this machine, as another run: "
	for _, x := range []struct {
		kind       string
		fixed      bool
		step, left time.Duration
		want       string
	}{
		{"go", false, time.Millisecond, 9 * time.Second, ""},
		{"go", false, 2345 * time.Millisecond, time.Hour, "time: about 1h0m left, 2.3s a step"},
		{"xla:cuda", false, 12 * time.Second, 120_000 * time.Second, "time: about 33h20m left, 12s a step"},
		{"xla:cpu", true, 12 * time.Second, 120_000 * time.Second, "time: about 33h20m left, 12s a step"},
		{"go", false, 12 * time.Second, 20 * time.Hour, "time: about 20h0m left, 12s a step" + within +
			"--blocks 4 --filters 32 (about 41m), or --steps 300 with this network"},
		{"go", false, 12 * time.Second, 200_000 * time.Hour, "time: about 8333d8h left, 12s a step" + within +
			"--steps 300 with this network"},
	} {
		got := Start{Config: c, Kind: x.kind}.Outlook(train.Progress{Seconds: 90}, x.step, x.left, x.fixed)
		if strings.TrimSuffix(got, "\n") != x.want {
			t.Errorf("%+v:\n%s", x, got)
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
	m := Measurement{Config: c, Backend: "go", For: 1}
	x, err := m.Run(t.Context())
	if err != nil || x.Kind != "go" || x.Batch != 16 || x.Config.Batch != 16 || !(x.PositionsPerSecond > 0) {
		t.Errorf("%+v, %v", x, err)
	}
	m.Config.Batch = 0
	if _, err := m.Run(t.Context()); !errors.Is(err, ErrConfig) {
		t.Errorf("a batch of nothing: %v", err)
	}
}
