package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"talbot/network/checkpoint"
	"talbot/network/run"
)

// loop runs the steps that are left.
func (r *runner) loop(ctx context.Context) error {
	r.begun = time.Now()
	if !r.over() {
		r.batches = prefetch(r.Source, r.engine)
	}
	for {
		if err := r.due(ctx); err != nil {
			return err
		}
		if r.over() {
			return r.saves.Prune(r.c.Keep)
		}
		begun, waited := time.Now(), r.batches.wait
		s, err := r.batches.next(ctx)
		if err != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("batch of step %d: %w", r.state.Step+1, err)
			}
			return r.stop(err)
		}
		step := r.state.Step
		if err := r.train(s); err != nil {
			return err
		}
		r.pace.add(int(r.state.Step-step)*r.c.Batch, time.Since(begun), r.batches.wait-waited)
	}
}

// over reports that there is no step left.
func (r *runner) over() bool { return r.state.Step >= r.c.End() || r.state.Stopped }

// rate is the learning rate of the step after this many.
func (r *runner) rate(step int64) float64 {
	return r.schedule(step) * r.state.Plateau.Factor(r.plateau)
}

// maxCallTime is how long about several steps in one execution may take: nothing is shown meanwhile, and Ctrl-C waits.
const maxCallTime = 4 * time.Second

// stepsPerCall is how many of the steps left of a stack are trained in the next execution: something is due after none
// but the last. Bits do not depend on it.
func (r *runner) stepsPerCall(left int) int {
	step := r.state.Step
	if r.stepTime == 0 {
		return 1
	}
	n := min(int64(left), 2*r.most, int64(maxCallTime/r.stepTime), r.c.End()-step)
	for _, every := range []int64{r.c.LogEvery, r.c.EvalEvery, r.c.CheckpointEvery} {
		if every > 0 {
			n = min(n, every-step%every)
		}
	}
	return int(max(1, n))
}

// train trains on the next batches of a stack.
func (r *runner) train(s *stack) error {
	if n := s.N / s.room; n != r.c.Batch {
		return fmt.Errorf("batch of step %d has %d samples, want %d", r.state.Step+1, n, r.c.Batch)
	}
	var rates []float64
	for i := range r.stepsPerCall(s.left()) {
		rates = append(rates, r.rate(r.state.Step+int64(i)))
	}
	begun, states := time.Now(), s.states[s.done:]
	list, err := r.engine.steps(s, r.state.Step, rates)
	if err != nil {
		bytes, source := r.Backend.Memory()
		err = explainMemory(err, r.c, r.need, bytes, source)
		return fmt.Errorf("step %d: %w; %s", r.state.Step+1, err, r.lastSaved())
	}
	r.most = max(r.most, int64(len(list)))
	r.stepTime = max(1, time.Since(begun)/time.Duration(len(list)))
	for i, found := range list {
		r.moreToCome = i < len(list)-1
		if err := r.trained(states[i], found, rates[i]); err != nil {
			return err
		}
	}
	return nil
}

// trained counts a step, after which the source has a state.
func (r *runner) trained(source json.RawMessage, l stepResult, lr float64) error {
	r.lastRate = lr
	figures, all := fmt.Sprintf("loss %g", l.Loss), []float64{l.Loss, l.norm}
	for _, term := range l.Terms {
		if term.Mean != nil {
			figures, all = figures+fmt.Sprintf(", %s %g", term.Name, *term.Mean), append(all, *term.Mean)
		}
	}
	if !finite(all...) {
		return r.diverged(fmt.Sprintf("%s, gradient norm %g", figures, l.norm))
	}
	if r.savedAt == r.state.Step { // what was saved is of use: the ones before may go
		if err := r.saves.Prune(r.c.Keep); err != nil {
			return err
		}
	}
	r.state.Step++
	r.state.Source = source
	r.samples += int64(r.c.Batch)
	r.state.Window.Add(l.Means, l.norm)
	r.progress(l.Means, lr, nil)
	return nil
}

// diverged is the error of the step that follows. What is not finite was computed with the weights before that step:
// training cannot continue from them, so their checkpoint, should there be one, is set aside.
func (r *runner) diverged(figures string) error {
	if r.savedAt == r.state.Step {
		if aside, err := r.saves.SetAside(r.state.Step); err == nil {
			figures += fmt.Sprintf("; the weights that caused it were moved to %q", aside)
			r.saved, r.savedAt = r.saves.Last()
		}
	}
	return fmt.Errorf("%w at step %d: %s; %s", ErrDiverged, r.state.Step+1, figures, r.lastSaved())
}

func (r *runner) lastSaved() string {
	if r.savedAt < 0 {
		return "there is no checkpoint"
	}
	return fmt.Sprintf("the last checkpoint is from step %d", r.savedAt)
}

// due does what is due after the steps done: a line of metrics, a validation, a checkpoint. What the state says was
// done is not done again, so that a run may end between any two of them.
func (r *runner) due(ctx context.Context) (err error) {
	step := r.state.Step
	every := func(n int64) bool { return r.over() || step > 0 && n > 0 && step%n == 0 }
	if r.state.Window.Steps > 0 && every(r.c.LogEvery) {
		if err := r.log(); err != nil {
			return err
		}
	}
	improved, again := false, false
	if r.state.ValAt < step && every(r.c.EvalEvery) {
		if improved, err = r.validate(ctx); err != nil {
			return err
		}
		again = r.savedAt == step && r.state.ValAt == step // there is a checkpoint that lacks it
	}
	if r.state.Window.Steps > 0 && r.state.Stopped {
		if err := r.log(); err != nil {
			return err
		}
	}
	if improved || again || r.savedAt != step && every(r.c.CheckpointEvery) {
		return r.save(improved)
	}
	return nil
}

func (r *runner) log() error {
	w, step := r.state.Window, r.state.Step
	rate, wait := r.pace.rates()
	r.pace = pace{}
	err := r.record(MetricsLine{Kind: "train", Step: step, Means: w.Means(),
		MetricsRest: MetricsRest{LR: r.lastRate, GradNorm: w.GradNorm / float64(w.Steps),
			Seconds: time.Since(r.begun).Seconds(), PositionsPerSecond: rate, LoaderWait: wait}})
	if err == nil {
		r.state.Window = run.Window{}
	}
	return err
}

// record adds a line to the metrics. If that fails, what was trained is saved in the state from before the line, so
// that a resumed run writes it.
func (r *runner) record(line MetricsLine) error {
	err := r.metrics.add(line)
	if errors.Is(err, ErrGone) {
		return fmt.Errorf("step %d: %w", line.Step, err)
	}
	if err != nil {
		return r.stop(fmt.Errorf("step %d: %w", line.Step, err))
	}
	return nil
}

// stop saves what was trained where a run ends early, and returns why it does, or that it could not be saved.
func (r *runner) stop(why error) error {
	if r.savedAt != r.state.Step {
		if err := r.save(false); err != nil {
			return fmt.Errorf("step %d could not be saved: %w; %s (while stopping: %v)", r.state.Step, err,
				r.lastSaved(), why)
		}
	}
	return fmt.Errorf("%w; %s", why, r.lastSaved())
}

// validate measures the network and reports whether it is the best so far. Without validation batches it does nothing.
// When ctx ends, what was trained is saved instead.
func (r *runner) validate(ctx context.Context) (improved bool, err error) {
	if len(r.Val) == 0 {
		return false, nil
	}
	if err := r.calibrate(); err != nil {
		return false, err
	}
	l, err := r.engine.validate(ctx, r.Val)
	if err != nil && ctx.Err() != nil {
		return false, r.stop(ctx.Err()) // a resumed run makes it
	}
	if err != nil {
		return false, fmt.Errorf("validation at step %d: %w", r.state.Step, err)
	}
	if !finite(l.Loss) {
		return false, fmt.Errorf("%w: validation loss %g at step %d", ErrDiverged, l.Loss, r.state.Step)
	}
	improved = r.state.Best == nil || l.Loss < r.state.Best.Loss
	line := MetricsLine{Kind: "val", Step: r.state.Step, Means: l,
		MetricsRest: MetricsRest{Best: improved, Seconds: time.Since(r.begun).Seconds()}}
	if err := r.record(line); err != nil {
		return false, err
	}
	r.state.Val, r.state.ValAt = &l, r.state.Step
	r.state.Plateau, r.state.Stopped = r.plateau.Next(r.state.Plateau, l.Loss)
	if improved {
		r.state.Best = &run.Best{Step: r.state.Step, Loss: l.Loss}
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

// save writes a checkpoint.
func (r *runner) save(best bool) error {
	if err := r.metrics.there(); errors.Is(err, ErrGone) { // a new folder would hold a checkpoint without its run
		return err
	}
	if err := r.calibrate(); err != nil {
		return err
	}
	f, err := r.engine.snapshot(r.state)
	if err != nil {
		return fmt.Errorf("step %d: %w", r.state.Step, err)
	}
	path, err := r.saves.Save(r.state.Step, f, best)
	if errors.Is(err, checkpoint.ErrNotFinite) {
		return fmt.Errorf("%w: step %d: %w; %s", ErrDiverged, r.state.Step, err, r.lastSaved())
	}
	if err != nil {
		return err
	}
	r.saved, r.savedAt = path, r.state.Step
	return nil
}

// pace is what steps took, without the validations and checkpoints between them.
type pace struct {
	samples        int
	seconds, waits float64
}

func (p *pace) add(samples int, took, waited time.Duration) {
	p.samples, p.seconds, p.waits = p.samples+samples, p.seconds+took.Seconds(), p.waits+waited.Seconds()
}

func (p *pace) rates() (positionsPerSecond, loaderWait float64) {
	if p.seconds == 0 {
		return 0, 0
	}
	return float64(p.samples) / p.seconds, p.waits / p.seconds
}

// rates are since Run began to train.
func (r *runner) rates() (seconds, positionsPerSecond, loaderWait float64) {
	seconds = time.Since(r.begun).Seconds()
	if seconds > 0 && r.batches != nil {
		positionsPerSecond, loaderWait = float64(r.samples)/seconds, r.batches.wait.Seconds()/seconds
	}
	return seconds, positionsPerSecond, loaderWait
}

func (r *runner) progress(l run.Means, lr float64, val *MetricsLine) {
	if r.Progress == nil {
		return
	}
	seconds, rate, wait := r.rates()
	r.Progress(Progress{Step: r.state.Step, Steps: r.c.End(), Batch: r.c.Batch, Means: l, LR: lr, Seconds: seconds,
		PositionsPerSecond: rate, LoaderWait: wait, Val: val, More: r.moreToCome})
}

func (r *runner) result() Result {
	seconds, rate, wait := r.rates()
	result := Result{Steps: r.state.Step, Samples: r.samples, Seconds: seconds, PositionsPerSecond: rate,
		LoaderWait: wait, Checkpoint: r.saved, StoppedEarly: r.state.Stopped}
	if v := r.state.Val; v != nil {
		result.Final = &Final{v.Terms}
	}
	return result
}
