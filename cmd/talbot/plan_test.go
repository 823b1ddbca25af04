package main

import (
	"strings"
	"testing"

	"talbot/inspect/plan"
	"talbot/internal/testkit"
	"talbot/network/run"
	"talbot/train/job"
)

// A plan that takes months names what takes less, sums up, and states the checkpoints.
func TestPlanShorter(t *testing.T) {
	c := testkit.Must(run.New("talbotbot", ""))
	for _, x := range []struct {
		hours float64
		kind  string
		want  []string
	}{
		{0.9, "xla:cpu", nil},
		{3, "xla:cpu", []string{"--preset 10x64"}},
		{7092, "xla:cpu", []string{"--blocks 2 --filters 16", "--steps 1692, of the same network", "on a GPU"}},
		{7092, "xla:cuda", nil},
	} {
		lines := shorter(&plan.Estimate{TrainHours: x.hours, TrainSteps: 1e6}, job.Measured{Config: c, Kind: x.kind})
		text := strings.Join(lines, "\n")
		if len(lines) != len(x.want) {
			t.Errorf("%g hours: %q", x.hours, text)
		}
		for _, want := range x.want {
			if !strings.Contains(text, want) {
				t.Errorf("%g hours: no %q in %q", x.hours, want, text)
			}
		}
	}
	e := plan.Estimate{LabelHours: 240, TotalHours: 250, DiskBytes: 5e9, CheckpointBytes: 4e9}
	text := e.Text(nil)
	for _, want := range []string{"about 24h0m with a tenth", "in all             10d10h",
		"5.0 GB, with both datasets and 4.0 GB"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// A plan is refused where its datasets or the temporary files find no room, and only there.
func TestPlanRoom(t *testing.T) {
	dir := t.TempDir()
	if diskSpace(dir).Total == 0 {
		t.Skip("this system does not tell how much space is free")
	}
	o := planOptions{disk: dir}
	const much = 1 << 60
	for _, x := range []struct {
		disk, temp int64
		want       string
	}{
		{1, 1, ""},
		{much, 1, "datasets and checkpoints need"},
		{1, much, "temporary files need"},
	} {
		err := o.room(&plan.Estimate{DiskBytes: x.disk, TempBytes: x.temp})
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}
