package onnx

import (
	"math"
	"slices"
)

// tensor returns the shape of a tensor of that many axes. Without one it is an error of the node, and the shape is of
// zeros. Whether shapes fit each other is for what reads the model to say.
func (g *Graph) tensor(node, name string, axes int) []int {
	shape := g.have[name]
	if len(shape) != axes {
		g.fail(node, "tensor %q is missing, or its shape %v has not %d axes", name, shape, axes)
		return make([]int, axes)
	}
	return shape
}

// withTensors are the inputs of a node: x and tensors of one axis of a layer.
func (g *Graph) withTensors(x Value, layer string, names ...string) []string {
	inputs := []string{x.Name}
	for _, name := range names {
		g.tensor(layer, layer+name, 1)
		inputs = append(inputs, layer+name)
	}
	return inputs
}

// withBias are the inputs of a node: x, the layer's weights and, if there is one, its bias.
func (g *Graph) withBias(x Value, layer string) []string {
	inputs := []string{x.Name, layer + ".weight"}
	if _, ok := g.have[layer+".bias"]; ok {
		g.tensor(layer, layer+".bias", 1)
		inputs = append(inputs, layer+".bias")
	}
	return inputs
}

// Conv is a convolution of stride 1 that keeps the size of the board, of a kernel [out, in, side, side] with an odd
// side in layer.weight. layer.bias is its bias, if there is one. The node is named like the layer.
func (g *Graph) Conv(x Value, layer string) Value {
	kernel := g.tensor(layer, layer+".weight", 4)
	side := kernel[2]
	pad := side / 2
	return g.node("Conv", layer, []int{kernel[0], 8, 8},
		map[string]any{"kernel_shape": []int{side, side}, "pads": []int{pad, pad, pad, pad}}, g.withBias(x, layer)...)
}

// BatchNorm is a batch normalisation with its running statistics over the first axis of a sample: layer.weight, .bias,
// .running_mean and .running_var. The node is named like the layer.
func (g *Graph) BatchNorm(x Value, layer string, epsilon float32) Value {
	return g.node("BatchNormalization", layer, x.Shape, map[string]any{"epsilon": epsilon},
		g.withTensors(x, layer, ".weight", ".bias", ".running_mean", ".running_var")...)
}

// Relu is named like x with ".relu" after it.
func (g *Graph) Relu(x Value) Value { return g.node("Relu", x.Name+".relu", x.Shape, nil, x.Name) }

// Tanh is the hyperbolic tangent.
func (g *Graph) Tanh(x Value, name string) Value { return g.node("Tanh", name, x.Shape, nil, x.Name) }

// Sigmoid is 1/(1+exp(−x)).
func (g *Graph) Sigmoid(x Value, name string) Value {
	return g.node("Sigmoid", name, x.Shape, nil, x.Name)
}

// Softplus is log(1+exp(x)).
func (g *Graph) Softplus(x Value, name string) Value {
	return g.node("Softplus", name, x.Shape, nil, x.Name)
}

// Selu is the scaled exponential linear unit (Klambauer and others, Self-Normalizing Neural Networks).
func (g *Graph) Selu(x Value, name string) Value { return g.node("Selu", name, x.Shape, nil, x.Name) }

// Softmax is over the last axis.
func (g *Graph) Softmax(x Value, name string) Value {
	return g.node("Softmax", name, x.Shape, map[string]any{"axis": -1}, x.Name)
}

// Add adds values of the same number of axes, of which those of length 1 are repeated.
func (g *Graph) Add(a, b Value, name string) Value { return g.pair("Add", a, b, name) }

// Mul multiplies values of the same number of axes, of which those of length 1 are repeated.
func (g *Graph) Mul(a, b Value, name string) Value { return g.pair("Mul", a, b, name) }

// Sub subtracts b from a, as [Graph.Add] adds.
func (g *Graph) Sub(a, b Value, name string) Value { return g.pair("Sub", a, b, name) }

func (g *Graph) pair(op string, a, b Value, name string) Value {
	if len(a.Shape) != len(b.Shape) {
		g.fail(name, "shapes %v and %v", a.Shape, b.Shape)
	}
	shape := slices.Clone(a.Shape)
	for i := range min(len(shape), len(b.Shape)) {
		shape[i] = max(shape[i], b.Shape[i])
	}
	return g.node(op, name, shape, nil, a.Name, b.Name)
}

// Means adds the mean of each channel over the squares: [channels].
func (g *Graph) Means(x Value, name string) Value {
	mean := g.node("GlobalAveragePool", name+".pool", []int{x.Shape[0], 1, 1}, nil, x.Name)
	return g.Flatten(mean, name)
}

// Flatten makes one axis of all, the last one fastest: a board's feature is channel·64 + square.
func (g *Graph) Flatten(x Value, name string) Value {
	return g.node("Flatten", name, []int{product(x.Shape)}, map[string]any{"axis": 1}, x.Name)
}

// Linear is x·Wᵀ + b, with W [out, in] in layer.weight and b [out] in layer.bias, if there is one.
func (g *Graph) Linear(x Value, layer, name string) Value {
	w := g.tensor(name, layer+".weight", 2)
	return g.node("Gemm", name, w[:1], map[string]any{"transB": 1}, g.withBias(x, layer)...)
}

// Squeeze takes away the last axis, which has length 1.
func (g *Graph) Squeeze(x Value, name string) Value {
	last := len(x.Shape) - 1
	return g.node("Squeeze", name, x.Shape[:last], nil, x.Name, g.integers(name+".axis", int64(last+1)))
}

// Reshape gives samples another shape.
func (g *Graph) Reshape(x Value, name string, shape ...int) Value {
	dims := []int64{0} // as it is
	for _, d := range shape {
		dims = append(dims, int64(d))
	}
	return g.node("Reshape", name, shape, nil, x.Name, g.integers(name+".shape", dims...))
}

// Transpose reorders the axes of a sample: axis i is axis axes[i] of x, counted from 0.
func (g *Graph) Transpose(x Value, name string, axes ...int) Value {
	perm, shape := []int{0}, []int(nil)
	for _, axis := range axes {
		perm, shape = append(perm, axis+1), append(shape, x.Shape[axis])
	}
	return g.node("Transpose", name, shape, map[string]any{"perm": perm}, x.Name)
}

// Slice is elements from … to−1 of an axis of a sample, counted from 0.
func (g *Graph) Slice(x Value, name string, axis, from, to int) Value {
	shape := slices.Clone(x.Shape)
	shape[axis] = to - from
	return g.node("Slice", name, shape, nil, x.Name, g.integers(name+".from", int64(from)),
		g.integers(name+".to", int64(to)), g.integers(name+".axis", int64(axis+1)))
}

// MatMul multiplies matrices, the last two axes of values whose others are the same.
func (g *Graph) MatMul(a, b Value, name string) Value {
	last := len(a.Shape) - 1
	return g.node("MatMul", name, append(slices.Clone(a.Shape[:last]), b.Shape[last]), nil, a.Name, b.Name)
}

// Rows is [Graph.Linear] of each row, the last axis; the bias must be there.
func (g *Graph) Rows(x Value, layer, name string) Value {
	w, last := g.tensor(name, layer+".weight", 2), len(x.Shape)-1
	turned := g.node("Transpose", name+".turned", nil, map[string]any{"perm": []int{1, 0}}, layer+".weight")
	shape := append(slices.Clone(x.Shape[:last]), w[0])
	y := g.node("MatMul", name+".product", shape, nil, x.Name, turned.Name)
	return g.node("Add", name, shape, nil, y.Name, layer+".bias")
}

// LayerNorm normalises the last axis: layer.weight and layer.bias. The node is named like the layer.
func (g *Graph) LayerNorm(x Value, layer string, epsilon float32) Value {
	return g.node("LayerNormalization", layer, x.Shape, map[string]any{"epsilon": epsilon, "axis": -1},
		g.withTensors(x, layer, ".weight", ".bias")...)
}

// Tensor is a tensor with its axes in this order, the same for each sample.
func (g *Graph) Tensor(tensor, name string, axes ...int) Value {
	have, shape := g.tensor(name, tensor, len(axes)), []int(nil)
	for _, axis := range axes {
		shape = append(shape, have[axis])
	}
	return g.node("Transpose", name, shape, map[string]any{"perm": axes}, tensor)
}

// Numbers are constants, the same for each sample.
func (g *Graph) Numbers(name string, data []float32, shape ...int) Value {
	if g.err == nil {
		g.constants = append(g.constants, floats(name, shape, data))
	}
	return Value{name, shape}
}

// Concat joins values along an axis of a sample, counted from 0.
func (g *Graph) Concat(name string, axis int, values ...Value) Value {
	var inputs []string
	shape := slices.Clone(values[0].Shape)
	shape[axis] = 0
	for _, x := range values {
		shape[axis] += x.Shape[axis]
		inputs = append(inputs, x.Name)
	}
	return g.node("Concat", name, shape, map[string]any{"axis": axis + 1}, inputs...)
}

// Columns takes elements of a sample's only axis.
func (g *Graph) Columns(x Value, name string, which []int32) Value {
	wide := make([]int64, len(which))
	for i, c := range which {
		wide[i] = int64(c)
	}
	return g.node("Gather", name, []int{len(which)}, map[string]any{"axis": 1}, x.Name, g.integers(name+".which",
		wide...))
}

// Scale multiplies by a constant.
func (g *Graph) Scale(x Value, factor float32, name string) Value {
	return g.node("Mul", name, x.Shape, nil, x.Name, g.constant(name+".factor", factor))
}

// Gelu is x·Φ(x), Φ the distribution function of the normal distribution. The node is named like x with ".gelu" after
// it.
func (g *Graph) Gelu(x Value) Value {
	name := x.Name + ".gelu"
	erf := g.node("Erf", name+".erf", x.Shape, nil, g.Scale(x, 1/math.Sqrt2, name+".unit").Name)
	twice := g.node("Add", name+".twice", x.Shape, nil, erf.Name, g.constant(name+".one", 1))
	return g.Mul(x, g.Scale(twice, 0.5, name+".share"), name)
}

// Embed turns whole numbers, one axis of them, into rows of a table, which is tensors one below the other; number i
// counts from offsets[i].
func (g *Graph) Embed(x Value, name string, offsets []int32, tensors ...string) Value {
	width := 0
	for _, tensor := range tensors {
		width = g.tensor(name, tensor, 2)[1]
	}
	wide := make([]int64, len(offsets))
	for i, offset := range offsets {
		wide[i] = int64(offset)
	}
	table := g.node("Concat", name+".table", nil, map[string]any{"axis": 0}, tensors...)
	whole := g.node("Cast", name+".whole", x.Shape, map[string]any{"to": typeInt64}, x.Name)
	rows := g.node("Add", name+".rows", x.Shape, nil, whole.Name, g.integers(name+".offsets", wide...))
	return g.node("Gather", name, []int{x.Shape[0], width}, map[string]any{"axis": 0}, table.Name, rows.Name)
}

// AddRows adds the rows of a tensor to the first rows of each sample.
func (g *Graph) AddRows(x Value, tensor, name string) Value {
	more := int64(x.Shape[0] - g.tensor(name, tensor, 2)[0])
	all := g.node("Pad", name+".all", nil, nil, tensor, g.integers(name+".pads", 0, 0, more, 0))
	return g.node("Add", name, x.Shape, nil, x.Name, all.Name)
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
