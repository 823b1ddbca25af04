// Package gpucheck tries a backend: it holds the first losses of a network against those of the backend go, and then
// trains the network on made-up samples and measures how fast, and how busy the GPU is meanwhile.
//
// A check starts nvidia-smi where that exists, and one goroutine, which ends with the measurement.
package gpucheck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"talbot/board"
	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/run"
	"talbot/train"
)

// Check is what to try. The network is one of the recipe talbotbot.
type Check struct {
	Backend         string // as [backend.Open] takes it
	Blocks, Filters int
	Batch           int
	Time            time.Duration // of the measured training, after its first step
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
// [train.Losses] or [train.Measure]; ctx's, when it ends.
func (c Check) Run(ctx context.Context) (Report, error) {
	var r Report
	c.Begins("opening " + c.Backend)
	b, err := backend.Open(c.Backend)
	if err != nil {
		return r, err
	}
	defer b.Finalize()
	r.Backend = &Opened{b.Kind, b.Why, int(b.NumDevices())}
	c.Begins("comparing losses with the backend go")
	if r.Losses, err = c.compare(ctx, b); err != nil {
		return r, err
	}
	if !(r.Losses.First <= firstApart && r.Losses.Mean <= meanApart) {
		return r, fmt.Errorf("%w, by %.2g at the first step and %.2g on average", ErrLosses, r.Losses.First,
			r.Losses.Mean)
	}
	c.Begins("training")
	r.Speed, err = c.measure(ctx, b)
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

// compare trains the same steps on a backend and on go, in float32 without dropout.
func (c Check) compare(ctx context.Context, b *backend.Backend) (*Losses, error) {
	config, err := c.config()
	err = errors.Join(err, config.Set("block_dropout", "0"), config.Set("value_dropout", "0"))
	if err != nil {
		return nil, err
	}
	config.Batch, config.LR = comparedBatch, 3e-4
	batches, err := batches(config)
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

// batches returns the batches to compare by: positions of games of random moves, each with such a move and a random
// value to be learnt.
func batches(c run.Config) ([]train.Batch, error) {
	built, err := c.Build()
	if err != nil {
		return nil, err
	}
	layout, random := built.Encoder.Layout(), rand.New(rand.NewPCG(1, 2))
	list := make([]train.Batch, comparedSteps)
	for k := range list {
		b := &list[k]
		b.Resize(c.Batch, 1, &layout)
		for i := range c.Batch {
			var view encode.View
			game, move := randomGame(random)
			view.Play(game, 0, 0)
			built.Encoder.Pack(b.Packed[i*layout.Words:][:layout.Words], &view)
			built.Encoder.EncodeMove(b.Codes[i*layout.Codes:][:layout.Codes], &view, move)
			b.Weights[i], b.Floats[i], b.Known[i] = 1, 2*random.Float32()-1, 1
		}
	}
	return list, nil
}

// randomGame returns a game of up to 80 random moves and one that may follow.
func randomGame(random *rand.Rand) (*board.Game, board.Move) {
	for {
		game, plies := board.NewGame(board.StartPosition()), random.IntN(80)
		for legal := game.Position().LegalMoves(nil); len(legal) > 0; legal = game.Position().LegalMoves(nil) {
			move := legal[random.IntN(len(legal))]
			if game.Ply() == plies {
				return game, move
			}
			game.Push(move)
		}
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
	var gpu *meter
	s.Speed, err = train.Measure(ctx, config, b, c.Time, func() {
		if b.Kind == "xla:cuda" {
			gpu = startMeter(ctx)
		}
	})
	if gpu != nil {
		s.Busy, s.Watts = gpu.stop()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}
