package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"talbot/train/backend"
	"talbot/train/model"
)

// Speed is how fast a machine trains a network.
type Speed struct {
	Batch              int     `json:"batch"` // samples of a measured step
	Steps              int     `json:"steps"` // measured, behind the first
	PositionsPerSecond float64 `json:"positions_per_second"`
	FirstStep          float64 `json:"first_step"` // seconds, with what the backend compiles before it
}

// Measure trains a network of that configuration on made-up samples until a time has passed behind the first step, and
// throws it away: nothing is read or written, and no run is changed by it. If ctx ends, its error is returned.
func Measure(ctx context.Context, c Config, b *backend.Opened, behind time.Duration) (s Speed, err error) {
	c.From, c.LegalMask = Origin{}, false // which need a file, and positions that are real
	if err := c.Validate(); err != nil {
		return s, err
	}
	if err := c.RunsOn(b); err != nil {
		return s, err
	}
	e, err := newEngine(b, c)
	if err != nil {
		return s, err
	}
	defer e.close()
	if err := e.forTraining(); err != nil {
		return s, err
	}
	batch, begun := madeUpBatch(c.Batch), time.Now()
	first := begun
	for step := int64(0); ; step++ {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		if _, _, err := e.step(&batch, step, c.LR); err != nil {
			bytes, source := b.Memory()
			return s, fmt.Errorf("measuring: %w",
				explainMemory(err, c, b.Form, model.CountTrainable(e.store.Params()), bytes, source))
		}
		if step == 0 {
			first = time.Now()
			continue
		}
		if took := time.Since(first); took >= behind {
			return Speed{Batch: c.Batch, Steps: int(step), FirstStep: first.Sub(begun).Seconds(),
				PositionsPerSecond: float64(step) * float64(c.Batch) / took.Seconds()}, nil
		}
	}
}

// madeUpBatch returns samples of random bits; what they are makes no difference to how long a step takes.
func madeUpBatch(n int) Batch {
	b := Batch{N: n, Packed: make([]uint64, n*model.Words), PolicyIndex: make([]int32, n),
		PolicyWeight: make([]float32, n), Value: make([]float32, n), ValueWeight: make([]float32, n)}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range b.Packed {
		b.Packed[i] = random.Uint64()
	}
	for i := range n {
		b.PolicyIndex[i], b.PolicyWeight[i], b.ValueWeight[i] = random.Int32N(model.Moves), 1, 1
	}
	return b
}

// Operations estimates the floating-point operations of training on one sample: twice those of the forward pass for the
// backward pass, a multiplication and an addition for each weight and square that it is used on.
func (c Config) Operations() (float64, error) {
	network, err := model.New(c.Recipe, c.Config)
	if err != nil {
		return 0, err
	}
	forward := 0.0
	for _, p := range network.Params() {
		switch n := float64(p.Size()); {
		case p.Kind != model.Weight:
		case len(p.Shape) == 4:
			forward += 2 * n * 64
		default:
			forward += 2 * n
		}
	}
	return 3 * forward, nil
}
