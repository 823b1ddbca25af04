package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit/traindata"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

func write(t *testing.T, m traindata.Dataset) loader.Spec {
	t.Helper()
	return loader.Spec{Dir: m.Write(t)}
}

// tiny is a run of 30 steps of a network of one block of 8 filters.
func tiny(t *testing.T, specs ...loader.Spec) Train {
	return Train{Dir: filepath.Join(t.TempDir(), "run"), Data: specs, Steps: 30, Backend: "go", Adjust: adjust}
}

func adjust(c *run.Config) error {
	c.Batch = 16
	return errors.Join(set(c, "blocks", 1), set(c, "filters", 8))
}

// small makes the network small, if the recipe's can be.
func small(c *run.Config, blocks int) {
	for name, value := range map[string]any{"blocks": blocks, "filters": 8, "width": 32, "dropout": 0.1} {
		_ = set(c, name, value) // else it is as it is
	}
}

// set changes a setting of the network.
func set(c *run.Config, name string, value any) error {
	r, err := recipe.ByName(c.Recipe)
	if err == nil {
		c.Settings, err = r.Set(c.Settings, name, fmt.Sprint(value))
	}
	return err
}

// final returns a figure of the last validation; nil if it has none.
func final(r train.Result, name string) *float64 { return run.Means{Terms: r.Final.Terms}.Of(name) }

func mustTrain(t *testing.T, job Train) train.Result {
	t.Helper()
	result, err := job.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestTrainThenEval(t *testing.T) {
	games, puzzles := write(t, traindata.Dataset{Seed: 1, Games: 100}), write(t,
		traindata.Dataset{Seed: 2, Games: 100, Source: dataset.SourcePuzzle})
	job := tiny(t, games, puzzles)
	job.Data[0].Weight, job.Data[1].Weight = 0.8, 0.2
	var start Start
	var first, last train.Progress
	job.Begun = func(s Start) { start = s }
	job.Progress = func(p train.Progress) {
		if p.Step == 1 {
			first = p
		}
		last = p
	}
	job.Adjust = func(c *run.Config) error { c.LR = 0.02; return adjust(c) }
	result := mustTrain(t, job)
	if result.Steps != 30 || result.Samples != 480 || result.Final == nil ||
		!strings.HasPrefix(result.Checkpoint, job.Dir) {
		t.Errorf("%+v", result)
	}
	if start.Parameters == 0 || start.Backend == "" || len(start.Sets) != 2 || start.Sets[1].Share != 0.2 ||
		start.Val == 0 {
		t.Errorf("%+v", start)
	}
	if last.Step != 30 || !(*last.Of("policy_ce") < *first.Of("policy_ce")-0.5) {
		t.Errorf("policy loss from %g to %g", *first.Of("policy_ce"), *last.Of("policy_ce"))
	}

	eval := Eval{Dir: job.Dir, Measure: on("all", loader.Spec{Dir: games.Dir}, loader.Spec{Dir: puzzles.Dir})}
	all, err := eval.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parts := int64(0)
	for _, eval.Split = range []string{"train", "val", "test"} {
		f, err := eval.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if parts += f.Count("samples"); f.Unseen == nil || eval.Split == "train" && f.Unseen.Count("samples") != 0 ||
			eval.Split != "train" && (f.Unseen.Count("samples") == 0 ||
				f.Unseen.Count("samples") == f.Count("samples")) {
			t.Errorf("%s: %d samples, unseen %+v", eval.Split, f.Count("samples"), f.Unseen)
		}
	}
	if all.Count("samples") == 0 || parts != all.Count("samples") ||
		all.BySource["game"].Count("samples")+all.BySource["puzzle"].Count("samples") != all.Count("samples") {
		t.Errorf("%d samples in the splits, %d in all, by source %+v", parts, all.Count("samples"), all.BySource)
	}
	if all.Of("policy_ce") == nil || all.Of("value_mse") == nil || all.Checkpoint == "" || all.Step == 0 {
		t.Errorf("%+v", all)
	}
}

func TestUnseenIsUnknownWithoutTheTrainData(t *testing.T) {
	games, other := write(t, traindata.Dataset{Seed: 1, Games: 60}), write(t, traindata.Dataset{Seed: 2, Games: 60})
	job := tiny(t, games)
	job.Steps = 2
	mustTrain(t, job)
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(games.Dir, moved); err != nil {
		t.Fatal(err)
	}
	var warned []string
	eval := Eval{Dir: job.Dir, Measure: on("test", other)}
	eval.Warn = collect(&warned)
	f, err := eval.Run(t.Context())
	if err != nil || f.Unseen != nil || len(warned) != 1 || !strings.Contains(warned[0], games.Dir) {
		t.Errorf("unseen %+v, %v, warned %q", f.Unseen, err, warned)
	}
	eval.Data = []loader.Spec{{Dir: moved}}
	if f, err = eval.Run(t.Context()); err != nil || f.Unseen == nil {
		t.Errorf("unseen %+v, %v", f.Unseen, err)
	}
	job.Resume, job.Data = true, []loader.Spec{{Dir: moved}}
	mustTrain(t, job)
	if id, err := loader.ReadIdentity(job.Dir); err != nil || id.Sets[0].Dir != moved {
		t.Errorf("the run does not know where its data is now: %+v, %v", id, err)
	}
}

// TestResumedPreset: what a preset does not say stays as it is in the run.
func TestResumedPreset(t *testing.T) {
	job := tiny(t, write(t, traindata.Dataset{Seed: 1, Games: 60}))
	job.Steps = 2
	size := job.Adjust
	job.Adjust = func(c *run.Config) error {
		c.Keep, c.CheckpointEvery, c.LogEvery, c.Deterministic, c.Accumulate = 20, 1, 2, true, 2
		return size(c)
	}
	mustTrain(t, job)
	have, err := run.ReadConfig(job.Dir)
	if err != nil {
		t.Fatal(err)
	}
	job.Resume, job.Preset, job.Adjust = true, new(string), size
	if c, err := job.resumed(); err != nil || !reflect.DeepEqual(c, have) {
		t.Errorf("%+v\n%+v, %v", c, have, err)
	}
}

func TestRefusals(t *testing.T) {
	a, b := write(t, traindata.Dataset{Seed: 1, Games: 60}), write(t, traindata.Dataset{Seed: 2, Games: 60})
	split := write(t, traindata.Dataset{Seed: 3, Games: 60, Splits: dataset.Splits{Train: 50, Val: 25, Test: 25}})
	job := tiny(t, a)
	job.Steps, job.MinClock = 2, 30*time.Second
	mustTrain(t, job)
	if _, err := job.Run(t.Context()); !errors.Is(err, run.ErrExists) {
		t.Errorf("existing run: %v", err)
	}
	mustTrain(t, Train{Dir: job.Dir, Resume: true})
	if id, err := loader.ReadIdentity(job.Dir); err != nil || id.MinClock != "30s" {
		t.Errorf("resumed without --min-clock: %+v, %v", id, err)
	}
	preset := "v1.5"
	for field, change := range map[string]func(*Train){
		"filters":   func(t *Train) { t.Adjust = func(c *run.Config) error { return set(c, "filters", 9) } },
		"steps":     func(t *Train) { t.Steps = 3 },
		"blocks":    func(t *Train) { t.Preset, t.Adjust = &preset, nil },
		"data":      func(t *Train) { t.Data = []loader.Spec{b} },
		"label":     func(t *Train) { t.Label = traindata.Engine.ID() },
		"min-clock": func(t *Train) { t.MinClock = time.Minute },
	} {
		changed := job
		changed.Resume = true
		change(&changed)
		var refused *train.ConfigError
		if _, err := changed.Run(t.Context()); !errors.As(err, &refused) || refused.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	fresh := func() Train { f := tiny(t, a); return f }
	for name, c := range map[string]struct {
		change func(*Train)
		want   error
	}{
		"nothing to resume": {func(t *Train) { t.Resume = true }, run.ErrNoRun},
		"filters": {func(t *Train) { t.Adjust = func(c *run.Config) error { return set(c, "filters", 0) } },
			ErrConfig},
		"batch": {func(t *Train) { t.Adjust = func(c *run.Config) error { c.Batch = 0; return nil } },
			ErrConfig},
		"preset":  {func(t *Train) { t.Preset = new(string); *t.Preset = "v9" }, ErrConfig},
		"recipe":  {func(t *Train) { t.Recipe = "unknown" }, ErrConfig},
		"no data": {func(t *Train) { t.Data = []loader.Spec{{Dir: "/nowhere"}} }, dataset.ErrNoDataset},
	} {
		job := fresh()
		c.change(&job)
		if _, err := job.Run(t.Context()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(job.Dir); err == nil {
			t.Errorf("%s: the folder was made", name)
		}
	}
	eval := Eval{Dir: job.Dir, Measure: on("test", split)}
	if _, err := eval.Run(t.Context()); !errors.Is(err, loader.ErrSplits) {
		t.Errorf("other splits: %v", err)
	}
	eval.Dir = t.TempDir()
	if _, err := eval.Run(t.Context()); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("no run: %v", err)
	}
}

func TestDefaultStepsGoOverTheDataOnce(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: 8, Splits: dataset.Splits{Train: 100}})
	job := tiny(t, a)
	job.Steps = 0
	var start Start
	var warned error
	job.Begun, job.Warn = func(s Start) { start = s }, func(err error) { warned = err }
	result := mustTrain(t, job)
	if n := start.Sets[0].Train; result.Steps != (n+15)/16 || start.Sets[0].Epochs < 1 || n == 0 {
		t.Errorf("%d steps of 16 over %d samples", result.Steps, n)
	}
	if warned == nil || result.Final != nil {
		t.Errorf("without val split: warned %v, final %+v", warned, result.Final)
	}
}

// TestFrom: a run takes over the weights of an exported network and its size, and refuses what does not fit.
func TestFrom(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: 60})
	first := tiny(t, a)
	first.Steps = 4
	mustTrain(t, first)
	var start Start
	network := filepath.Join(t.TempDir(), "net.safetensors")
	if _, err := (Export{Dir: first.Dir, Out: output.File{Path: network}, Format: "safetensors"}).Run(); err != nil {
		t.Fatal(err)
	}
	third := tiny(t, a)
	third.From, third.Steps = network, 2
	third.Adjust = func(c *run.Config) error { c.Batch = 32; return nil }
	third.Begun = func(s Start) { start = s }
	mustTrain(t, third)
	if v := start.Config.Settings.Values(); v["filters"] != "8" || start.Config.From.Path != network {
		t.Errorf("an exported network: %+v", start.Config)
	}
	for name, test := range map[string]struct {
		change func(*Train)
		want   error
	}{
		"another size": {func(t *Train) { t.Adjust = func(c *run.Config) error { return set(c, "filters", 4) } },
			ErrConfig},
		"no run":  {func(job *Train) { job.From = t.TempDir() }, ErrFrom},
		"nothing": {func(t *Train) { t.From = "/nowhere" }, ErrFrom},
	} {
		third := tiny(t, a)
		third.From = first.Dir
		test.change(&third)
		if _, err := third.Run(t.Context()); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(third.Dir); err == nil {
			t.Errorf("%s: the folder was made", name)
		}
	}
}

func TestWarmupEnds(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: 60})
	for _, steps := range []int64{0, 1, 10} {
		job := tiny(t, a)
		job.Steps = steps
		job.Adjust = func(c *run.Config) error { c.Warmup = 1000; return adjust(c) }
		if _, err := job.Run(t.Context()); !errors.Is(err, ErrConfig) ||
			!strings.Contains(err.Error(), "a warm-up of 1000 steps") {
			t.Errorf("%d steps: %v", steps, err)
		}
	}
}

// TestBackendOfARun: a run remembers the backend that was chosen for it, and warns on another one.
func TestBackendOfARun(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: 60})
	job := tiny(t, a)
	job.Steps = 2
	mustTrain(t, job)
	id, err := loader.ReadIdentity(job.Dir)
	if err != nil || id.Backend != "go" || id.Kind != "go" {
		t.Fatalf("%+v, %v", id, err)
	}
	var warned []string
	resumed := Train{Dir: job.Dir, Resume: true, Warn: func(err error) {
		if strings.Contains(err.Error(), "trained on") {
			warned = append(warned, err.Error())
		}
	}}
	for _, test := range []struct {
		backend, kind string
		warns         bool
	}{{"go", "", false}, {"", "", false}, {"go", "go", false}, {"go", "xla:cuda", true}} {
		id.Backend, id.Kind = test.backend, test.kind
		if err := id.Write(job.Dir); err != nil {
			t.Fatal(err)
		}
		warned, resumed.Backend = nil, "go"
		mustTrain(t, resumed)
		if told := len(warned) == 1 && strings.Contains(warned[0],
			"trained on xla:cuda and continues on go"); told != test.warns || len(warned) > 1 {
			t.Errorf("%+v: warned %q", test, warned)
		}
	}
	auto := tiny(t, write(t, traindata.Dataset{Seed: 1, Games: 20, Candidates: true}))
	auto.Recipe, auto.Adjust = "probability", nil // quickly compiled
	auto.Steps, auto.Backend = 1, "auto"
	mustTrain(t, auto)
	if id, err := loader.ReadIdentity(auto.Dir); err != nil || id.Backend != id.Kind || id.Kind == "" ||
		id.Kind == "auto" {
		t.Errorf("%+v, %v", id, err)
	}
}
