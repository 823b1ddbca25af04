package train

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"talbot/train/backend"
	"talbot/train/model"
)

// openDevices opens XLA's CPU plugin, which shows four devices whatever the machine has.
func openDevices(t *testing.T, devices int) *backend.Opened {
	t.Helper()
	b := openTest(t, "xla:cpu")
	if have := b.NumDevices(); have < devices {
		t.Skipf("NOT TESTED: XLA's CPU plugin has %d devices, not %d", have, devices)
	}
	return b
}

// TestDevices trains the same batches on one device and on four, with every option on. All figures and tensors agree after five
// steps, running statistics and moments among them: only the order of sums differs. The losses of single devices' samples
// alone would differ in the first digit.
func TestDevices(t *testing.T) {
	b := openDevices(t, 4)
	c := everything()
	var figures [][]float64
	var all []map[string][]float32
	for _, c.Devices = range []int{1, 4} {
		e, err := newEngine(b, c)
		if err != nil {
			t.Fatal(err)
		}
		defer e.close()
		if err := e.forTraining(); err != nil {
			t.Fatal(err)
		}
		var got []float64
		for step := range int64(5) {
			var batch Batch
			(&synthetic{batch: c.Batch}).fill(&batch, step)
			played(&batch, step)
			if err := batch.addLegal(); err != nil {
				t.Fatal(err)
			}
			l, norm, err := e.step(&batch, step, 1e-3)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l.Loss, *l.PolicyCE, *l.ValueMSE, *l.Top1, norm)
		}
		figures = append(figures, got)
		tensors := map[string][]float32{}
		for _, tensor := range e.tensors() {
			if tensors[tensor.Name], err = e.store.Get(tensor.Name); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, tensors)
	}
	for i, want := range figures[0] {
		if got := figures[1][i]; math.Abs(got-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("figure %d: %g on four devices, %g on one", i, got, want)
		}
	}
	for name, want := range all[0] {
		for i, got := range all[1][name] {
			if math.Abs(float64(got-want[i])) > 2e-4 {
				t.Errorf("%s[%d]: %g on four devices, %g on one", name, i, got, want[i])
				break
			}
		}
	}
}

// TestDevicesResume: a run on two devices that was cancelled equals the uninterrupted one to the bit; resumed on one device it
// ends with nearly the same losses; and its checkpoints predict on any backend.
func TestDevicesResume(t *testing.T) {
	b := openDevices(t, 2)
	c := tiny()
	c.Devices, c.EMA = 2, 0.99
	o := func(dir string) Options {
		return Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 2), Calibration: valBatches(c, 3)}
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
	if d := math.Abs(*got.Final.PolicyCE - *want.Final.PolicyCE); d > 1e-3 {
		t.Errorf("policy cross-entropy %g, of the run on two devices %g", *got.Final.PolicyCE, *want.Final.PolicyCE)
	}

	p, err := NewPredictor(openTest(t, "go"), whole, NewestCheckpoint, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, _, err := p.Predict(make([]uint64, 4*model.Planes), 4); err != nil {
		t.Error(err)
	}
}

func TestTooFewDevices(t *testing.T) {
	c := tiny()
	c.Devices = 3
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "16 samples") || !strings.Contains(err.Error(), "3 devices") {
		t.Error(err)
	}
	c.Devices = 2
	err := c.RunsOn(openTest(t, "go"))
	if !errors.Is(err, ErrDevices) || !strings.Contains(err.Error(), "2 asked for, go has 1") {
		t.Error(err)
	}
	b := openTest(t, "xla:cpu")
	c.Devices = b.NumDevices() * 2
	if err := c.RunsOn(b); !errors.Is(err, ErrDevices) {
		t.Error(err)
	}
}
