// Package gpucheck tries a backend: it holds single operations and the gradients of a network against float64 on the
// processor, and its first losses against those of the backend go. Then it trains the network on games of random moves
// and measures how fast, and how busy the GPU is meanwhile.
//
// A check starts nvidia-smi where that exists, and the goroutines of a loader; they end with the measurement.
package gpucheck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"talbot/network/backend"
	"talbot/network/run"
	"talbot/train"
)

// Check is what to try. The network is one of the recipe talbotbot.
type Check struct {
	Backend         string // as [backend.Open] takes it
	Blocks, Filters int
	Batch           int
	Time            time.Duration // of the measured training, after its first step; less if [Check.Limit] nears
	Limit           time.Duration // that the check should take in all
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
	train.Speed
	Precision string  `json:"precision"`
	Busy      float64 `json:"gpu_busy"` // share of the time, as nvidia-smi reports it; 0 = unknown
	Watts     float64 `json:"watts"`    // mean; 0 = unknown
	Memory    int64   `json:"memory"`   // bytes that the backend may fill; 0 = unknown
}

// Report is what a check found; nil is what it did not get to.
type Report struct {
	Failed     string      `json:"failed,omitempty"` // the member below that failed, after which nothing was tried
	Backend    *Opened     `json:"backend"`
	Operations []Operation `json:"operations"`
	Gradients  []Gradients `json:"gradients"`
	Losses     *Losses     `json:"losses"`
	Speed      *Speed      `json:"speed"`
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

// Run returns what it found so far together with an error, which is [ErrOperations], [ErrGradients], [ErrLosses] or
// that of [backend.Open], [train.Compute] or [train.Measure]; ctx's, when it ends. After an error nothing more is
// tried.
func (c Check) Run(ctx context.Context) (Report, error) {
	c.Begins("opening " + c.Backend)
	b, err := backend.Open(c.Backend)
	if err != nil {
		return Report{Failed: "backend"}, err
	}
	defer b.Finalize()
	return c.try(ctx, b)
}

// try is Run on an open backend.
func (c Check) try(ctx context.Context, b *backend.Backend) (r Report, err error) {
	begun := time.Now()
	r.Backend = &Opened{b.Kind, b.Why, int(b.NumDevices())}
	r.Failed = "operations"
	c.Begins("comparing a product and a convolution with float64")
	other, err := backend.Open("go")
	if err != nil {
		return r, err
	}
	defer other.Finalize()
	if r.Operations, err = operations(b, other); err != nil {
		return r, err
	}
	r.Failed = "gradients"
	c.Begins("comparing gradients with float64, and losses with the backend go")
	compared := time.Now()
	if err := c.compare(ctx, b, other, &r); err != nil {
		return r, err
	}
	if !(r.Losses.First <= firstApart && r.Losses.Mean <= meanApart) {
		return r, fmt.Errorf("%w, by %.2g at the first step and %.2g on average", ErrLosses, r.Losses.First,
			r.Losses.Mean)
	}
	r.Failed = "speed"
	c.Begins("training")
	compiles := time.Since(compared) // about as long at most
	c.Time = max(min(c.Time, 5*time.Second), min(c.Time, c.Limit-time.Since(begun)-compiles))
	if r.Speed, err = c.measure(ctx, b); err == nil {
		r.Failed = ""
	}
	return r, err
}

// config returns the configuration of the network to try.
func (c Check) config() (run.Config, error) {
	config, err := run.New("talbotbot", "")
	if err != nil {
		return config, err
	}
	config.Batch = c.Batch
	return config, errors.Join(config.Set("blocks", strconv.Itoa(c.Blocks)),
		config.Set("filters", strconv.Itoa(c.Filters)))
}

// compare trains the same steps on a backend and on go, without dropout: the gradients of the first in each precision,
// the losses in float32.
func (c Check) compare(ctx context.Context, b, other *backend.Backend, r *Report) error {
	config, err := c.config()
	err = errors.Join(err, config.Set("block_dropout", "0"), config.Set("value_dropout", "0"))
	if err != nil {
		return err
	}
	config.Batch, config.LR = comparedBatch, 3e-4
	batches := make([]train.Batch, comparedSteps)
	err = withGames(ctx, config, func(source train.Source) (err error) {
		for i := 0; i < len(batches) && err == nil; i++ {
			err = source.Next(&batches[i])
		}
		return err
	})
	if err != nil {
		return err
	}
	exact, names, err := train.Exact(config, other, &batches[0])
	if err != nil {
		return fmt.Errorf("float64 on the backend go: %w", err)
	}
	var l Losses
	for _, config.Precision = range precisions(b) {
		steps := batches[:1]
		if config.Precision == run.Float32 {
			steps = batches
		}
		here, err := train.Compute(ctx, config, b, steps)
		if err != nil {
			return err
		}
		g, err := gradients(config.Precision, here.Gradients, exact.Gradients, names)
		if r.Gradients = append(r.Gradients, g); err != nil {
			return err
		}
		if config.Precision == run.Float32 {
			l.Here = here.Losses
		}
	}
	r.Failed, config.Precision = "losses", run.Float32
	there, err := train.Compute(ctx, config, other, batches)
	if err != nil {
		return fmt.Errorf("backend go: %w", err)
	}
	l.Go = there.Losses
	l.measure()
	r.Losses = &l
	return nil
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

// measure trains the network and measures how fast, and how busy the GPU is meanwhile.
func (c Check) measure(ctx context.Context, b *backend.Backend) (*Speed, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	if !backend.OnProcessor(b.Kind) {
		config.Precision = run.BFloat16
	}
	s := &Speed{Precision: string(config.Precision)}
	s.Memory, _ = b.Memory()
	var gpu *meter
	err = withGames(ctx, config, func(source train.Source) (err error) {
		s.Speed, err = train.Measure(ctx, config, b, source, c.Time, func() {
			if b.Kind == "xla:cuda" {
				gpu = startMeter(ctx)
			}
		})
		return err
	})
	if gpu != nil {
		s.Busy, s.Watts = gpu.stop()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}
