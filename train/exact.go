package train

import (
	"cmp"
	"context"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// Steps are what backends can be compared by: the same weights and batches give them.
type Steps struct {
	Losses    []float64   // of each step, before its update
	Gradients [][]float32 // of the first step, by trainable parameter
}

// Compute trains one step on each batch with AdamW, a constant learning rate and no clipping. It reads and writes no
// files.
func Compute(ctx context.Context, c run.Config, b *backend.Backend, batches []Batch) (s Steps, err error) {
	c.Optimizer, c.Clip = recipe.AdamW, 0
	e, err := scratch(c, b)
	if err != nil {
		return s, err
	}
	defer e.close()
	for i := range batches {
		if err := cmp.Or(ctx.Err(), batches[i].Check(&e.layout)); err != nil {
			return s, err
		}
		m, norm, err := e.step(&batches[i], int64(i), c.LR)
		if err != nil {
			return s, err
		}
		if !finite(m.Loss, norm) {
			return s, fmt.Errorf("%w: step %d", ErrDiverged, i+1)
		}
		if s.Losses = append(s.Losses, m.Loss); i > 0 {
			continue
		}
		for _, p := range trainable(e.store) { // the first moment after one step is a tenth of the gradient
			gradient, err := e.store.Get(firstMomentPrefix + p.Name)
			if err != nil {
				return s, err
			}
			for j := range gradient {
				gradient[j] /= 1 - beta1
			}
			s.Gradients = append(s.Gradients, gradient)
		}
	}
	return s, nil
}

// Exact returns the first loss of [Compute] and its gradients, computed in float64, for the recipe talbotbot; without
// dropout. The names are those of the parameters.
func Exact(c run.Config, b *backend.Backend, batch *Batch) (s Steps, names []string, err error) {
	e, err := scratch(c, b)
	if err != nil {
		return s, nil, err
	}
	defer e.close()
	for _, p := range trainable(e.store) {
		names = append(names, p.Name)
	}
	s, err = e.exact(batch)
	return s, names, err
}

func (e *engine) exact(batch *Batch) (s Steps, err error) {
	_, totals := e.totals(batch)
	out, err := e.run(&e.train, "exact", append([]any{tensors.FromFlatDataAndDimensions(totals, len(totals))},
		e.inputs(batch)...), func(in []*Node) *Node {
		e.store.SetTraining(in[0].Graph(), true)
		for i, x := range in {
			if x.DType() == dtypes.Float32 {
				in[i] = ConvertDType(x, dtypes.Float64)
			}
		}
		p := &model.Pass{Store: e.store, Conv: e.conv, Train: true, Losses: true, Turn: e.backend.Kind == "go",
			Float64: true}
		samples := e.batch(in[1:])
		planes := ConvertDType(e.network.Unpack(p.Conv, samples.Packed), dtypes.Float64)
		loss := e.lossOf(e.network.Loss(e.network.Forward(p, planes), samples), in[0])
		all := []*Node{Reshape(ConvertDType(loss, dtypes.Float32), 1)}
		for _, gradient := range gradients(e.store, loss) {
			all = append(all, Reshape(gradient, gradient.Shape().Size()))
		}
		return Concatenate(all, 0)
	})
	if err != nil {
		return s, err
	}
	s.Losses = []float64{float64(out[0][0])}
	rest := out[0][1:]
	for _, p := range trainable(e.store) {
		s.Gradients = append(s.Gradients, rest[:p.Size()])
		rest = rest[p.Size():]
	}
	return s, nil
}
