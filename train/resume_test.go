package train

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/network/checkpoint"
	"talbot/network/run"
)

// trained is a whole run of twelve steps with checkpoints of steps 4, 8 and 12, of which some validation found the
// best.
func trained(t *testing.T) (run.Config, Options) {
	c := tiny()
	o := Options{Dir: t.TempDir(), Backend: openTest(t, "go"), Source: &synthetic{batch: c.Batch},
		Val: valBatches(c, 2)}
	mustRun(t, c, o)
	o.Source, o.Resume = &synthetic{batch: c.Batch}, true
	return c, o
}

// TestLostCheckpoints: a run whose checkpoints are gone does not begin again and wipe its metrics.
func TestLostCheckpoints(t *testing.T) {
	c, o := trained(t)
	before := readMetrics(t, o.Dir)
	if err := os.RemoveAll(filepath.Join(o.Dir, "checkpoints")); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), c, o); !errors.Is(err, run.ErrDamaged) ||
		!strings.Contains(err.Error(), "reaches step 12") {
		t.Errorf("%v", err)
	}
	if after := readMetrics(t, o.Dir); len(after) != len(before) {
		t.Errorf("%d lines of metrics are left of %d", len(after), len(before))
	}
}

// TestHadCheckpoint: a run that ended before its first checkpoint may begin again.
func TestHadCheckpoint(t *testing.T) {
	c := tiny()
	c.CheckpointEvery = 10
	for name, test := range map[string]struct {
		lines []MetricsLine
		want  bool
	}{
		"none":             {nil, false},
		"before":           {[]MetricsLine{{Step: 8}}, false},
		"killed while":     {[]MetricsLine{{Step: 10}}, false},
		"after":            {[]MetricsLine{{Step: 10}, {Step: 12}}, true},
		"best, killed":     {[]MetricsLine{{Step: 4}, {Step: 4, Best: true}}, false},
		"after a best one": {[]MetricsLine{{Step: 4, Best: true}, {Step: 6}}, true},
	} {
		last := int64(0)
		if n := len(test.lines); n > 0 {
			last = test.lines[n-1].Step
		}
		if got := hadCheckpoint(c, test.lines, last); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestSpoiledCheckpoints: a run continues after the newest checkpoint that is whole and finite, or from its best one
// where no other is left, and ends with the bytes of the run that was never spoiled.
func TestSpoiledCheckpoints(t *testing.T) {
	c, o := trained(t)
	whole := o.Dir
	for name, spoil := range map[string]func(dir, newest string) error{
		"damaged": func(_, newest string) error { return os.Truncate(newest, 1000) },
		"not finite": func(_, newest string) error {
			f, err := checkpoint.Read(newest)
			if err != nil {
				return err
			}
			f.Tensors[0].Data[0] = float32(math.Inf(1))
			var out bytes.Buffer
			return errors.Join(f.Write(&out), os.WriteFile(newest, out.Bytes(), 0o666))
		},
		checkpoint.Best: func(dir, newest string) error {
			err := run.Checkpoints(dir).SetBest(8)
			for _, step := range []int64{4, 8, 12} {
				err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(newest), checkpoint.Name(step))))
			}
			return err
		},
	} {
		o.Dir = t.TempDir()
		newest := filepath.Join(o.Dir, "checkpoints", checkpoint.Name(12))
		if err := errors.Join(os.CopyFS(o.Dir, os.DirFS(whole)), spoil(o.Dir, newest)); err != nil {
			t.Fatal(err)
		}
		var warned []error
		var from int64
		o.Source, o.Warn = &synthetic{batch: c.Batch}, func(err error) { warned = append(warned, err) }
		o.Resumed = func(step int64, path string) {
			if from = step; name == checkpoint.Best && filepath.Base(path) != name {
				t.Errorf("resumed from %s", path)
			}
		}
		mustRun(t, c, o)
		if name != checkpoint.Best && (len(warned) == 0 || !errors.Is(warned[0], checkpoint.ErrDamaged) ||
			!strings.Contains(warned[0].Error(), newest)) || from != 8 {
			t.Errorf("%s: resumed after step %d, warned %v", name, from, warned)
		}
		sameRuns(t, whole, o.Dir)
	}
}

// TestStaleBest: a best checkpoint that is older than the state tells, is damaged or gone is made again; where the
// network is gone the next validation may be the best.
func TestStaleBest(t *testing.T) {
	c, o := trained(t)
	saves, path := run.Checkpoints(o.Dir), filepath.Join(o.Dir, "checkpoints", checkpoint.Best)
	loaded, err := saves.Best()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := run.StateOf(loaded.File)
	if err != nil || whole.Step == 4 {
		t.Fatalf("the best is of step %d, %v: the test needs a later one", whole.Step, err)
	}
	var warned []error
	o.Warn = func(err error) { warned = append(warned, err) }
	for name, spoil := range map[string]func() error{
		"older": func() error { return saves.SetBest(4) },
		"gone":  func() error { return os.Remove(path) },
		"damaged": func() error { // the step's file is another one on a disk without links
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("x"), 0o666))
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		warned, o.Source = nil, &synthetic{batch: c.Batch}
		mustRun(t, c, o)
		loaded, err := saves.Best()
		if err != nil || len(warned) != 1 {
			t.Fatalf("%s: warned %v, %v", name, warned, err)
		}
		if s, err := run.StateOf(loaded.File); err != nil || s.Step != whole.Step {
			t.Errorf("%s: the best is of step %d, %v", name, s.Step, err)
		}
	}
	r := &runner{Options: o, saves: saves, state: run.State{Step: 12, Best: &run.Best{Step: 7, Loss: 1}}}
	if err := r.mendBest(); err != nil || r.state.Best == nil || r.state.Best.Step != whole.Step ||
		!strings.Contains(warned[len(warned)-1].Error(), "step 7") {
		t.Errorf("a best step without a checkpoint: %+v, %v, warned %v", r.state.Best, err, warned)
	}
	r.state = run.State{Step: 8, Best: &run.Best{Step: 7, Loss: 1}}
	if err := r.mendBest(); whole.Step == 12 && (err != nil || r.state.Best.Step != 7) {
		t.Errorf("a best one from before the process was killed: %+v, %v", r.state.Best, err)
	}
}
