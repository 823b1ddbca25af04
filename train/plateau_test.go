package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/network/checkpoint"
	"talbot/network/schedule"
)

// TestPlateau: a run whose validations get worse lowers its rate after each and ends after three, long before its
// last step. One that was interrupted on the way ends there with the same bits, and goes no further when it is resumed
// again.
func TestPlateau(t *testing.T) {
	c := tiny()
	c.Schedule, c.LR, c.Warmup = "plateau:1=0.5,stop=3", 1e-2, 0
	c.Steps, c.EvalEvery, c.CheckpointEvery, c.LogEvery = 40, 2, 5, 1
	set(&c, "value_weight", 0)
	val := valBatches(c, 1)
	for i := range val[0].Codes {
		val[0].Codes[i] = 4671 // a move that is never played loses at each step
	}
	b := openTest(t, "go")
	options := func() Options {
		return Options{Dir: t.TempDir(), Backend: b, Source: &synthetic{batch: c.Batch}, Val: val}
	}
	whole := options()
	result := mustRun(t, c, whole)
	lines, err := ReadMetrics(whole.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	plateau, err := schedule.ParsePlateau(c.Schedule)
	if err != nil {
		t.Fatal(err)
	}
	var state schedule.PlateauState
	stopped := false
	for _, l := range lines {
		if stopped {
			t.Errorf("step %d is after the end", l.Step)
		}
		if l.Kind == "val" {
			state, stopped = plateau.Next(state, l.Loss)
		} else if want := 1e-2 * state.Factor(plateau); l.LR != want {
			t.Errorf("step %d: learning rate %g, want %g", l.Step, l.LR, want)
		}
	}
	last := lines[len(lines)-1].Step
	if !stopped || !result.StoppedEarly || result.Steps != last || last >= c.Steps || last < 8 || state.Lower < 3 {
		t.Fatalf("stopped %v at step %d: %+v", stopped, last, result)
	}

	rare := options() // a line of several steps, the last of them after the last validation but one
	often := c
	often.LogEvery = 100
	mustRun(t, often, rare)
	all, err := ReadMetrics(rare.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if l.Kind == "train" && (l.Step != last || l.LR != lines[len(lines)-2].LR) {
			t.Errorf("step %d: learning rate %g, of the last step %g", l.Step, l.LR, lines[len(lines)-2].LR)
		}
	}

	cut := options()
	ctx, stop := context.WithCancel(t.Context())
	cut.Progress = func(p Progress) {
		if p.Step == last-1 {
			stop()
		}
	}
	if _, err := Run(ctx, c, cut); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	cut.Progress, cut.Resume, cut.Source = nil, true, &synthetic{batch: c.Batch}
	mustRun(t, c, cut)
	read := func(dir string) string {
		text, err := os.ReadFile(filepath.Join(dir, "checkpoints", checkpoint.Name(last)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if read(whole.Dir) != read(cut.Dir) {
		t.Error("the resumed run ends with another checkpoint")
	}
	cut.Source = &synthetic{batch: c.Batch}
	if again := mustRun(t, c, cut); again.Samples != 0 || again.Steps != last || !again.StoppedEarly {
		t.Errorf("resumed after its end: %+v", again)
	}
}
