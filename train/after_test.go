package train

import (
	"context"
	"errors"
	"slices"
	"testing"

	"talbot/network/checkpoint"
	"talbot/network/run"
)

// TestAfter: three runs that continue each other's training, one of them interrupted before its first checkpoint and
// one after it, end with the tensors of a single run, moments and averages included, if the batches are the same.
func TestAfter(t *testing.T) {
	b := openTest(t, "go")
	c := tiny()
	c.EMA = 0.5
	options := func(dir string, at int64) Options {
		return Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch, at: at}, Val: valBatches(c, 2),
			Calibration: valBatches(c, 3)}
	}
	single := t.TempDir()
	mustRun(t, c, options(single, 0))

	first, second, third := t.TempDir(), t.TempDir(), t.TempDir()
	c.Until = 5
	if r := mustRun(t, c, options(first, 0)); r.Steps != 5 {
		t.Errorf("the first run ended at step %d", r.Steps)
	}
	follow := func(from, dir string, until int64, stops ...int64) {
		w, err := run.ReadTraining(from)
		if err != nil {
			t.Fatal(err)
		}
		c.From, c.Until = w.Origin, until
		o := options(dir, w.Step)
		o.Weights = w
		for _, at := range stops {
			ctx, cancel := context.WithCancel(t.Context())
			o.Progress = func(p Progress) {
				if p.Step >= at {
					cancel()
				}
			}
			if _, err := Run(ctx, c, o); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			cancel()
			o.Progress, o.Resume, o.Source = nil, true, &synthetic{batch: c.Batch, at: w.Step}
		}
		if r := mustRun(t, c, o); r.Steps != until {
			t.Errorf("a run until step %d ended at %d", until, r.Steps)
		}
		lines := readMetrics(t, dir)
		if len(lines) == 0 || lines[0].Step <= w.Step || lines[len(lines)-1].Step != until {
			t.Errorf("after step %d: metrics from %+v", w.Step, lines)
		}
	}
	follow(first, second, 9, 7)
	follow(second, third, 12)
	want, got := newest(t, single), newest(t, third)
	for i := range want.Tensors {
		if x, y := want.Tensors[i], got.Tensors[i]; x.Name != y.Name || !slices.Equal(x.Data, y.Data) {
			t.Errorf("%s differs from %s", y.Name, x.Name)
		}
	}
}

// TestAfterNothing: what has no optimizer, and a training that has come to its end, cannot continue.
func TestAfterNothing(t *testing.T) {
	c, o := trained(t)
	w, err := run.ReadTraining(o.Dir)
	if err != nil || w.Step != 12 || !w.Whole {
		t.Fatalf("%+v, %v", w, err)
	}
	c.From = w.Origin
	if err := c.Validate(); err == nil {
		t.Error("a training of 12 steps continues after step 12")
	}
	if c.Until = 13; c.Validate() == nil {
		t.Error("a run ends after its schedule")
	}
	w.File.Tensors[0].Data[0]++
	c.Steps, c.Until = 20, 0
	w.Sum = "other"
	o = Options{Dir: t.TempDir(), Backend: o.Backend, Source: &synthetic{batch: c.Batch}, Weights: w}
	if _, err := Run(t.Context(), c, o); err == nil {
		t.Error("weights of another checksum are taken")
	}
}

// newest is the newest checkpoint of a run.
func newest(t *testing.T, dir string) *checkpoint.File {
	t.Helper()
	loaded, err := run.Checkpoints(dir).Newest()
	if err != nil {
		t.Fatal(err)
	}
	return loaded.File
}
