//go:build unix

package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/network/checkpoint"
	"talbot/network/run"
)

// TestFailedSaveIsTheError: a run that is interrupted and cannot save is not one that was interrupted and saved.
func TestFailedSaveIsTheError(t *testing.T) {
	c := tiny()
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Dir: t.TempDir(), Backend: openTest(t, "go"), Source: &synthetic{batch: c.Batch}}
	o.Progress = func(p Progress) {
		if p.Step == 5 {
			if err := os.RemoveAll(filepath.Join(o.Dir, "checkpoints")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(o.Dir, "checkpoints"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			cancel()
		}
	}
	result, err := Run(ctx, c, o)
	if !errors.Is(err, syscall.ENOTDIR) || errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "step 5 could not be saved") {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestNaN makes the loss of step 7 NaN. The checkpoint of step 6 is of no use, since its weights gave it; the one
// before stays, though one alone is to be kept.
func TestNaN(t *testing.T) {
	c := tiny()
	c.CheckpointEvery, c.EvalEvery, c.Keep = 2, 0, 1
	o := Options{Dir: t.TempDir(), Backend: openTest(t, "go"), Source: &synthetic{batch: c.Batch}}
	r, err := begin(c, o)
	if err != nil {
		t.Fatal(err)
	}
	r.engine.execute = func(x *gomlx.Exec, args ...any) ([]*tensors.Tensor, error) {
		out, err := x.Call(args...)
		if r.state.Step == 6 && err == nil {
			out[0] = tensors.FromFlatDataAndDimensions([]float32{float32(math.NaN()), 1, 1, 1, 1}, 5)
		}
		return out, err
	}
	err = errors.Join(r.loop(t.Context()), r.end())
	if !errors.Is(err, ErrDiverged) || !strings.HasSuffix(err.Error(), "the last checkpoint is from step 4") ||
		!strings.Contains(err.Error(), "at step 7: loss NaN") {
		t.Errorf("%v", err)
	}
	if steps := checkpointSteps(t, o.Dir); steps != "step-000000000004 step-000000000006.safetensors.diverged" {
		t.Errorf("checkpoints %s", steps)
	}
	if path := r.result().Checkpoint; filepath.Base(path) != checkpoint.Name(4) {
		t.Errorf("the last checkpoint is %s", path)
	}
}

// TestFailingMetrics: where a line cannot be written, what was trained is saved, and the resumed run writes the line.
func TestFailingMetrics(t *testing.T) {
	b, c := openTest(t, "go"), tiny()
	o := func(dir string) Options {
		return Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 2)}
	}
	whole := t.TempDir()
	mustRun(t, c, o(whole))
	for name, step := range map[string]int64{"train": 6, "val": 8} {
		cut := o(t.TempDir())
		r, err := begin(c, cut)
		if err != nil {
			t.Fatal(err)
		}
		r.engine.execute = func(x *gomlx.Exec, args ...any) ([]*tensors.Tensor, error) {
			if r.state.Step == step-1 && name == "train" || r.state.Step == step && x == r.engine.loss {
				r.metrics.f.Close()
			}
			return x.Call(args...)
		}
		err = r.loop(t.Context())
		r.end()
		if !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(),
			fmt.Sprintf("step %d: writing metrics", step)) {
			t.Fatalf("%s: %v", name, err)
		}
		if r.savedAt != step || !strings.HasSuffix(err.Error(),
			fmt.Sprintf("the last checkpoint is from step %d", step)) {
			t.Errorf("%s: saved at step %d, want %d", name, r.savedAt, step)
		}
		cut.Resume, cut.Source = true, &synthetic{batch: c.Batch}
		mustRun(t, c, cut)
		sameRuns(t, whole, cut.Dir)
	}
}

// TestFailingEventFiles: TensorBoard's files are not worth the end of a run.
func TestFailingEventFiles(t *testing.T) {
	c := tiny()
	var warned []error
	o := Options{Dir: t.TempDir(), Backend: openTest(t, "go"), Source: &synthetic{batch: c.Batch},
		Warn: func(err error) { warned = append(warned, err) }}
	r, err := begin(c, o)
	if err != nil {
		t.Fatal(err)
	}
	r.metrics.dir = filepath.Join(o.Dir, run.ConfigName, "below a file")
	if err := errors.Join(r.loop(t.Context()), r.end()); err != nil || r.state.Step != c.Steps {
		t.Errorf("ended at step %d: %v", r.state.Step, err)
	}
	if len(warned) != 1 || !strings.Contains(warned[0].Error(), "TensorBoard files after step 2") {
		t.Errorf("warned %v", warned)
	}
	if lines := readMetrics(t, o.Dir); len(lines) != 6 {
		t.Errorf("%d lines of metrics", len(lines))
	}
}

// TestInterruptedValidation: a validation is not waited for. What was trained is saved, and the resumed run validates.
func TestInterruptedValidation(t *testing.T) {
	b, c := openTest(t, "go"), tiny()
	o := func(dir string) Options {
		return Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 3)}
	}
	whole := t.TempDir()
	mustRun(t, c, o(whole))
	for _, step := range []int64{c.EvalEvery, c.Steps} {
		cut := o(t.TempDir())
		r, err := begin(c, cut)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		batches := 0
		r.engine.execute = func(x *gomlx.Exec, args ...any) ([]*tensors.Tensor, error) {
			if r.state.Step == step && x == r.engine.loss {
				batches++
				cancel()
			}
			return x.Call(args...)
		}
		err = r.loop(ctx)
		r.end()
		if !errors.Is(err, context.Canceled) || batches != 1 || r.savedAt != step {
			t.Errorf("step %d: %d batches, saved at step %d: %v", step, batches, r.savedAt, err)
		}
		cut.Resume, cut.Source = true, &synthetic{batch: c.Batch}
		mustRun(t, c, cut)
		sameRuns(t, whole, cut.Dir)
	}
}
