package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/run"
)

// Speed is how fast a machine trains a network.
type Speed struct {
	Batch              int     `json:"batch"` // samples of a measured step
	Steps              int     `json:"steps"` // measured, after the first
	PositionsPerSecond float64 `json:"positions_per_second"`
	FirstStep          float64 `json:"first_step"` // seconds, with what the backend compiles before it
}

// scratch returns an engine that trains without a folder.
func scratch(c run.Config, b *backend.Backend) (*engine, error) {
	c.From = run.Origin{} // which needs a file
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if _, err := RunsOn(c, b); err != nil {
		return nil, err
	}
	e, err := newEngine(b, c)
	if err != nil {
		return nil, err
	}
	if err := e.forTraining(); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// Losses trains one step on each batch, with a constant learning rate, and returns the loss of each step before its
// update. It reads and writes no files. The same weights and batches give losses that backends can be compared by.
func Losses(ctx context.Context, c run.Config, b *backend.Backend, batches []Batch) ([]float64, error) {
	e, err := scratch(c, b)
	if err != nil {
		return nil, err
	}
	defer e.close()
	var losses []float64
	for i := range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := batches[i].Check(&e.layout); err != nil {
			return nil, err
		}
		m, norm, err := e.step(&batches[i], int64(i), c.LR)
		if err != nil {
			return nil, err
		}
		if !finite(m.Loss, norm) {
			return nil, fmt.Errorf("%w: step %d", ErrDiverged, i+1)
		}
		losses = append(losses, m.Loss)
	}
	return losses, nil
}

// Measure trains a network of that configuration on made-up samples until a time has passed after the first step, which
// calls begins, and throws it away: nothing is read or written, and no run is changed by it. If ctx ends, its error is
// returned.
func Measure(ctx context.Context, c run.Config, b *backend.Backend, atLeast time.Duration, begins func()) (s Speed,
	err error) {
	e, err := scratch(c, b)
	if err != nil {
		return s, err
	}
	defer e.close()
	batch, begun := madeUpBatch(c.Batch, &e.layout), time.Now()
	batches, rates := make([]*Batch, together), make([]float64, together)
	for i := range batches {
		batches[i], rates[i] = &batch, c.LR
	}
	first, took := begun, time.Duration(0)
	for step, n := int64(0), 1; ; step += int64(n) {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		if took > 0 && e.stacks() { // as a run does
			n = int(max(1, min(together, maxCallTime/took)))
		}
		from := time.Now()
		if _, err := e.steps(batches[:n], step, rates[:n]); err != nil {
			bytes, source := b.Memory()
			return s, fmt.Errorf("measuring: %w", explainMemory(err, c, memoryOf(c, e.network, e.conv), bytes, source))
		}
		if step == 0 {
			first = time.Now()
			begins()
			continue
		}
		took = time.Since(from) / time.Duration(n)
		if all, steps := time.Since(first), int(step)+n-1; all >= atLeast {
			return Speed{Batch: c.Batch, Steps: steps, FirstStep: first.Sub(begun).Seconds(),
				PositionsPerSecond: float64(steps) * float64(c.Batch) / all.Seconds()}, nil
		}
	}
}

// madeUpBatch returns samples of random bits; what they are makes no difference to how long a step takes.
func madeUpBatch(n int, l *encode.Layout) Batch {
	var b Batch
	moves := 1
	if l.Moves == encode.LegalMoves {
		moves = 64 // more than most positions have
	}
	b.Resize(n, moves, l)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range b.Packed {
		b.Packed[i] = random.Uint64()
	}
	for i := range b.Codes {
		b.Codes[i] = random.Int32N(int32(max(1, l.Indices)))
	}
	for i := range b.Weights {
		b.Weights[i] = 0
		if i%moves == 0 {
			b.Weights[i] = 1
		}
	}
	for i := range b.Floats {
		b.Floats[i], b.Known[i] = 0, 1
	}
	return b
}

// Operations estimates the floating-point operations of training on one sample: twice those of the forward pass for the
// backward pass.
func Operations(c run.Config) (float64, error) {
	built, err := c.Build()
	if err != nil {
		return 0, err
	}
	return 3 * built.Network.Cost(model.Native).Operations, nil
}
