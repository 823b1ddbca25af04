package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/train/backend"
	"talbot/train/model"
)

// engine runs the graphs of a network: a training step with the update that follows several micro-batches and the
// statistics of averaged weights (step.go), the loss terms of a validation batch, and prediction.
// Each is compiled at its first use, for one batch size. Its methods turn panics into errors.
//
// GoMLX bakes the weights into graphs that are not marked as training where a backend likes that (Go does). The graphs
// used in training are marked, even where they use the evaluation mode; prediction runs faster for it, and is not to be
// mixed with training.
type engine struct {
	config  Config
	backend *backend.Opened
	network model.Network
	store   *model.Store

	train, update, calibration, loss, predict *gomlx.Exec

	mesh *distributed.DeviceMesh // of the devices that train, if there are several

	execute func(x *gomlx.Exec, args ...any) ([]*tensors.Tensor, error) // Exec.Call; tests make it fail
}

// losses are the means over a batch or over several.
type losses struct {
	Loss     float64  `json:"loss"`
	PolicyCE *float64 `json:"policy_ce"` // nil without any policy target
	ValueMSE *float64 `json:"value_mse"` // nil without any value label
	Top1     *float64 `json:"top1"`      // share of the targets on the move of the highest logit; nil as PolicyCE
}

// ratio is a/b, nil for b = 0.
func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	a /= b
	return &a
}

// orZero is what a mean adds to the loss.
func orZero(mean *float64) float64 {
	if mean == nil {
		return 0
	}
	return *mean
}

func newEngine(b *backend.Opened, c Config) (*engine, error) {
	network, err := model.New(c.Recipe, c.Config)
	if err != nil {
		return nil, err
	}
	store, err := model.NewStore(network, uint64(c.Seed))
	if err != nil {
		return nil, err
	}
	return &engine{config: c, backend: b, network: network, store: store, execute: (*gomlx.Exec).Call}, nil
}

func (e *engine) close() {
	for _, x := range []*gomlx.Exec{e.train, e.update, e.calibration, e.loss, e.predict} {
		if x != nil {
			x.Finalize()
		}
	}
	e.store.Finalize()
}

// validate returns the mean losses in evaluation mode over batches, which may be smaller than the training batch.
func (e *engine) validate(batches []Batch) (losses, error) {
	var sum [5]float64
	for i := range batches {
		out, err := e.run(&e.loss, "validation", targets(&batches[i]), func(in []*graph.Node) *graph.Node {
			e.store.SetTraining(in[0].Graph(), true) // the weights will change: see engine
			p := &model.Pass{Store: e.store, Form: e.backend.Form, Prefix: e.config.evaluated()}
			logits, values := e.network.Forward(p, e.network.Unpack(in[0]))
			s := lossSums(logits, values, in, 0)
			return graph.Stack([]*graph.Node{s.policy, s.policyCount, s.value, s.valueCount, s.top1}, 0)
		})
		if err != nil {
			return losses{}, fmt.Errorf("validation batch %d: %w", i, err)
		}
		for j := range sum {
			sum[j] += float64(out[0][j])
		}
	}
	policy, value := ratio(sum[0], sum[1]), ratio(sum[2], sum[3])
	return losses{orZero(policy) + e.config.ValueWeight*orZero(value), policy, value, ratio(sum[4], sum[1])}, nil
}

// forward returns logits [n·4672] and values [n] in evaluation mode. A number on the way to them that is not finite is
// an error, for what comes of it may be finite.
func (e *engine) forward(planes []uint64, n int) (logits, values []float32, err error) {
	if e.predict == nil {
		e.predict, err = gomlx.NewExec(e.backend.Backend, e.store.Store,
			func(_ *gomlx.Scope, in *graph.Node) (*graph.Node, *graph.Node, *graph.Node) {
				p := &model.Pass{Store: e.store, Form: e.backend.Form, Watch: true}
				logits, values := e.network.Forward(p, in)
				return logits, values, p.NotFinite
			})
		if err != nil {
			return nil, nil, fmt.Errorf("building the prediction graph: %w", err)
		}
	}
	out, err := e.call(e.predict, []any{tensors.FromFlatDataAndDimensions(planes, n, model.Planes)})
	if err != nil {
		return nil, nil, err
	}
	if sum := out[2][0]; !finite(float64(sum)) {
		return nil, nil, errors.New("it computes numbers that are not finite")
	}
	return out[0], out[1], nil
}

func inputs(b *Batch) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(b.Packed, b.N, len(b.Packed)/b.N)
}

// targets are what lossSums takes.
func targets(b *Batch) []any {
	k := b.choices()
	list := []any{
		inputs(b),
		tensors.FromFlatDataAndDimensions(b.PolicyIndex, b.N, k),
		tensors.FromFlatDataAndDimensions(b.PolicyWeight, b.N, k),
		tensors.FromFlatDataAndDimensions(b.Value, b.N),
		tensors.FromFlatDataAndDimensions(b.ValueWeight, b.N),
	}
	if b.legal != nil {
		list = append(list, tensors.FromFlatDataAndDimensions(b.legal, b.N, model.LegalWords))
	}
	return list
}

// run executes a graph, which is built at its first use, and copies its output to the host.
func (e *engine) run(x **gomlx.Exec, what string, args []any, build func(in []*graph.Node) *graph.Node) ([][]float32,
	error) {
	if err := e.compile(x, what, build); err != nil {
		return nil, err
	}
	return e.call(*x, args)
}

// call executes a graph and copies its outputs to the host, which waits for the device.
func (e *engine) call(x *gomlx.Exec, args []any) (out [][]float32, err error) {
	err = model.Guard(func() error {
		results, err := e.execute(x, args...)
		if err != nil {
			return err
		}
		for _, t := range results {
			flat, err := tensors.CopyFlatData[float32](t)
			if err != nil {
				return err
			}
			out = append(out, flat)
			t.MustFinalizeAll()
		}
		for _, a := range args { // device memory is not the garbage collector's to find in time
			a.(*tensors.Tensor).MustFinalizeAll()
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", e.backend.Kind, err)
	}
	return out, nil
}

func finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
