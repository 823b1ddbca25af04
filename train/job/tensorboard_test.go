package job

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"talbot/internal/testkit/traindata"
	"talbot/network/run"
	"talbot/train"
)

// TensorBoard itself shows what metrics.jsonl says, each step once, also of a run that was killed: it drops the points
// after the step at which the run was resumed, and takes a torn record for the end.
func TestTensorBoardShowsTheMetrics(t *testing.T) {
	job := tiny(t, write(t, traindata.Dataset{Seed: 1, Games: 60}))
	job.Adjust = func(c *run.Config) error { c.LogEvery, c.EvalEvery, c.CheckpointEvery = 1, 5, 10; return adjust(c) }
	ctx, cancel := context.WithCancel(t.Context())
	job.Progress = func(p train.Progress) {
		if p.Step == 17 {
			cancel()
		}
	}
	if _, err := job.Run(ctx); err == nil {
		t.Fatal("the run was not interrupted")
	}
	checkpoints, err := filepath.Glob(filepath.Join(job.Dir, "checkpoints", "*17.safetensors"))
	events, err2 := filepath.Glob(filepath.Join(job.Dir, "tensorboard", "train", "*"))
	if err := errors.Join(err, err2); err != nil || len(checkpoints) != 1 || len(events) != 1 {
		t.Fatal(checkpoints, events, err)
	}
	info, err := os.Stat(events[0])
	if err == nil { // as a kill leaves it, which comes before the checkpoint of step 17
		err = errors.Join(os.Remove(checkpoints[0]), os.Truncate(events[0], info.Size()-7))
	}
	if err != nil {
		t.Fatal(err)
	}
	mustTrain(t, Train{Dir: job.Dir, Resume: true})
	lines, err := train.ReadMetrics(job.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var shown map[string]map[string][][2]float64
	out := python(t, "tensorboard", nil, "testdata/read_events.py",
		filepath.Join(job.Dir, "tensorboard"))
	if err := json.Unmarshal(out, &shown); err != nil {
		t.Fatal(err)
	}
	want := map[string][][2]float64{}
	for _, l := range lines {
		want[l.Kind] = append(want[l.Kind], [2]float64{float64(l.Step), *l.Of("policy_ce")})
	}
	for kind, points := range want {
		got := shown[kind]["loss/policy"]
		if len(got) != len(points) {
			t.Errorf("%s: %d points of %d lines", kind, len(got), len(points))
			continue
		}
		for i, p := range points {
			if got[i][0] != p[0] || math.Abs(got[i][1]-p[1]) > 1e-6*p[1] {
				t.Errorf("%s: point %d is %v, want %v", kind, i, got[i], p)
			}
		}
	}
	if len(want["train"]) != 30 || len(want["val"]) != 6 {
		t.Errorf("%d and %d lines", len(want["train"]), len(want["val"]))
	}
}
