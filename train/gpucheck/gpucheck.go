// Package gpucheck tries a backend: it holds the first losses of a network against those of the backend go, and then
// trains the network on made-up games and measures how fast, and how busy the GPU is meanwhile.
//
// A check writes into the folder it is given and starts nvidia-smi where that exists. It starts one goroutine, which
// ends with the measurement.
package gpucheck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"talbot/network/backend"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/job"
	"talbot/train/loader"
)

// Check is what to try. The network is one of the recipe talbotbot.
type Check struct {
	Dir             string // an existing folder for the games and the run
	Backend         string // as [backend.Open] takes it
	Blocks, Filters int
	Batch           int
	Time            time.Duration // of the measured training, after its first steps
	Begins          func(string)  // reports what begins
}

// Opened is a backend that opened.
type Opened struct {
	Kind    string `json:"kind"`
	Why     string `json:"why"` // what was chosen, and why
	Devices int    `json:"devices"`
}

// Losses are those of the same steps on two backends.
type Losses struct {
	Here  []float64 `json:"here"`
	Go    []float64 `json:"go"`
	First float64   `json:"first"` // relative difference at the first step, of the same weights
	Mean  float64   `json:"mean"`  // mean relative difference
}

// Speed is how fast the network trained.
type Speed struct {
	Precision  string  `json:"precision"`
	PerSecond  float64 `json:"positions_per_second"`
	LoaderWait float64 `json:"loader_wait"` // share of the time
	FirstStep  float64 `json:"first_step"`  // seconds until it ended, with compiling
	Busy       float64 `json:"gpu_busy"`    // share of the time, as nvidia-smi reports it; 0 = unknown
	Watts      float64 `json:"watts"`       // mean; 0 = unknown
}

// Report is what a check found; nil is what it did not get to.
type Report struct {
	Backend *Opened `json:"backend"`
	Losses  *Losses `json:"losses"`
	Speed   *Speed  `json:"speed"`
}

// ErrLosses reports that a backend's losses are not those of the backend go.
var ErrLosses = errors.New("the losses differ from those of the backend go")

// How far apart losses may be, relative to those of go: the first one by the rounding of products to TF32; all of them
// on average by more, since rounding grows from step to step.
const (
	firstApart = 0.002
	meanApart  = 0.01
)

// Steps that are compared, and their batch.
const (
	comparedSteps = 5
	comparedBatch = 32
)

// Run returns what it found so far together with an error, which is [ErrLosses] or that of [backend.Open],
// [train.Losses] or [job.Train.Run]; ctx's, when it ends.
func (c Check) Run(ctx context.Context) (Report, error) {
	var r Report
	if err := writeGames(c.data()); err != nil {
		return r, err
	}
	c.Begins("opening " + c.Backend)
	b, err := backend.Open(c.Backend)
	if err != nil {
		return r, err
	}
	r.Backend = &Opened{b.Kind, b.Why, int(b.NumDevices())}
	c.Begins("comparing losses with the backend go")
	r.Losses, err = c.compare(ctx, b)
	b.Finalize() // and with it goes the GPU's memory
	if err != nil {
		return r, err
	}
	if !(r.Losses.First <= firstApart && r.Losses.Mean <= meanApart) {
		return r, fmt.Errorf("%w, by %.2g at the first step and %.2g on average", ErrLosses, r.Losses.First,
			r.Losses.Mean)
	}
	c.Begins("training")
	r.Speed, err = c.train(ctx, r.Backend.Kind)
	return r, err
}

func (c Check) data() string { return filepath.Join(c.Dir, "games") }

// Precision is that of the measured training.
func (c Check) precision(kind string) run.Precision {
	if backend.OnProcessor(kind) {
		return run.Float32
	}
	return run.BFloat16
}

func (c Check) adjust(config *run.Config) error {
	config.Batch, config.EvalEvery, config.CheckpointEvery = c.Batch, 0, 0
	return errors.Join(config.Set("blocks", strconv.Itoa(c.Blocks)), config.Set("filters", strconv.Itoa(c.Filters)))
}

// compare trains the same steps on a backend and on go, in float32 without dropout.
func (c Check) compare(ctx context.Context, b *backend.Backend) (*Losses, error) {
	config, err := run.New("talbotbot", "")
	if err != nil {
		return nil, err
	}
	err = errors.Join(c.adjust(&config), config.Set("block_dropout", "0"), config.Set("value_dropout", "0"))
	if err != nil {
		return nil, err
	}
	config.Batch, config.LR, config.Precision = comparedBatch, 3e-4, run.Float32
	batches, err := c.batches(ctx, config)
	if err != nil {
		return nil, err
	}
	var l Losses
	if l.Here, err = train.Losses(ctx, config, b, batches); err != nil {
		return nil, err
	}
	other, err := backend.Open("go")
	if err != nil {
		return nil, err
	}
	defer other.Finalize()
	if l.Go, err = train.Losses(ctx, config, other, batches); err != nil {
		return nil, fmt.Errorf("backend go: %w", err)
	}
	l.measure()
	return &l, nil
}

func (l *Losses) measure() {
	for i, x := range l.Here {
		apart := math.Abs(x-l.Go[i]) / math.Abs(l.Go[i])
		if i == 0 {
			l.First = apart
		}
		l.Mean += apart / float64(len(l.Here))
	}
}

// batches reads the batches to compare by.
func (c Check) batches(ctx context.Context, config run.Config) ([]train.Batch, error) {
	built, err := config.Build()
	if err != nil {
		return nil, err
	}
	data, err := loader.Open(ctx, []loader.Spec{{Dir: c.data()}}, loader.Options{Encoder: built.Encoder})
	if err != nil {
		return nil, err
	}
	defer data.Close()
	survey, err := data.Survey(ctx, 0, 0, nil)
	if err != nil {
		return nil, err
	}
	source := survey.NewLoader(loader.LoaderOptions{Batch: config.Batch, Seed: config.Seed})
	defer source.Close()
	batches := make([]train.Batch, comparedSteps)
	for i := range batches {
		if err := source.Next(&batches[i]); err != nil {
			return nil, err
		}
	}
	return batches, nil
}

// warmSteps are not measured.
const warmSteps = 5

// train trains until it has measured for long enough.
func (c Check) train(ctx context.Context, kind string) (*Speed, error) {
	training, stop := context.WithCancel(ctx)
	defer stop()
	s := &Speed{Precision: string(c.precision(kind))}
	var from, to train.Progress
	var gpu *meter
	_, err := job.Train{
		Dir: filepath.Join(c.Dir, "run"), Data: []loader.Spec{{Dir: c.data()}}, Recipe: "talbotbot", Steps: 1 << 40,
		Backend: c.Backend,
		Adjust: func(config *run.Config) error {
			config.Precision = c.precision(kind)
			return c.adjust(config)
		},
		Progress: func(now train.Progress) {
			if s.FirstStep == 0 {
				s.FirstStep = now.Seconds
			}
			switch {
			case now.Step < warmSteps || now.More:
			case from.Step == 0:
				from = now
				if kind == "xla:cuda" {
					gpu = startMeter(training)
				}
			case to.Step == 0 && now.Seconds-from.Seconds >= c.Time.Seconds():
				to = now
				stop()
			}
		},
	}.Run(training)
	if gpu != nil {
		s.Busy, s.Watts = gpu.stop()
	}
	if to.Step == 0 {
		return nil, err
	}
	seconds := to.Seconds - from.Seconds
	s.PerSecond = float64(to.Step-from.Step) * float64(to.Batch) / seconds
	s.LoaderWait = (to.LoaderWait*to.Seconds - from.LoaderWait*from.Seconds) / seconds
	return s, nil
}
