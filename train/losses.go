package train

import (
	"context"
	"fmt"

	"talbot/network/backend"
	"talbot/network/run"
)

// Losses trains one step on each batch, with a constant learning rate, and returns the loss of each step before its
// update. It reads and writes no files. The same weights and batches give losses that backends can be compared by.
func Losses(ctx context.Context, c run.Config, b *backend.Backend, batches []Batch) ([]float64, error) {
	if _, err := RunsOn(c, b); err != nil {
		return nil, err
	}
	e, err := newEngine(b, c)
	if err != nil {
		return nil, err
	}
	defer e.close()
	if err := e.forTraining(); err != nil {
		return nil, err
	}
	var losses []float64
	for i := range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := batches[i].check(&e.layout); err != nil {
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
