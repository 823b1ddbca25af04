package train

import (
	"errors"
	"fmt"

	"talbot/network/checkpoint"
	"talbot/network/run"
)

// load continues a run, which was last started with the configuration old, after its newest whole checkpoint.
func (r *runner) load(old run.Config) error {
	loaded, err := r.saves.Newest()
	if errors.Is(err, checkpoint.ErrNone) {
		return r.beginAgain(old)
	}
	if err != nil {
		return err
	}
	for _, damaged := range loaded.Damaged {
		r.warn(fmt.Errorf("skipping %w; using %q", damaged, loaded.Path))
	}
	if r.state, err = run.StateOf(loaded.File); err == nil {
		err = run.SameSettings(r.Dir, old, loaded, r.state)
	}
	if err != nil {
		return err
	}
	if err = r.engine.restore(loaded.File); err != nil {
		return fmt.Errorf("%q: %w", loaded.Path, err)
	}
	r.state.Config = r.c
	r.saved, r.savedAt = loaded.Path, r.state.Step
	r.lastRate = r.rate(r.state.Step - 1)
	if r.state.Step > 0 {
		if err := r.Source.Restore(r.state.Source); err != nil {
			return fmt.Errorf("restoring the source of batches: %w", err)
		}
	}
	if err := r.mendBest(); err != nil {
		return err
	}
	if r.Resumed != nil {
		r.Resumed(r.state.Step, loaded.Path)
	}
	return nil
}

// beginAgain lets a run that has no checkpoint begin again, if it may be that none was written yet.
func (r *runner) beginAgain(old run.Config) error {
	lines, err := ReadMetrics(r.Dir, nil) // openMetrics warns
	if err != nil {
		return err
	}
	last := int64(0)
	for _, line := range lines {
		last = max(last, line.Step)
	}
	if hadCheckpoint(old, lines, last) {
		return fmt.Errorf("%q: %w: %s reaches step %d, but there is no checkpoint", r.Dir, run.ErrDamaged,
			run.MetricsName, last)
	}
	r.warn(fmt.Errorf("%q has no checkpoint; starting again at step %d", r.Dir, r.c.Begin()+1))
	return r.start(nil)
}

// start begins with the weights that the configuration names, or continues their training.
func (r *runner) start(w *run.Weights) error {
	w, err := r.engine.initialise(w)
	if err != nil || !r.c.From.Whole {
		return err
	}
	before, err := run.StateOf(w.File)
	if err != nil {
		return err
	}
	r.state.Step, r.state.ValAt, r.state.Plateau = before.Step, before.Step, before.Plateau
	r.lastRate = r.rate(before.Step - 1)
	return nil
}

// hadCheckpoint reports whether the metrics of a run, which go up to a step, show that it wrote a checkpoint: they go
// on after a step that had one due. The line of a step is written before its checkpoint.
func hadCheckpoint(c run.Config, lines []MetricsLine, last int64) bool {
	if every := c.CheckpointEvery; every > 0 && last > (c.Begin()/every+1)*every {
		return true
	}
	for _, line := range lines {
		if line.Best && line.Step < last {
			return true
		}
	}
	return false
}

// mendBest makes the best checkpoint the one that the state tells of, should it be an older one or gone. A newer one is
// of a step that the run comes to again.
func (r *runner) mendBest() error {
	if r.state.Best == nil {
		return nil
	}
	var file run.State
	have, err := r.saves.Best()
	if err == nil {
		file, err = run.StateOf(have.File)
	} else if !errors.Is(err, checkpoint.ErrNone) && !errors.Is(err, checkpoint.ErrDamaged) {
		return err
	}
	want := r.state.Best.Step
	if err == nil && (file.Step == want || file.Step > r.state.Step) {
		return nil
	}
	if r.saves.SetBest(want) == nil {
		r.warn(fmt.Errorf("restored %s from step %d, the best one", checkpoint.Best, want))
		return nil
	}
	r.state.Best = nil
	if err == nil {
		r.state.Best = file.Best
	}
	r.warn(fmt.Errorf("the best checkpoint (step %d) is gone; a later one will replace it", want))
	return nil
}
