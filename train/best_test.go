package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/network/checkpoint"
	"talbot/network/run"
)

// TestLostBest: without best.safetensors its step's checkpoint is taken, then the newest, and both are told.
func TestLostBest(t *testing.T) {
	c := tiny()
	c.Steps, c.EvalEvery, c.CheckpointEvery, c.Keep = 60, 30, 30, 5
	c.LR, c.Warmup, c.Schedule = 1e-2, 0, "constant"
	set(&c, "value_weight", 0)
	dir := t.TempDir()
	val := valBatches(c, 1)
	// a move that is never played loses at each step, so that the first validation is the best
	for i := range val[0].Codes {
		val[0].Codes[i] = 4671
	}
	mustRun(t, c, Options{Dir: dir, Backend: openTest(t, "go"), Source: &synthetic{batch: c.Batch}, Val: val})
	open := func(step int64, told ...string) {
		t.Helper()
		p, state, err := run.Load(dir, run.BestCheckpoint)
		if err != nil {
			t.Fatal(err)
		}
		if state.Step != step || len(p.Damaged) != len(told) {
			t.Fatalf("step %d, want %d, told %v", state.Step, step, p.Damaged)
		}
		w, err := run.ReadWeights(dir)
		if err != nil || w.Step != step || len(w.Damaged) != len(told) {
			t.Fatalf("weights of step %d, want %d, %v", w.Step, step, err)
		}
		for i, text := range told {
			if !strings.Contains(p.Damaged[i].Error(), text) {
				t.Errorf("told %q, want %q", p.Damaged[i], text)
			}
		}
	}
	remove := func(name string) {
		t.Helper()
		if err := os.Remove(filepath.Join(dir, "checkpoints", name)); err != nil {
			t.Fatal(err)
		}
	}
	open(30)
	remove(checkpoint.Best)
	open(30, "the best checkpoint is that of step 30")
	remove(checkpoint.Name(30))
	open(60, "that of step 30, is gone")
}
