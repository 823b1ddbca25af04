package job

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"talbot/internal/output"
	"talbot/network/checkpoint"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// place decides by what exists in Dir where the run is made, and whether one is resumed.
func (t *Train) place(init bool) error {
	if t.Existing == output.Refuse {
		return nil
	}
	if t.Resume {
		return fmt.Errorf("%w: a run is resumed, or done, not both", ErrConfig)
	}
	interrupted := map[string]bool{}
	at, err := t.Existing.Resolve(t.Dir, func(dir string) (output.Found, error) {
		found, err := t.inspect(dir, init)
		interrupted[dir] = found.State == output.Interrupted && len(found.Differences) == 0
		return found, err
	})
	if err != nil {
		return err
	}
	if t.Dir = at; interrupted[at] { // with what it was started with, which is what is asked for
		t.Resume, t.From, t.After, t.Preset, t.Adjust = true, "", "", nil, nil
	}
	return nil
}

// inspect reports what exists in a folder, compared with the run that is asked for.
func (t *Train) inspect(dir string, init bool) (found output.Found, err error) {
	if found.Foreign, err = output.ForeignFiles(dir, owns); err != nil {
		return found, err
	}
	have, err := run.ReadConfig(dir)
	if errors.Is(err, run.ErrNoRun) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	id, err := loader.ReadIdentity(dir)
	if err != nil && !errors.Is(err, loader.ErrNoIdentity) {
		return found, err
	}
	want, asked, err := t.wanted(id.Train, have, init)
	if err != nil {
		return found, err
	}
	if found.Differences, err = t.differences(have, id, want, asked); err != nil {
		return found, err
	}
	found.State, found.Busy = output.Interrupted, run.AtWork(dir)
	result, over, err := reached(dir, have, init)
	if over && err == nil {
		found.State, found.Result = output.Done, result
	}
	return found, err
}

// differences compares what a run was made from and with to what is asked for. How much of it is kept and logged does
// not count, nor the backend, unless one was asked for and the run was trained on one.
func (t *Train) differences(have run.Config, used loader.Identity, want run.Config, asked loader.Identity) (
	[]output.Difference, error) {
	have.Keep, have.LogEvery = want.Keep, want.LogEvery
	had, err := facts(have, used, false)
	if err != nil {
		return nil, err
	}
	wanted, err := facts(want, asked, false)
	if err != nil {
		return nil, err
	}
	if t.Backend != "" && t.Backend != "auto" && used.Backend != "" && t.Backend != used.Kind {
		had.Add("backend", "%s", used.Backend)
		wanted.Add("backend", "%s", t.Backend)
	}
	return output.Compare(had, wanted), nil
}

// wanted are the settings of the run that is asked for, and its data. How many samples there are decides some of them;
// a run over the same data has counted them.
func (t *Train) wanted(samples int64, have run.Config, init bool) (c run.Config, id loader.Identity, err error) {
	weights, err := t.weights()
	if errors.Is(err, fs.ErrNotExist) && named(have.From.Path, cmp.Or(t.From, t.After)) {
		asked := *t
		asked.gone = true
		t, weights, err = &asked, &run.Weights{Origin: have.From, Config: have}, nil // the run describes them
	}
	if err != nil {
		return c, id, err
	}
	if !init {
		o := loader.Options{Label: t.Label, MaxCopies: t.MaxCopies, MinClock: t.MinClock}
		if id, err = loader.IdentityOf(t.Data, o); err != nil {
			return c, id, err
		}
		id.Backend = t.Backend
	}
	c, err = t.config(samples, weights)
	return c, id, err
}

// named reports whether a path names the checkpoint, or the folder of its run.
func named(checkpoint, path string) bool {
	at, err := filepath.Abs(path)
	return err == nil && checkpoint != "" && (at == checkpoint || at == runOf(checkpoint))
}

// reached reports whether a run has come to its end, its page included, and what it reported then, as far as its files
// tell.
func reached(dir string, c run.Config, init bool) (result train.Result, over bool, err error) {
	loaded, state, err := run.Load(dir, run.NewestCheckpoint|run.RawWeights)
	if errors.Is(err, checkpoint.ErrNone) || errors.Is(err, checkpoint.ErrDamaged) {
		return result, false, nil // resuming says what is wrong
	}
	if err != nil {
		return result, false, err
	}
	result = train.Result{Steps: state.Step, Checkpoint: loaded.Path, StoppedEarly: state.Stopped}
	if state.Val != nil {
		result.Final = &train.Final{Terms: state.Val.Terms}
	}
	return result, init || run.Closed(dir) && (state.Stopped || state.Step >= c.End()), nil
}

// owns reports whether a name is one of the files of a run's folder, its pages included.
func owns(name string) bool {
	page := strings.HasPrefix(name, "report-") && strings.HasSuffix(name, ".html")
	return run.Owns(name) || page || name == ReportName || name == CardName
}

// finish puts a run that was made beside another one in its place, and returns the result with the paths that it has
// there.
func (t *Train) finish(result train.Result) (train.Result, error) {
	final := output.Target(t.Dir)
	if final == t.Dir {
		return result, nil
	}
	if rest, err := filepath.Rel(t.Dir, result.Checkpoint); err == nil {
		result.Checkpoint = filepath.Join(final, rest)
	}
	return result, output.Swap(t.Dir)
}
