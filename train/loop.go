package train

import (
	"context"
	"fmt"
	"time"

	"talbot/train/model"
)

// loop runs the steps that are left. Where it stops early, what was trained is saved unless it diverged.
func (r *runner) loop(ctx context.Context) error {
	schedule, err := r.c.schedule()
	if err != nil {
		return err
	}
	r.started = time.Now()
	if r.state.Step < r.c.Steps {
		r.batches = prefetch(r.Source, r.c.LegalMask)
	}
	for r.state.Step < r.c.Steps {
		batch, err := r.batches.next(ctx)
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("batch of step %d: %w", r.state.Step+1, err)
			}
			if e := r.save(false); e != nil {
				return fmt.Errorf("%w (and saving failed: %w)", err, e)
			}
			return err
		}
		if err := r.step(batch, schedule(r.state.Step)); err != nil {
			return err
		}
		r.batches.release(batch)
	}
	improved := false
	if r.state.Val == nil || r.state.ValAt < r.state.Step {
		if improved, err = r.validate(); err != nil {
			return err
		}
	}
	return r.save(improved)
}

// step trains on one batch and does what is due after it.
func (r *runner) step(b *Batch, lr float64) error {
	if b.N != r.c.Batch {
		return fmt.Errorf("batch of step %d has %d samples, want %d", r.state.Step+1, b.N, r.c.Batch)
	}
	l, norm, err := r.engine.step(b, r.state.Step, lr)
	if err != nil {
		bytes, source := r.Backend.Memory()
		err = explainMemory(err, r.c, r.Backend.Form, model.CountTrainable(r.engine.store.Params()), bytes, source)
		return fmt.Errorf("step %d: %w; the last checkpoint is from step %d", r.state.Step+1, err, max(r.savedAt, 0))
	}
	policy, value := orZero(l.PolicyCE), orZero(l.ValueMSE)
	if !finite(l.Loss, policy, value, norm) {
		return fmt.Errorf("%w at step %d: loss %g, policy cross-entropy %g, value MSE %g, gradient norm %g; the last checkpoint is from step %d",
			ErrDiverged, r.state.Step+1, l.Loss, policy, value, norm, max(r.savedAt, 0))
	}
	r.state.Step++
	r.state.Source = append(r.state.Source[:0:0], b.State...)
	r.samples += int64(b.N)
	r.state.Window.add(l, norm)

	step := r.state.Step
	if step%r.c.LogEvery == 0 || step == r.c.Steps {
		if err := r.log(lr); err != nil {
			return err
		}
	}
	r.progress(l, lr, nil)
	improved := false
	if r.c.EvalEvery > 0 && step%r.c.EvalEvery == 0 {
		if improved, err = r.validate(); err != nil {
			return err
		}
	}
	if improved || r.c.CheckpointEvery > 0 && step%r.c.CheckpointEvery == 0 {
		return r.save(improved)
	}
	return nil
}

func (r *runner) log(lr float64) error {
	w := r.state.Window
	r.state.Window = window{}
	seconds, rate, wait := r.rates()
	return r.metrics.add(Line{Kind: "train", Step: r.state.Step, LR: lr, GradNorm: w.GradNorm / float64(w.Steps),
		losses:  w.means(),
		Seconds: seconds, PositionsPerSecond: rate, LoaderWait: wait})
}

// validate measures the network and tells whether it is the best so far. Without validation batches it does nothing.
func (r *runner) validate() (improved bool, err error) {
	if len(r.Val) == 0 {
		return false, nil
	}
	if err := r.calibrate(); err != nil {
		return false, err
	}
	l, err := r.engine.validate(r.Val)
	if err != nil {
		return false, fmt.Errorf("validation at step %d: %w", r.state.Step, err)
	}
	if !finite(l.Loss) {
		return false, fmt.Errorf("%w: validation loss %g at step %d", ErrDiverged, l.Loss, r.state.Step)
	}
	r.state.Val, r.state.ValAt = &l, r.state.Step
	improved = r.state.Best == nil || l.Loss < r.state.Best.Loss
	if improved {
		r.state.Best = &best{r.state.Step, l.Loss}
	}
	seconds, _, wait := r.rates()
	line := Line{Kind: "val", Step: r.state.Step, losses: l, Best: improved, Seconds: seconds, LoaderWait: wait}
	if err := r.metrics.add(line); err != nil {
		return false, err
	}
	r.progress(l, 0, &line)
	return improved, nil
}

// calibrate makes the statistics of the averaged weights fit them, if there are any and it was not done at this step.
func (r *runner) calibrate() error {
	if r.c.EMA == 0 || r.calibratedAt == r.state.Step {
		return nil
	}
	if err := r.engine.calibrate(r.Calibration); err != nil {
		return fmt.Errorf("step %d: %w", r.state.Step, err)
	}
	r.calibratedAt = r.state.Step
	return nil
}

// save writes a checkpoint unless this step has one.
func (r *runner) save(best bool) error {
	if r.savedAt == r.state.Step && !best {
		return nil
	}
	if err := r.calibrate(); err != nil {
		return err
	}
	f, err := r.engine.snapshot(r.state)
	if err != nil {
		return fmt.Errorf("step %d: %w", r.state.Step, err)
	}
	path, err := r.saves.Save(r.state.Step, f, r.c.Keep, best)
	if err != nil {
		return err
	}
	r.saved, r.savedAt = path, r.state.Step
	return nil
}

func (r *runner) rates() (seconds, positionsPerSecond, loaderWait float64) {
	seconds = time.Since(r.started).Seconds()
	if seconds > 0 && r.batches != nil {
		positionsPerSecond, loaderWait = float64(r.samples)/seconds, r.batches.wait.Seconds()/seconds
	}
	return seconds, positionsPerSecond, loaderWait
}

func (r *runner) progress(l losses, lr float64, val *Line) {
	if r.Progress == nil {
		return
	}
	seconds, rate, wait := r.rates()
	r.Progress(Progress{Step: r.state.Step, Steps: r.c.Steps, Batch: r.c.Batch, Loss: l.Loss, PolicyCE: l.PolicyCE, Top1: l.Top1,
		ValueMSE: l.ValueMSE, LR: lr, Seconds: seconds, PositionsPerSecond: rate, LoaderWait: wait, Val: val})
}

func (r *runner) result() Result {
	seconds, rate, wait := r.rates()
	result := Result{Steps: r.state.Step, Samples: r.samples, Seconds: seconds, PositionsPerSecond: rate,
		LoaderWait: wait, Checkpoint: r.saved}
	if v := r.state.Val; v != nil {
		result.Final = &Final{v.PolicyCE, v.ValueMSE}
	}
	return result
}
