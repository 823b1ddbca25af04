package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/train/checkpoint"
)

// TestPlateau: a run whose validations get worse lowers its rate behind each and ends behind three, at step 8. One that
// was interrupted on the way ends there with the same bits, and goes no further when it is resumed again.
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
	if !result.StoppedEarly || result.Steps != 8 {
		t.Fatalf("%+v", result)
	}
	lines, err := ReadMetrics(whole.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	rates := map[int64]float64{}
	for _, l := range lines {
		if l.Kind == "train" {
			rates[l.Step] = l.LR
		}
	}
	for step, want := range map[int64]float64{1: 1e-2, 4: 1e-2, 5: 5e-3, 6: 5e-3, 7: 2.5e-3, 8: 2.5e-3} {
		if rates[step] != want {
			t.Errorf("step %d: learning rate %g, want %g", step, rates[step], want)
		}
	}

	cut := options()
	ctx, stop := context.WithCancel(t.Context())
	cut.Progress = func(p Progress) {
		if p.Step == 6 && p.Val == nil {
			stop()
		}
	}
	if _, err := Run(ctx, c, cut); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	cut.Progress, cut.Resume, cut.Source = nil, true, &synthetic{batch: c.Batch}
	mustRun(t, c, cut)
	read := func(dir string) string {
		text, err := os.ReadFile(filepath.Join(dir, "checkpoints", checkpoint.Name(8)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if read(whole.Dir) != read(cut.Dir) {
		t.Error("the resumed run ends with another checkpoint")
	}
	cut.Source = &synthetic{batch: c.Batch}
	if again := mustRun(t, c, cut); again.Samples != 0 || again.Steps != 8 || !again.StoppedEarly {
		t.Errorf("resumed behind its end: %+v", again)
	}
}
