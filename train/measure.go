package train

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
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
	FirstStep          float64 `json:"first_step"`  // seconds, with what the backend compiles before it
	LoaderWait         float64 `json:"loader_wait"` // share of the time after the first step spent waiting for batches
	Bytes              int64   `json:"bytes"`       // that a step takes, estimated as in float32
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

// Measure trains a network of that configuration until a time has passed after the first step, which calls begins, and
// throws it away: no run is changed by it. It trains on what source gives; if that is nil, on made-up samples again and
// again. If ctx ends, its error is returned.
func Measure(ctx context.Context, c run.Config, b *backend.Backend, source Source, atLeast time.Duration,
	begins func()) (s Speed, err error) {
	e, err := scratch(c, b)
	if err != nil {
		return s, err
	}
	defer e.close()
	if source == nil {
		source = again{madeUpBatch(c.Batch, &e.layout)}
	}
	batches := prefetch(source, e)
	defer batches.close()
	need, rates := memoryOf(c, e.network, e.conv), slices.Repeat([]float64{c.LR}, together)
	begun := time.Now()
	first, took, waited := begun, time.Duration(0), time.Duration(0)
	for step, n := int64(0), 1; ; step += int64(n) {
		now, err := batches.next(ctx)
		if err := cmp.Or(ctx.Err(), err); err != nil {
			return s, err
		}
		if took > 0 { // as a run does
			n = max(1, min(now.left(), int(maxCallTime/took)))
		}
		from := time.Now()
		if _, err := e.steps(now, step, rates[:n]); err != nil {
			bytes, source := b.Memory()
			return s, fmt.Errorf("measuring: %w", explainMemory(err, c, need, bytes, source))
		}
		if step == 0 {
			first, waited = time.Now(), batches.wait
			begins()
			continue
		}
		took = max(1, time.Since(from)/time.Duration(n))
		if all, steps := time.Since(first), int(step)+n-1; all >= atLeast {
			return Speed{Batch: c.Batch, Steps: steps, FirstStep: first.Sub(begun).Seconds(),
				PositionsPerSecond: float64(steps) * float64(c.Batch) / all.Seconds(),
				LoaderWait:         (batches.wait - waited).Seconds() / all.Seconds(),
				Bytes:              need.fixed + need.sample*deviceShare(c)}, nil
		}
	}
}

// again is a source of the same batch.
type again struct{ batch Batch }

// Next shares the batch, which nobody writes to.
func (a again) Next(b *Batch) error {
	*b = a.batch
	return nil
}

// Restore does nothing.
func (again) Restore(json.RawMessage) error { return nil }

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
