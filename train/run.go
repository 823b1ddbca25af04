package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/run"
	"talbot/network/schedule"
)

var (
	// ErrPrecision reports that a backend does not compute in the precision asked for.
	ErrPrecision = errors.New("the backend does not support this precision")
	// ErrDevices reports that a backend has fewer devices than asked for.
	ErrDevices = errors.New("too few devices")
	// ErrDiverged reports that a loss, a gradient or a weight was NaN or infinite. The error names the step; the last
	// checkpoint is from before it. Resumed, the run diverges there again.
	ErrDiverged = errors.New("training diverged")
)

// ConfigError reports that a run cannot be resumed with the configuration given.
type ConfigError struct{ Field, Want, Have string }

func (e *ConfigError) Error() string {
	return fmt.Sprintf("the run was started with %s = %s, not %s", e.Field, e.Have, e.Want)
}

// Options are what a run needs beside its configuration.
type Options struct {
	Dir     string     // run folder
	Claim   *run.Claim // of Dir, stays open; nil: Run claims the folder itself
	Backend *backend.Backend
	Source  Source
	Val     []Batch // fixed validation batches, possibly none; equal sizes avoid recompilation
	// Calibration are fixed batches of train samples, of which only the planes count. They give averaged weights their
	// running statistics; needed if the configuration has an EMA.
	Calibration []Batch
	Weights     *run.Weights // of Config.From; nil: they are read
	Resume      bool         // continue the run in Dir
	// Accepted is called before anything is written, once it is certain that the run is not refused; it may be nil.
	Accepted func() error
	// Resumed is called with the step after which a run continues, and the checkpoint; it may be nil.
	Resumed func(step int64, checkpoint string)
	// Progress is called after each step and validation from the goroutine of Run, if it is not nil.
	Progress func(Progress)
	// Warn is called with what did not stop the run, such as a damaged checkpoint that was passed over; it may be nil.
	Warn func(error)
}

// Progress is the state of a run for display.
type Progress struct {
	Step, Steps        int64 // steps done, and in all
	Batch              int
	run.Means          // of this step, or of the validation
	LR                 float64
	Seconds            float64      // since Run began to train
	PositionsPerSecond float64      // since then
	LoaderWait         float64      // share of that time spent waiting for batches
	Val                *MetricsLine // the validation that just happened, if one did
	// More reports that further steps of the same execution follow: it has ended, and Seconds, the rate and the share
	// are of its end.
	More bool
}

// Result is what talbot train reports. Samples, seconds and rates are of this process, not of earlier ones.
type Result struct {
	Steps              int64   `json:"steps"` // steps done in all
	Samples            int64   `json:"samples"`
	Seconds            float64 `json:"seconds"`
	PositionsPerSecond float64 `json:"positions_per_second"`
	LoaderWait         float64 `json:"loader_wait"`
	Checkpoint         string  `json:"checkpoint"` // the last one written
	Final              *Final  `json:"final"`      // nil without a validation
	// StoppedEarly reports that the schedule has ended the run, since its validations did not get better.
	StoppedEarly bool `json:"stopped_early,omitempty"`
}

// Final is the last validation: its terms, without the loss.
type Final struct{ Terms []run.Mean }

// MarshalJSON returns an object with a member for each term, null for a mean over no targets.
func (f Final) MarshalJSON() ([]byte, error) {
	members, err := run.TermsJSON(f.Terms)
	return slices.Concat([]byte("{"), members, []byte("}")), err
}

// Run trains until step c.End() is done, a context ends, or something fails.
//
// A new run's folder must not hold one ([run.ErrExists], [run.ErrOccupied]); with Resume the folder must hold one
// ([run.ErrNoRun]) whose configuration computes the same ([ConfigError] names the field that does not), and it
// continues after the newest whole checkpoint; if that is of another configuration than run.json, or checkpoints were
// written and all are gone, the error is [run.ErrDamaged]. A folder belongs to one process at a time
// ([durable.ErrLocked]), and must stay where it is ([ErrGone]).
//
// When ctx ends, Run saves a checkpoint and returns the result so far together with ctx's error. If the source or
// metrics.jsonl fails, likewise. If the checkpoint cannot be saved, that is the error. After [ErrDiverged], [ErrMemory]
// or another error of the backend nothing is saved: what the device holds is not to be trusted then.
func Run(ctx context.Context, c run.Config, o Options) (Result, error) {
	r, err := begin(c, o)
	if err != nil {
		return Result{}, err
	}
	err = r.loop(ctx)
	result := r.result()
	return result, errors.Join(err, r.end())
}

// runner is a run in progress.
type runner struct {
	Options
	c       run.Config
	engine  *engine
	state   run.State
	saves   *checkpoint.Dir
	metrics *metrics
	owned   *run.Claim // to be closed

	schedule schedule.Schedule
	plateau  schedule.Plateau
	lastRate float64 // learning rate of the last step
	need     memory  // of a step
	batches  *prefetcher
	begun    time.Time
	samples  int64
	pace     pace
	saved    string // path of the last checkpoint
	savedAt  int64  // its step, −1 without any

	most       int64         // steps that were trained together so far
	stepTime   time.Duration // by one of the last
	moreToCome bool          // see [Progress]

	calibratedAt int64 // the step of the averaged weights that their statistics fit
}

func begin(c run.Config, o Options) (_ *runner, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	scarce, err := RunsOn(c, o.Backend)
	if err != nil {
		return nil, err
	}
	if scarce != nil && o.Warn != nil {
		o.Warn(scarce)
	}
	built, err := c.Build()
	if err != nil {
		return nil, err
	}
	rate, err := c.LearningRate()
	if err != nil {
		return nil, err
	}
	plateau, err := schedule.ParsePlateau(c.Schedule)
	if err != nil {
		return nil, err
	}
	if err := o.check(c, built.Encoder.Layout(), plateau); err != nil {
		return nil, err
	}
	r := &runner{Options: o, c: c, schedule: rate, plateau: plateau, saves: run.Checkpoints(o.Dir), savedAt: -1,
		calibratedAt: -1, need: memoryOf(c, built.Network, convOf(c, o.Backend))}
	if o.Claim == nil {
		if r.owned, err = run.NewClaim(o.Dir, o.Resume); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			r.end()
		}
	}()
	var old run.Config // that the run was last started with
	if o.Resume {
		if old, err = run.ReadConfig(o.Dir); err != nil {
			return nil, err
		}
		if field, want, have := c.Differs(old); field != "" {
			return nil, &ConfigError{field, want, have}
		}
	}
	if r.engine, err = newEngine(o.Backend, c); err != nil {
		return nil, err
	}
	if err := r.ready(old); err != nil {
		return nil, err
	}
	return r, nil
}

// ready makes the engine, the state and the files what training begins or continues with.
func (r *runner) ready(old run.Config) error {
	if err := r.engine.forTraining(); err != nil {
		return err
	}
	r.state = run.State{Config: r.c}
	var err error
	if r.Resume {
		err = r.load(old)
	} else {
		err = r.start(r.Weights)
	}
	if err != nil {
		return err
	}
	if r.Accepted != nil {
		if err := r.Accepted(); err != nil {
			return err
		}
	}
	if !r.Resume || r.c != old {
		if err := r.c.Write(r.Dir); err != nil {
			return err
		}
	}
	r.metrics, err = openMetrics(r.Dir, r.state.Step, r.warn)
	return err
}

// check refuses batches that are not of the layout, and a lack of those that the settings need.
func (o *Options) check(c run.Config, layout encode.Layout, plateau schedule.Plateau) error {
	if c.EMA > 0 && len(o.Calibration) == 0 {
		return errors.New("averaged weights need train samples to take their statistics from")
	}
	for kind, batches := range map[string][]Batch{"calibration": o.Calibration, "validation": o.Val} {
		for i := range batches {
			if err := batches[i].Check(&layout); err != nil {
				return fmt.Errorf("%s batch %d: %w", kind, i, err)
			}
		}
	}
	if plateau.Patience > 0 && len(o.Val) == 0 {
		return fmt.Errorf("the schedule %q looks at validations, and there are no val samples", c.Schedule)
	}
	return nil
}

func (r *runner) warn(err error) {
	if r.Warn != nil {
		r.Warn(err)
	}
}

// end gives everything back; it may be called on a half-built runner.
func (r *runner) end() (err error) {
	if r.batches != nil {
		r.batches.close()
	}
	if r.metrics != nil {
		err = r.metrics.close()
	}
	if r.engine != nil {
		r.engine.close()
	}
	if r.owned != nil {
		r.owned.Close()
	}
	return err
}
