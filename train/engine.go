package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// engine runs the graphs of training: a step with the update that follows several micro-batches, the statistics of
// averaged weights (step.go), and the loss terms of a validation batch. Each is compiled at its first use, and again
// for batches with longer lists of moves. Its methods turn panics into errors.
//
// GoMLX bakes the weights into graphs that are not marked as training where a backend likes that (Go does), so all of
// them are marked, even where they use the evaluation mode.
type engine struct {
	config  run.Config
	backend *backend.Backend
	conv    model.ConvAlgorithm
	network model.Network
	layout  encode.Layout
	terms   []model.Term
	store   *model.Store

	train, update, calibration, loss *gomlx.Exec

	mesh *distributed.DeviceMesh // of the devices that train, if there are several

	execute func(x *gomlx.Exec, args ...any) ([]*tensors.Tensor, error) // Exec.Call; tests make it fail
}

func newEngine(b *backend.Backend, c run.Config) (*engine, error) {
	built, err := c.Build()
	if err != nil {
		return nil, err
	}
	return engineOf(b, c, built.Network, built.Encoder.Layout())
}

func engineOf(b *backend.Backend, c run.Config, network model.Network, l encode.Layout) (*engine, error) {
	store, err := model.NewStore(network, uint64(c.Seed))
	if err != nil {
		return nil, err
	}
	return &engine{config: c, backend: b, conv: convOf(c, b), network: network, layout: l, terms: network.Terms(),
		store: store, execute: (*gomlx.Exec).Call}, nil
}

// convOf returns how a run convolves on a backend. Several devices share samples, which [model.Winograd] does not leave
// apart.
func convOf(c run.Config, b *backend.Backend) model.ConvAlgorithm {
	r, err := recipe.ByName(c.Recipe)
	if err == nil && r.Winograd && c.Precision == run.Float32 && c.Devices == 1 && b.Kind == "xla:cpu" {
		return model.Winograd
	}
	return b.Conv
}

func (e *engine) close() {
	for _, x := range []*gomlx.Exec{e.train, e.update, e.calibration, e.loss} {
		if x != nil {
			x.Finalize()
		}
	}
	e.store.Finalize()
}

// means turns the sums of the terms into means, each over what it is over.
func (e *engine) means(loss float64, sums, over []float64) run.Means {
	m := run.Means{Loss: loss}
	for i, term := range e.terms {
		m.Terms = append(m.Terms, run.Mean{Name: term.Name, Mean: run.Ratio(sums[i], over[i])})
	}
	return m
}

// validate returns the mean losses in evaluation mode over batches, which may be smaller than the training batch. When
// ctx ends it gives up between two of them, with its error.
func (e *engine) validate(ctx context.Context, batches []Batch) (run.Means, error) {
	sums, over := make([]float64, len(e.terms)), make([]float64, len(e.terms))
	for i := range batches {
		if err := ctx.Err(); err != nil {
			return run.Means{}, err
		}
		out, err := e.run(&e.loss, "validation", e.inputs(&batches[i]), func(in []*graph.Node) *graph.Node {
			e.store.SetTraining(in[0].Graph(), true) // the weights will change: see engine
			p := &model.Pass{Store: e.store, Conv: e.conv, Losses: true, Prefix: e.config.Evaluated()}
			b := e.batch(in)
			var shown []*graph.Node
			for _, s := range e.network.Loss(e.network.Forward(p, e.network.Unpack(p.Conv, b.Packed)), b) {
				shown = append(shown, s.Shown)
			}
			return graph.Stack(shown, 0)
		})
		if err != nil {
			return run.Means{}, fmt.Errorf("validation batch %d: %w", i, err)
		}
		for j, term := range e.terms {
			sums[j] += float64(out[0][j])
			over[j] += batches[i].over(term.Over, e.layout.Scores)
		}
	}
	m := e.means(0, sums, over)
	for i, term := range e.terms {
		if !term.Figure {
			m.Loss += term.Weight * run.OrZero(m.Terms[i].Mean)
		}
	}
	return m, nil
}

func packedInput(b *Batch) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(b.Packed, b.N, len(b.Packed)/b.N)
}

// inputs are what batch takes apart: those of the layout that there are, in the order of [model.Batch].
func (e *engine) inputs(b *Batch) []any {
	list := []any{packedInput(b)}
	if e.layout.Moves != encode.NoMoves {
		k := b.Moves()
		list = append(list, tensors.FromFlatDataAndDimensions(b.Codes, b.N, k, e.layout.Codes),
			tensors.FromFlatDataAndDimensions(b.Weights, b.N, k))
	}
	for i := range e.layout.Floats {
		list = append(list, e.column(b.Floats, i), e.column(b.Known, i))
	}
	return list
}

// column is number i of each sample's floats: XLA sums up a column of a matrix in another order than a vector.
func (e *engine) column(all []float32, i int) *tensors.Tensor {
	floats := len(e.layout.Floats)
	if floats == 1 {
		return tensors.FromFlatDataAndDimensions(all, len(all))
	}
	column := make([]float32, 0, len(all)/floats)
	for ; i < len(all); i += floats {
		column = append(column, all[i])
	}
	return tensors.FromFlatDataAndDimensions(column, len(column))
}

// batch names the inputs of a graph.
func (e *engine) batch(in []*graph.Node) model.Batch {
	b := model.Batch{Packed: in[0]}
	in = in[1:]
	if e.layout.Moves != encode.NoMoves {
		b.Codes, b.Weights = in[0], in[1]
		in = in[2:]
	}
	for i := range e.layout.Floats {
		b.Floats, b.Known = append(b.Floats, in[2*i]), append(b.Known, in[2*i+1])
	}
	return b
}

// run executes a graph, which is built at its first use, and copies its output to the host. Of the inputs those that
// are kept come last.
func (e *engine) run(x **gomlx.Exec, what string, args []any, build func(in []*graph.Node) *graph.Node,
	kept ...any) ([][]float32, error) {
	if err := e.compile(x, what, build); err != nil {
		return nil, err
	}
	return e.call(*x, args, kept...)
}

// call executes a graph and copies its outputs to the host, which waits for the device.
func (e *engine) call(x *gomlx.Exec, args []any, kept ...any) (out [][]float32, err error) {
	err = model.Guard(func() error {
		results, err := e.execute(x, slices.Concat(args, kept)...)
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
