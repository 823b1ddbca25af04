package train

import (
	"context"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

// openDevices opens XLA's CPU plugin, which shows four devices whatever the machine has.
func openDevices(t *testing.T, devices int) *backend.Backend {
	t.Helper()
	b := openTest(t, "xla:cpu")
	if have := b.NumDevices(); have < devices {
		t.Skipf("NOT TESTED: XLA's CPU plugin has %d devices, not %d", have, devices)
	}
	return b
}

// TestDevices trains the same batches on one device and on four, with every option on. All figures and tensors agree
// after five steps, running statistics and moments among them: only the order of sums differs. The losses of single
// devices' samples alone would differ in the first digit. Going back to a checkpoint gives the same bits again.
func TestDevices(t *testing.T) {
	b := openDevices(t, 4)
	c := everything()
	var figures [][]float64
	var files []*checkpoint.File
	for _, c.Devices = range []int{1, 4} {
		e := trainingEngine(t, b, c)
		got := steps(t, e, 0, 3)
		if err := e.calibrate(valBatches(c, 1)); err != nil { // on one device, which writes what all of them hold
			t.Fatal(err)
		}
		figures = append(figures, append(got, goesBack(t, e, 3, 5)...))
		files = append(files, snapshot(t, e))
	}
	for i, want := range figures[0] {
		if got := figures[1][i]; math.Abs(got-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("figure %d: %g on four devices, %g on one", i, got, want)
		}
	}
	for k, want := range files[0].Tensors {
		for i, got := range files[1].Tensors[k].Data {
			if math.Abs(float64(got-want.Data[i])) > 2e-4 {
				t.Errorf("%s[%d]: %g on four devices, %g on one", want.Name, i, got, want.Data[i])
				break
			}
		}
	}
}

// steps trains and returns losses and norms.
func steps(t *testing.T, e *engine, from, to int64) (figures []float64) {
	t.Helper()
	for step := from; step < to; step++ {
		var batch Batch
		(&synthetic{batch: e.config.Batch, legal: legalMask(e.config)}).fill(&batch, step)
		played(&batch, step)
		l, norm, err := e.step(&batch, step, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		figures = append(figures, l.Loss, *l.Of("policy_ce"), *l.Of("value_mse"), *l.Of("top1"), norm)
	}
	return figures
}

// goesBack trains, goes back and trains again, which has to give the same bits. It returns losses and norms.
func goesBack(t *testing.T, e *engine, from, to int64) []float64 {
	t.Helper()
	before := snapshot(t, e)
	want := steps(t, e, from, to)
	after := snapshot(t, e)
	if err := e.restore(before); err != nil {
		t.Fatal(err)
	}
	if got := steps(t, e, from, to); !slices.Equal(got, want) || !reflect.DeepEqual(snapshot(t, e), after) {
		t.Errorf("%d devices in %s compute something else the second time", e.config.Devices, e.config.Precision)
	}
	return want
}

func snapshot(t *testing.T, e *engine) *checkpoint.File {
	t.Helper()
	f, err := e.snapshot(run.State{Config: e.config})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDevicesResume: a run on two devices that was cancelled equals the uninterrupted one to the bit; resumed on one
// device it ends with nearly the same losses; and its checkpoints predict on any backend.
func TestDevicesResume(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("set TALBOT_FULL=1 to train four runs (TestDevices goes back to a checkpoint)")
	}
	b := openDevices(t, 2)
	c := tiny()
	c.Devices = 2
	o := func(dir string) Options {
		return Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 2)}
	}
	whole, cut, one := t.TempDir(), t.TempDir(), t.TempDir()
	want := mustRun(t, c, o(whole))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	interrupted := o(cut)
	interrupted.Progress = func(p Progress) {
		if p.Step == 7 {
			cancel()
		}
	}
	if result, err := Run(ctx, c, interrupted); !errors.Is(err, context.Canceled) || result.Steps != 7 {
		t.Fatalf("%+v, %v", result, err)
	}
	if err := os.CopyFS(one, os.DirFS(cut)); err != nil {
		t.Fatal(err)
	}
	again := o(cut)
	again.Resume = true
	mustRun(t, c, again)
	sameRuns(t, whole, cut)

	again = o(one)
	again.Resume = true
	c.Devices = 1
	got := mustRun(t, c, again)
	if d := math.Abs(*final(got, "policy_ce") - *final(want, "policy_ce")); d > 1e-3 {
		t.Errorf("policy cross-entropy %g, of the run on two devices %g", *final(got, "policy_ce"),
			*final(want, "policy_ce"))
	}
}

func TestTooFewDevices(t *testing.T) {
	c := tiny()
	c.Devices = 3
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "16 samples") ||
		!strings.Contains(err.Error(), "3 devices") {
		t.Error(err)
	}
	c.Devices = 2
	_, err := RunsOn(c, openTest(t, "go"))
	if !errors.Is(err, ErrDevices) || !strings.Contains(err.Error(), "2 requested, go has 1") {
		t.Error(err)
	}
	b := openTest(t, "xla:cpu")
	c.Devices = b.NumDevices() * 2
	if _, err := RunsOn(c, b); !errors.Is(err, ErrDevices) {
		t.Error(err)
	}
}
