package train

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
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

// TestOnlyTheBestIsLeft: a run continues from its best checkpoint where no other one is left.
func TestOnlyTheBestIsLeft(t *testing.T) {
	c, o := trained(t)
	whole := t.TempDir()
	other := o
	other.Dir, other.Resume, other.Source = whole, false, &synthetic{batch: c.Batch}
	mustRun(t, c, other)
	saves := run.Checkpoints(o.Dir)
	if err := saves.SetBest(8); err != nil {
		t.Fatal(err)
	}
	for _, step := range []int64{4, 8, 12} {
		if err := os.Remove(filepath.Join(o.Dir, "checkpoints", checkpoint.Name(step))); err != nil {
			t.Fatal(err)
		}
	}
	var from int64
	o.Resumed = func(step int64, path string) {
		if from = step; filepath.Base(path) != checkpoint.Best {
			t.Errorf("resumed from %s", path)
		}
	}
	if mustRun(t, c, o); from != 8 {
		t.Errorf("resumed after step %d", from)
	}
	sameRuns(t, whole, o.Dir)
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

// TestNotFiniteIsPassedOver: a newest checkpoint of numbers that are not finite, as earlier versions saved them, is
// passed over.
func TestNotFiniteIsPassedOver(t *testing.T) {
	c, o := trained(t)
	path := filepath.Join(o.Dir, "checkpoints", checkpoint.Name(12))
	f, err := checkpoint.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Tensors[0].Data[0] = float32(math.Inf(1))
	out, err := os.Create(path + ".new")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Write(out), out.Close(), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
	var warned []error
	o.Warn = func(err error) { warned = append(warned, err) }
	var from int64
	o.Resumed = func(step int64, _ string) { from = step }
	mustRun(t, c, o)
	if from != 8 || !slices.ContainsFunc(warned, func(err error) bool {
		return errors.Is(err,
			checkpoint.ErrNotFinite)
	}) {
		t.Errorf("resumed after step %d, warned %v", from, warned)
	}
}
