package job

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/testkit/traindata"
	"talbot/network/run"
	"talbot/train/loader"
)

// TestNextPiece: a training that goes on does so on the backend of the one before, and validates and saves as its own
// length asks for.
func TestNextPiece(t *testing.T) {
	data := write(t, traindata.Dataset{Seed: 1, Games: 60})
	first := tiny(t, data)
	first.Steps, first.Until = 100_000, 4
	mustTrain(t, first)
	next := tiny(t, data)
	next.After, next.Steps, next.Until, next.Backend, next.Adjust = first.Dir, 0, 10, "", nil
	mustTrain(t, next)
	if id, err := loader.ReadIdentity(next.Dir); err != nil || id.Backend != "go" {
		t.Errorf("backend %q, %v", id.Backend, err)
	}
	next.Until = 20_004
	c, _, err := next.settings()
	if err != nil {
		t.Fatal(err)
	}
	usual, err := run.New(c.Recipe, "")
	if err != nil {
		t.Fatal(err)
	}
	usual.SetSteps(20_000)
	if c.LogEvery != usual.LogEvery || c.EvalEvery != usual.EvalEvery || c.CheckpointEvery != usual.CheckpointEvery {
		t.Errorf("every %d, %d, %d steps, not %d, %d, %d", c.LogEvery, c.EvalEvery, c.CheckpointEvery, usual.LogEvery,
			usual.EvalEvery, usual.CheckpointEvery)
	}
	asked := first
	asked.Dir = filepath.Join(t.TempDir(), "run")
	asked.Adjust = func(c *run.Config) error { c.CheckpointEvery = 3; return adjust(c) }
	mustTrain(t, asked)
	next.After = asked.Dir
	if c, _, err = next.settings(); err != nil || c.CheckpointEvery != 3 {
		t.Errorf("checkpoints every %d steps, not 3 as asked for: %v", c.CheckpointEvery, err)
	}

	_, err = Train{Dir: first.Dir, Resume: true, Until: 2}.Run(t.Context())
	if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "step 4") {
		t.Errorf("until what is past: %v", err)
	}
	if c, err := run.ReadConfig(first.Dir); err != nil || c.Until != 4 {
		t.Errorf("until %d: %v", c.Until, err)
	}
}

// TestDoneWithoutOthers: a run is done though the run that it continues with is gone.
func TestDoneWithoutOthers(t *testing.T) {
	data := write(t, traindata.Dataset{Seed: 1, Games: 60})
	for _, from := range []bool{true, false} {
		first := tiny(t, data)
		first.Steps, first.Until, first.Recipe = 8, 4, "prior" // whose validations are counted in epochs
		first.Adjust = func(c *run.Config) error { small(c, 1); c.Batch = 16; return nil }
		mustTrain(t, first)
		next := first
		next.Dir, next.Until = filepath.Join(t.TempDir(), "run"), 0
		if next.After, next.Adjust = first.Dir, nil; from {
			next.From, next.After, next.Adjust = first.Dir, "", func(c *run.Config) error { c.Batch = 16; return nil }
		}
		next.Existing = output.Skip
		mustTrain(t, next)
		killedAtPage(t, next)
		if err := os.RemoveAll(first.Dir); err != nil {
			t.Fatal(err)
		}
		if _, err := next.Run(t.Context()); !errors.Is(err, output.ErrDone) {
			t.Errorf("from %v: without the run before: %v", from, err)
		}
		next.Steps = 9
		if _, err := next.Run(t.Context()); !errors.Is(err, output.ErrDifferent) && !errors.Is(err, ErrConfig) {
			t.Errorf("from %v: of another length: %v", from, err)
		}
	}
}

// killedAtPage checks that a run whose process was killed while it wrote the page gets its page when it is repeated.
func killedAtPage(t *testing.T, job Train) {
	t.Helper()
	page := filepath.Join(job.Dir, ReportName)
	if err := os.Rename(page, page+durable.TempSuffix); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(job.Dir, "run.lock"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := job.Run(t.Context()); err != nil {
		t.Errorf("a run without its page: %v", err)
	}
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
}
