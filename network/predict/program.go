package predict

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/network/backend"
)

// program is a compiled graph.
type program struct {
	exec   *gomlx.Exec
	graph  *graph.Graph
	inputs []compute.Buffer // first those of each run, then the weights
}

// compile builds and compiles a graph with inputs of these shapes.
func (p *program) compile(d *device, build func(in []*graph.Node) []*graph.Node, in ...shapes.Shape) (err error) {
	p.exec, err = gomlx.NewExec(d.backend.Backend, d.store.Store,
		func(_ *gomlx.Scope, in []*graph.Node) []*graph.Node { return build(in) })
	if err != nil {
		return err
	}
	if p.graph, err = p.exec.Compile(in...); err == nil {
		err = p.bind(d, len(in))
	}
	if err != nil {
		p.exec.Finalize()
	}
	return err
}

// bind gives the graph the weights as inputs, after those of each run.
func (p *program) bind(d *device, given int) error {
	p.inputs = make([]compute.Buffer, p.graph.NumParameters())
	for i := given; i < len(p.inputs); i++ {
		name := p.graph.GetParameterByHandle(graph.ParameterHandle(i)).GetParameterName()
		v := d.store.GetVariable(name)
		if v == nil {
			return fmt.Errorf("the graph has an input %q, which is no weight", name)
		}
		t, err := v.Value()
		if err != nil {
			return err
		}
		if p.inputs[i], err = t.Buffer(d.backend.Backend, 0); err != nil {
			return err
		}
	}
	return nil
}

// input is an input of each run, whose memory is used again.
type input[T any] struct {
	flat   []T
	slice  any // flat
	shape  shapes.Shape
	shared compute.Buffer // that flat is the memory of; nil if inputs are copied to the device
}

func (in *input[T]) make(b *backend.Backend, shape shapes.Shape) (err error) {
	in.shape = shape
	if b.HasSharedBuffers() {
		if in.shared, in.slice, err = b.NewSharedBuffer(0, shape); err != nil {
			return err
		}
		in.flat = in.slice.([]T)
		clear(in.flat)
		return nil
	}
	in.flat = make([]T, shape.Size())
	in.slice = in.flat
	return nil
}

// send puts the input where the graph reads it.
func (in *input[T]) send(b *backend.Backend, at *compute.Buffer) (err error) {
	if *at = in.shared; in.shared == nil {
		*at, err = b.BufferFromFlatData(0, in.slice, in.shape)
	}
	return err
}

// drop frees what send made.
func (in *input[T]) drop(at *compute.Buffer) {
	if in.shared == nil {
		(*at).Finalize()
	}
	*at = nil
}

func (in *input[T]) close() {
	if in.shared != nil {
		in.shared.Finalize()
	}
}
