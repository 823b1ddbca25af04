package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

// source is a run with averaged weights, and the weights that another run may take from it.
func source(t *testing.T, b *backend.Backend) *run.Weights {
	t.Helper()
	c := tiny()
	c.EMA, c.Seed = 0.5, 5
	dir := t.TempDir()
	mustRun(t, c, Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 2),
		Calibration: valBatches(c, 3)})
	w, err := run.ReadWeights(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestFrom: a run begins with the averaged weights and their statistics, with no momentum, and an average of the same
// weights.
func TestFrom(t *testing.T) {
	b := openTest(t, "go")
	w := source(t, b)
	if w.Step == 0 || !filepath.IsAbs(w.Path) || filepath.Base(w.Path) != checkpoint.Best || len(w.Sum) != 64 {
		t.Errorf("weights of %+v", w.Origin)
	}
	whole, err := checkpoint.Read(w.Path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]float32{}
	for _, tensor := range whole.Tensors {
		want[tensor.Name] = tensor.Data
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, ema := range []float64{0, 0.9} {
		c := tiny()
		c.EMA, c.From = ema, w.Origin
		o := Options{Dir: t.TempDir(), Backend: b, Source: &synthetic{batch: c.Batch}, Calibration: valBatches(c, 3),
			Weights: w}
		result, err := Run(stopped, c, o)
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		f, err := checkpoint.Read(result.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		for _, tensor := range f.Tensors {
			name, average := strings.CutPrefix(tensor.Name, averagePrefix)
			switch {
			case strings.HasPrefix(tensor.Name, "optimizer."):
				if slices.ContainsFunc(tensor.Data, func(x float32) bool { return x != 0 }) {
					t.Errorf("%s is not zero", tensor.Name)
				}
			case average && strings.Contains(name, "running"): // recalibrated
			case !slices.Equal(tensor.Data, want[averagePrefix+name]) || slices.Equal(tensor.Data, want[name]):
				t.Errorf("EMA %g: %s is not the average of the other run", ema, tensor.Name)
			}
		}
		if old, err := run.ReadConfig(o.Dir); err != nil || old.From != w.Origin {
			t.Errorf("run.json says %+v, %v", old.From, err)
		}
	}
}

// TestFromResumesToTheBit: a run that is killed before its first checkpoint begins again with the same weights.
func TestFromResumesToTheBit(t *testing.T) {
	b := openTest(t, "go")
	w := source(t, b)
	c := tiny()
	c.From = w.Origin
	o := func(dir string) Options {
		return Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 2)}
	}
	whole, cut := t.TempDir(), t.TempDir()
	mustRun(t, c, o(whole))
	if err := dying(c, o(cut), 3, errors.New("lost")); err == nil ||
		!strings.HasSuffix(err.Error(), "there is no checkpoint") {
		t.Fatal(err)
	}
	again := o(cut)
	again.Resume = true
	var warned []error
	again.Warn = func(err error) { warned = append(warned, err) }
	mustRun(t, c, again)
	if len(warned) != 1 || !strings.Contains(warned[0].Error(), "starting again at step 1") {
		t.Errorf("warned %v", warned)
	}
	sameRuns(t, whole, cut)

	cut = t.TempDir()
	dying(c, o(cut), 3, errors.New("lost"))
	again.Dir, again.Source = cut, &synthetic{batch: c.Batch}
	if err := run.Checkpoints(filepath.Dir(filepath.Dir(w.Path))).SetBest(4); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), c, again); w.Step == 4 || err == nil ||
		!strings.Contains(err.Error(), "have changed since the run began") {
		t.Errorf("other weights: %v", err)
	}
	if err := os.Remove(w.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), c, again); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), w.Path) {
		t.Errorf("no weights: %v", err)
	}
}

func TestWeightsAreChecked(t *testing.T) {
	b := openTest(t, "go")
	w := source(t, b)
	step := filepath.Join(filepath.Dir(w.Path), checkpoint.Name(8))
	if file, err := run.ReadWeights(step); err != nil || file.Step != 8 {
		t.Errorf("a file: %+v, %v", file, err)
	}
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{t.TempDir(): run.ErrNoRun, "/nowhere": os.ErrNotExist,
		garbage: checkpoint.ErrDamaged} {
		if _, err := run.ReadWeights(path); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	c := tiny()
	c.From = w.Origin
	set(&c, "filters", 4)
	dir := filepath.Join(t.TempDir(), "run")
	_, err := Run(t.Context(), c, Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}})
	if err == nil || !strings.Contains(err.Error(),
		"have 1 block of 8 filters (talbotbot), not 1 block of 4 filters (talbotbot)") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the refused run left a folder")
	}
}
