package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"talbot/network/checkpoint"
)

// ErrTooLarge reports that the network does not fit into one protobuf message of 2 GiB.
var ErrTooLarge = errors.New("the network is too large for one ONNX file")

const (
	irVersion = 8
	opset     = 17
	largest   = 1<<31 - 1<<20
)

// Value is what a node of a graph gives.
type Value struct {
	Name  string
	Shape []int // of one sample; the batch dimension stands before it
}

// Graph collects the nodes of a graph in an order in which they can be run. The methods that add nodes remember the
// first error, and do nothing after it: see [Graph.Err].
type Graph struct {
	name            string
	tensors         []checkpoint.Tensor
	have            map[string][]int // shapes of the tensors
	used, taken     map[string]bool  // tensors, and names of values
	asks, tells     []string         // names of the inputs and outputs
	nodes           []node
	constants       []message // initializers beside the tensors
	inputs, outputs []message
	metadata        map[string]string
	err             error
}

// node is a NodeProto. Its one output is named like it.
type node struct {
	op, name   string
	shape      []int // of its output
	attributes map[string]any
	inputs     []string
}

func (n *node) message() (m message) {
	for _, input := range n.inputs {
		m.text(1, input)
	}
	m.text(2, n.name)
	m.text(3, n.name)
	m.text(4, n.op)
	for _, key := range slices.Sorted(maps.Keys(n.attributes)) {
		m.bytes(5, attribute(key, n.attributes[key]))
	}
	return m
}

// New returns a graph of that name with these tensors, each of which must be in a node.
func New(name string, tensors []checkpoint.Tensor) (*Graph, error) {
	size := 0
	for _, t := range tensors {
		size += 4 * len(t.Data)
	}
	if size > largest {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	g := &Graph{name: name, tensors: tensors, have: map[string][]int{}, used: map[string]bool{},
		taken: map[string]bool{}, metadata: map[string]string{}}
	for _, t := range tensors {
		n := 1
		for _, d := range t.Shape {
			n *= d
		}
		if n != len(t.Data) || g.have[t.Name] != nil {
			return nil, fmt.Errorf("tensor %q appears twice, or has %d numbers in shape %v", t.Name, len(t.Data),
				t.Shape)
		}
		g.have[t.Name] = append([]int{}, t.Shape...)
	}
	return g, nil
}

// Err returns the first error.
func (g *Graph) Err() error { return g.err }

// fail remembers an error of the node of that name.
func (g *Graph) fail(name, format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("node %q: %w", name, fmt.Errorf(format, args...))
	}
}

// Input names an input; about describes it for display.
func (g *Graph) Input(name, about string, shape ...int) Value {
	g.inputs = append(g.inputs, valueInfo(name, about, shape...))
	g.taken[name] = true
	g.asks = append(g.asks, name)
	return Value{name, shape}
}

// Inputs returns the names of the inputs.
func (g *Graph) Inputs() []string { return g.asks }

// Output makes a value an output under its name.
func (g *Graph) Output(x Value, about string) {
	g.outputs = append(g.outputs, valueInfo(x.Name, about, x.Shape...))
	g.tells = append(g.tells, x.Name)
}

// Describe adds an entry to the metadata.
func (g *Graph) Describe(key, value string) { g.metadata[key] = value }

// Described reports whether the metadata has entries.
func (g *Graph) Described() bool { return len(g.metadata) > 0 }

// node adds a NodeProto with one output, which is named like the node.
func (g *Graph) node(op, name string, shape []int, attributes map[string]any, inputs ...string) Value {
	if g.taken[name] {
		g.fail(name, "there are two of that name")
	}
	if g.err != nil {
		return Value{name, shape}
	}
	g.taken[name] = true
	for _, input := range inputs {
		g.used[input] = true
	}
	g.nodes = append(g.nodes, node{op, name, shape, attributes, inputs})
	return Value{name, shape}
}

// integers adds a constant.
func (g *Graph) integers(name string, data ...int64) string {
	if g.err == nil {
		g.constants = append(g.constants, integers(name, data...))
	}
	return name
}

// constant adds a number.
func (g *Graph) constant(name string, x float32) string {
	if g.err == nil {
		g.constants = append(g.constants, floats(name, nil, []float32{x}))
	}
	return name
}

// Model returns the file, a ModelProto.
func (g *Graph) Model() ([]byte, error) {
	if g.err != nil {
		return nil, g.err
	}
	if len(g.inputs) == 0 || len(g.outputs) == 0 {
		return nil, errors.New("an ONNX model needs inputs and outputs")
	}
	for _, name := range slices.Sorted(maps.Keys(g.have)) {
		if !g.used[name] {
			return nil, fmt.Errorf("tensor %q is in no node", name)
		}
	}
	// What a change of the graph has left without a use is not written.
	needed := map[string]bool{}
	var nodes, initializers []message
	for i := range g.nodes {
		nodes = append(nodes, g.nodes[i].message())
		for _, input := range g.nodes[i].inputs {
			needed[input] = true
		}
	}
	for _, t := range g.tensors {
		if needed[t.Name] {
			initializers = append(initializers, floats(t.Name, t.Shape, t.Data))
		}
	}
	initializers = append(initializers, g.constants...)
	size := 0
	for _, list := range [][]message{nodes, initializers} {
		for _, m := range list {
			size += len(m) + 16
		}
	}
	if size > largest {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	graph := make(message, 0, size)
	fields := func(field protowire.Number, list []message) {
		for _, m := range list {
			graph.bytes(field, m)
		}
	}
	fields(1, nodes)
	graph.text(2, g.name)
	fields(5, initializers)
	fields(11, g.inputs)
	fields(12, g.outputs)

	m := make(message, 0, len(graph)+4096)
	m.number(1, irVersion)
	m.text(2, "talbot")
	m.bytes(7, graph)
	var set message
	set.number(2, opset)
	m.bytes(8, set)
	for _, key := range slices.Sorted(maps.Keys(g.metadata)) {
		var entry message
		entry.text(1, key)
		entry.text(2, g.metadata[key])
		m.bytes(14, entry)
	}
	return m, nil
}
