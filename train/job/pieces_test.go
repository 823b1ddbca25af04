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
	"talbot/train"
	"talbot/train/loader"
)

// TestUnknownData: a run that does not tell what it is trained on continues with data that is named, if its survey is
// of that; what cannot be told is said.
func TestUnknownData(t *testing.T) {
	a, b := write(t, traindata.Dataset{Seed: 1, Games: 60}), write(t, traindata.Dataset{Seed: 2, Games: 60})
	a.Weight, b.Weight = 3, 1
	job := tiny(t, a, b)
	job.Steps, job.Until, job.MaxCopies = 6, 3, 1
	mustTrain(t, job)
	if err := os.WriteFile(filepath.Join(job.Dir, "data.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	var warned []string
	resume := func(copies int, specs ...loader.Spec) error {
		warned = nil
		_, err := Train{Dir: job.Dir, Resume: true, Data: specs, MaxCopies: copies, Backend: "go", Until: 4,
			Adjust: asIs,
			Warn:   collect(&warned)}.Run(t.Context())
		return err
	}
	other := b
	other.Weight = 2
	for name, err := range map[string]error{"without --max-copies": resume(0, a, b),
		"other shares": resume(1, a, other)} {
		var refused *train.ConfigError
		if !errors.As(err, &refused) || refused.Field != "data" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := resume(1, a, b); err != nil || len(warned) != 1 {
		t.Errorf("what it began with: %v, %q", err, warned)
	}
	if id, err := loader.ReadIdentity(job.Dir); err != nil || id.MaxCopies != 1 || len(id.Sets) != 2 {
		t.Errorf("what it keeps now: %+v, %v", id, err)
	}
	for _, name := range []string{"data.json", loader.SurveyName} {
		if err := os.Remove(filepath.Join(job.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := resume(1, a, b); err != nil || len(warned) != 2 || !strings.Contains(warned[1], "--max-copies") {
		t.Errorf("without a survey: %v, %q", err, warned)
	}
}

// TestNextPiece: a training that goes on does so on the backend of the one before, and validates and saves as its own
// length asks for.
func TestNextPiece(t *testing.T) {
	data := write(t, traindata.Dataset{Seed: 1, Games: 60})
	first := tiny(t, data)
	first.Steps, first.Until = 100_000, 4
	mustTrain(t, first)
	next := tiny(t, data)
	next.After, next.Steps, next.Until, next.Backend, next.Adjust = first.Dir, 0, 10, "", asIs
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

	_, err = Train{Dir: first.Dir, Resume: true, Until: 2, Adjust: asIs}.Run(t.Context())
	if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "step 4") {
		t.Errorf("until what is past: %v", err)
	}
	if c, err := run.ReadConfig(first.Dir); err != nil || c.Until != 4 {
		t.Errorf("until %d: %v", c.Until, err)
	}
}

// TestDoneWithoutOthers: a run is done though its survey and the run that it continues with are gone.
func TestDoneWithoutOthers(t *testing.T) {
	data := write(t, traindata.Dataset{Seed: 1, Games: 60})
	for _, from := range []bool{true, false} {
		first := tiny(t, data)
		first.Steps, first.Until, first.Recipe = 8, 4, "prior" // whose validations are counted in epochs
		first.Adjust = func(c *run.Config) error { small(c, 1); c.Batch = 16; return nil }
		mustTrain(t, first)
		next := first
		next.Dir, next.Until = filepath.Join(t.TempDir(), "run"), 0
		if next.After, next.Adjust = first.Dir, asIs; from {
			next.From, next.After, next.Adjust = first.Dir, "", func(c *run.Config) error { c.Batch = 16; return nil }
		}
		next.Existing = output.Skip
		mustTrain(t, next)
		if err := os.Remove(filepath.Join(next.Dir, loader.SurveyName)); err != nil {
			t.Fatal(err)
		}
		killedAtPage(t, next)
		if _, err := next.Run(t.Context()); !errors.Is(err, output.ErrDone) {
			t.Errorf("from %v: without its survey: %v", from, err)
		}
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
