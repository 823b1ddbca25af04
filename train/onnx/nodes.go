package onnx

import "slices"

// tensor returns the shape of a tensor; nil, and an error of the node, if there is none.
func (g *Graph) tensor(node, name string) []int {
	shape, ok := g.have[name]
	if !ok {
		g.fail(node, "tensor %q is missing", name)
	}
	return shape
}

// Conv is a convolution of stride 1 that keeps the size of the board, of a kernel [out, in, side, side] with an odd
// side in layer.weight. layer.bias is its bias, if there is one. The node is named like the layer.
func (g *Graph) Conv(x Value, layer string) Value {
	kernel := g.tensor(layer, layer+".weight")
	if len(kernel) != 4 || len(x.Shape) != 3 || kernel[1] != x.Shape[0] || kernel[2] != kernel[3] || kernel[2]%2 == 0 {
		return g.fail(layer, "a kernel of shape %v on %v", kernel, x.Shape)
	}
	inputs := []string{x.Name, layer + ".weight"}
	if bias, ok := g.have[layer+".bias"]; ok {
		if !slices.Equal(bias, kernel[:1]) {
			return g.fail(layer, "a bias of shape %v for a kernel of %v", bias, kernel)
		}
		inputs = append(inputs, layer+".bias")
	}
	side := kernel[2]
	pad := side / 2
	return g.node("Conv", layer, []int{kernel[0], x.Shape[1], x.Shape[2]},
		map[string]any{"kernel_shape": []int{side, side}, "pads": []int{pad, pad, pad, pad}}, inputs...)
}

// BatchNorm is a batch normalisation with its running statistics over the first axis of a sample: layer.weight, .bias,
// .running_mean and .running_var. The node is named like the layer.
func (g *Graph) BatchNorm(x Value, layer string, epsilon float32) Value {
	inputs := []string{x.Name}
	for _, name := range []string{".weight", ".bias", ".running_mean", ".running_var"} {
		shape := g.tensor(layer, layer+name)
		if len(x.Shape) == 0 || !slices.Equal(shape, x.Shape[:1]) {
			return g.fail(layer, "%s of shape %v on %v", name[1:], shape, x.Shape)
		}
		inputs = append(inputs, layer+name)
	}
	return g.node("BatchNormalization", layer, x.Shape, map[string]any{"epsilon": epsilon}, inputs...)
}

// Relu is named like x with ".relu" behind it.
func (g *Graph) Relu(x Value) Value { return g.node("Relu", x.Name+".relu", x.Shape, nil, x.Name) }

// Tanh is the hyperbolic tangent.
func (g *Graph) Tanh(x Value, name string) Value { return g.node("Tanh", name, x.Shape, nil, x.Name) }

// Sigmoid is 1/(1+exp(−x)).
func (g *Graph) Sigmoid(x Value, name string) Value {
	return g.node("Sigmoid", name, x.Shape, nil, x.Name)
}

// Softmax is over the last axis.
func (g *Graph) Softmax(x Value, name string) Value {
	return g.node("Softmax", name, x.Shape, map[string]any{"axis": -1}, x.Name)
}

// Add adds values of the same number of axes, of which those of length 1 are repeated.
func (g *Graph) Add(a, b Value, name string) Value { return g.pair("Add", a, b, name) }

// Mul multiplies values of the same number of axes, of which those of length 1 are repeated.
func (g *Graph) Mul(a, b Value, name string) Value { return g.pair("Mul", a, b, name) }

func (g *Graph) pair(op string, a, b Value, name string) Value {
	if len(a.Shape) != len(b.Shape) {
		return g.fail(name, "shapes %v and %v", a.Shape, b.Shape)
	}
	shape := slices.Clone(a.Shape)
	for i, d := range b.Shape {
		if shape[i] != d && shape[i] != 1 && d != 1 {
			return g.fail(name, "shapes %v and %v", a.Shape, b.Shape)
		}
		shape[i] = max(shape[i], d)
	}
	return g.node(op, name, shape, nil, a.Name, b.Name)
}

// Flatten makes one axis of all, the last one fastest: a board's feature is channel·64 + square.
func (g *Graph) Flatten(x Value, name string) Value {
	return g.node("Flatten", name, []int{product(x.Shape)}, map[string]any{"axis": 1}, x.Name)
}

// FlattenSquares makes one axis of a board with the channel fastest: the feature is square·channels + channel.
func (g *Graph) FlattenSquares(x Value, name string) Value {
	if len(x.Shape) != 3 {
		return g.fail(name, "shape %v is no board", x.Shape)
	}
	return g.Flatten(g.Transpose(x, name+".squares", 1, 2, 0), name)
}

// Linear is x·Wᵀ + b, with W [out, in] in layer.weight and b [out] in layer.bias, if there is one.
func (g *Graph) Linear(x Value, layer, name string) Value {
	w := g.tensor(name, layer+".weight")
	if len(w) != 2 || len(x.Shape) != 1 || w[1] != x.Shape[0] {
		return g.fail(name, "a matrix of shape %v on %v", w, x.Shape)
	}
	inputs := []string{x.Name, layer + ".weight"}
	if bias, ok := g.have[layer+".bias"]; ok {
		if !slices.Equal(bias, w[:1]) {
			return g.fail(name, "a bias of shape %v for a matrix of %v", bias, w)
		}
		inputs = append(inputs, layer+".bias")
	}
	return g.node("Gemm", name, w[:1], map[string]any{"transB": 1}, inputs...)
}

// Squeeze takes away the last axis, which has length 1.
func (g *Graph) Squeeze(x Value, name string) Value {
	last := len(x.Shape) - 1
	if last < 0 || x.Shape[last] != 1 {
		return g.fail(name, "shape %v does not end in 1", x.Shape)
	}
	return g.node("Squeeze", name, x.Shape[:last], nil, x.Name, g.integers(name+".axis", int64(last+1)))
}

// Reshape gives samples another shape.
func (g *Graph) Reshape(x Value, name string, shape ...int) Value {
	if product(shape) != product(x.Shape) {
		return g.fail(name, "shape %v as %v", x.Shape, shape)
	}
	dims := []int64{0} // as it is
	for _, d := range shape {
		dims = append(dims, int64(d))
	}
	return g.node("Reshape", name, shape, nil, x.Name, g.integers(name+".shape", dims...))
}

// Transpose orders the axes of a sample anew: axis i is axis axes[i] of x, counted from 0.
func (g *Graph) Transpose(x Value, name string, axes ...int) Value {
	perm, shape := []int{0}, []int(nil)
	sorted := slices.Sorted(slices.Values(axes))
	for i, axis := range axes {
		if len(axes) != len(x.Shape) || sorted[i] != i {
			return g.fail(name, "axes %v of shape %v", axes, x.Shape)
		}
		perm, shape = append(perm, axis+1), append(shape, x.Shape[axis])
	}
	return g.node("Transpose", name, shape, map[string]any{"perm": perm}, x.Name)
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
