package job

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/testkit/traindata"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// A flipped byte anywhere in a shard ends training and evaluation, also in what they do not read.
func TestDamagedDataIsRefused(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 30, Policies: true})
	job := tiny(t, games)
	job.Steps = 1
	mustTrain(t, job)
	path := filepath.Join(games.Dir, "shard-00000.talbot.zst")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fresh := tiny(t, games)
	eval := Eval{Dir: job.Dir, Measure: on("all", games)}
	moved := write(t, traindata.Dataset{Seed: 9, Games: 30})
	apart := eval
	apart.Data = []loader.Spec{moved} // the data trained on is read for the unseen positions alone
	for i := 0; i < len(whole); i += 1 + len(whole)/30 {
		bad := bytes.Clone(whole)
		bad[i] ^= 1
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := fresh.Run(t.Context()); !errors.Is(err, dataset.ErrDamaged) ||
			!strings.Contains(err.Error(), path) {
			t.Fatalf("training with byte %d flipped: %v", i, err)
		}
		if _, err := eval.Run(t.Context()); !errors.Is(err, dataset.ErrDamaged) {
			t.Fatalf("evaluating with byte %d flipped: %v", i, err)
		}
	}
	if _, err := apart.Run(t.Context()); !errors.Is(err, dataset.ErrDamaged) {
		t.Errorf("evaluating elsewhere: %v", err)
	}
	if _, err := os.Stat(fresh.Dir); err == nil {
		t.Error("the refused run left a folder")
	}
}

// A refused train leaves data.json as it is.
func TestRefusedTrainChangesNothing(t *testing.T) {
	a, b := write(t, traindata.Dataset{Seed: 1, Games: 60}), write(t, traindata.Dataset{Seed: 2, Games: 60})
	job := tiny(t, a)
	job.Steps = 2
	slow := job
	slow.Data = []loader.Spec{b}
	refused := map[string]error{}
	job.Surveyed = func(done, of int) { // the run is not begun yet
		if done == of {
			_, refused["another new run"] = slow.Run(t.Context())
		}
	}
	resumed := Train{Dir: job.Dir, Resume: true, Backend: "auto"}
	job.Progress = func(p train.Progress) {
		_, refused["resuming"] = resumed.Run(t.Context())
	}
	mustTrain(t, job)
	for name, err := range refused {
		if !errors.Is(err, durable.ErrLocked) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := slow.Run(t.Context()); !errors.Is(err, run.ErrExists) || len(refused) != 2 {
		t.Errorf("%v, %v", refused, err)
	}
	id, err := loader.ReadIdentity(job.Dir)
	if err != nil || id.Backend != "go" || len(id.Sets) != 1 || id.Sets[0].Dir != a.Dir {
		t.Errorf("%+v, %v", id, err)
	}
}

func TestDataWithoutLabels(t *testing.T) {
	plain, labelled := write(t, traindata.Dataset{Seed: 1, Games: 200, Unlabelled: true}), write(t,
		traindata.Dataset{Seed: 2, Games: 200})
	for _, c := range []struct {
		data loader.Spec
		none bool
	}{{plain, true}, {labelled, false}} {
		job := tiny(t, c.data)
		job.Steps = 4
		var warned []string
		var start Start
		job.Begun, job.Warn = func(s Start) { start = s }, collect(&warned)
		result := mustTrain(t, job)
		told := slices.Contains(warned,
			"no train sample has a value for --value-target recipe: the value head will not be trained")
		if told != c.none || (final(result, "value_mse") == nil) != c.none || final(result, "policy_ce") == nil {
			t.Errorf("warned %q, final %+v", warned, result.Final)
		}
		if n := start.Sets[0]; n.Policies == 0 || (n.Values == 0) != c.none || n.Values > n.Train {
			t.Errorf("%+v", n)
		}
		lynx := tiny(t, c.data)
		lynx.Recipe, lynx.Steps = "lynx", 1
		mustTrain(t, lynx)
		for dir, want := range map[string]bool{job.Dir: false, lynx.Dir: c.none} {
			if id, err := loader.ReadIdentity(dir); err != nil || id.Results != want {
				t.Errorf("%+v, %v: values of results: want %v", id, err, want)
			}
		}
		text, err := os.ReadFile(filepath.Join(job.Dir, "metrics.jsonl"))
		if err != nil || strings.Contains(string(text), `"value_mse":null`) != c.none ||
			strings.Contains(string(text), `"value_mse":0,`) {
			t.Errorf("%s, %v", text, err)
		}
	}
}
