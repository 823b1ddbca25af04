package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"talbot/train/checkpoint"
	"talbot/train/model"
)

// ErrTooLarge says that the network does not fit into one protobuf message of 2 GiB.
var ErrTooLarge = errors.New("the network is too large for one ONNX file")

const (
	irVersion = 8
	opset     = 17
	largest   = 1<<31 - 1<<20
	epsilon   = float32(1e-5) // of the batch normalisations, as in package model
)

// Model returns the file of a network of that recipe and shape with these numbers; metadata stands in its
// metadata_props. The tensors are those that [model.New] lists for the shape, under the same names.
func Model(recipe string, c model.Config, tensors []checkpoint.Tensor, metadata map[string]string) ([]byte, error) {
	n, err := model.New(recipe, c)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, p := range n.Params() {
		size += 4 * p.Size()
	}
	if size > largest {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	b := &builder{have: map[string]checkpoint.Tensor{}}
	for _, t := range tensors {
		b.have[t.Name] = t
	}
	for _, p := range n.Params() {
		t, ok := b.have[p.Name]
		if !ok || !slices.Equal(t.Shape, p.Shape) || len(t.Data) != p.Size() {
			return nil, fmt.Errorf("tensor %q is missing or not of shape %v", p.Name, p.Shape)
		}
		b.initializers = append(b.initializers, floats(p.Name, p.Shape, t.Data))
	}
	b.talbotbot(c)
	return b.model(recipe, metadata), nil
}

// builder collects the nodes of a graph in an order in which they can be run.
type builder struct {
	have                map[string]checkpoint.Tensor
	nodes, initializers []message
}

// node adds a NodeProto with one output, which is named like the node, and returns that name.
func (b *builder) node(op, name string, inputs []string, attributes map[string]any) string {
	var m message
	for _, input := range inputs {
		m.text(1, input)
	}
	m.text(2, name)
	m.text(3, name)
	m.text(4, op)
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		m.bytes(5, attribute(key, attributes[key]))
	}
	b.nodes = append(b.nodes, m)
	return name
}

// convNorm is a convolution without bias that keeps 8×8, and a batch normalisation.
func (b *builder) convNorm(x, conv, norm string) string {
	side := b.have[conv+".weight"].Shape[2]
	pad := side / 2
	y := b.node("Conv", conv, []string{x, conv + ".weight"},
		map[string]any{"kernel_shape": []int{side, side}, "pads": []int{pad, pad, pad, pad}})
	return b.node("BatchNormalization", norm,
		[]string{y, norm + ".weight", norm + ".bias", norm + ".running_mean", norm + ".running_var"},
		map[string]any{"epsilon": epsilon})
}

func (b *builder) relu(x string) string { return b.node("Relu", x+".relu", []string{x}, nil) }

// linear is x·Wᵀ + b.
func (b *builder) linear(x, layer, output string) string {
	return b.node("Gemm", output, []string{x, layer + ".weight", layer + ".bias"}, map[string]any{"transB": 1})
}

// talbotbot adds the nodes of the network of that name in package model.
func (b *builder) talbotbot(c model.Config) {
	x := b.relu(b.convNorm("planes", "stem.conv", "stem.bn"))
	for i := range c.Blocks {
		name := fmt.Sprintf("blocks.%d.", i)
		y := b.relu(b.convNorm(x, name+"conv1", name+"bn1"))
		y = b.convNorm(y, name+"conv2", name+"bn2")
		x = b.relu(b.node("Add", name+"add", []string{y, x}, nil))
	}
	flat := func(head string) string {
		y := b.relu(b.convNorm(x, head+".conv", head+".bn"))
		return b.node("Flatten", head+".flat", []string{y}, map[string]any{"axis": 1})
	}
	b.linear(flat("policy"), "policy.fc", "logits")
	h := b.relu(b.linear(flat("value"), "value.fc1", "value.fc1"))
	h = b.node("Tanh", "value.tanh", []string{b.linear(h, "value.fc2", "value.fc2")}, nil)
	b.initializers = append(b.initializers, integers("value.axis", 1))
	b.node("Squeeze", "value", []string{h, "value.axis"}, nil)
}

// model is the ModelProto.
func (b *builder) model(recipe string, metadata map[string]string) message {
	size := 0
	for _, list := range [][]message{b.nodes, b.initializers} {
		for _, m := range list {
			size += len(m) + 16
		}
	}
	g := make(message, 0, size)
	for _, n := range b.nodes {
		g.bytes(1, n)
	}
	g.text(2, recipe)
	for _, t := range b.initializers {
		g.bytes(5, t)
	}
	g.bytes(11, valueInfo("planes", "0 or 1; [sample, plane, rank, file] in the mover's frame", model.Planes, 8, 8))
	g.bytes(12, valueInfo("logits", "of all moves; index = from square × 73 + move plane in the mover's frame",
		model.Moves))
	g.bytes(12, valueInfo("value", "in [-1, 1]; +1 = the side to move wins"))

	m := make(message, 0, len(g)+4096)
	m.number(1, irVersion)
	m.text(2, "talbot")
	m.bytes(7, g)
	var set message
	set.number(2, opset)
	m.bytes(8, set)
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		var entry message
		entry.text(1, key)
		entry.text(2, metadata[key])
		m.bytes(14, entry)
	}
	return m
}
