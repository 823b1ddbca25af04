package model

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"talbot/network/onnx"
)

// residual is what networks with a residual trunk have in common.
//
//	stem    conv 3×3 or 5×5 planes→F, norm, ReLU
//	block   conv 3×3, norm, ReLU, [channel dropout], conv 3×3, norm, [excite,] + input, ReLU
//	excite  mean of each channel, linear F→squeeze, ReLU, linear squeeze→F, sigmoid: each channel times its number
//	value   conv 1×1 F→1, norm, ReLU, linear 64→64, ReLU, dropout, linear 64→1, tanh
//
// With B blocks counted from 1, block b has dropout if 2b ≥ B: blocks 10 to 20 of 20, 3 to 6 of 6.
type residual struct {
	planes, blocks, filters    int
	blockDropout, valueDropout float64
	valueWeight                float64 // in the loss
	squeeze                    int     // features between squeeze and excitation; 0 = without
	keras                      bool    // a stem of 5×5, and Keras's normalisations
}

func (r residual) validate() error {
	return cmp.Or(within("blocks", r.blocks, 1, 200), within("filters", r.filters, 2, 4096), rate("block dropout",
		r.blockDropout), rate("value dropout", r.valueDropout), weight("value weight", r.valueWeight))
}

// within returns an error for a setting outside of two bounds.
func within(name string, n, low, high int) error {
	if n < low || n > high {
		return fmt.Errorf("%s must be from %d to %d: %d", name, low, high, n)
	}
	return nil
}

// rate returns an error for a setting outside of [0, 1).
func rate(name string, x float64) error {
	if !(x >= 0 && x < 1) {
		return fmt.Errorf("%s must be at least 0 and below 1: %g", name, x)
	}
	return nil
}

// weight returns an error for a weight in a loss that is negative or no finite float32.
func weight(name string, x float64) error {
	if !(x >= 0 && x <= math.MaxFloat32) {
		return fmt.Errorf("%s must be from 0 to %.2g: %g", name, float64(math.MaxFloat32), x)
	}
	return nil
}

// String is such as "20 blocks of 128 filters".
func (r residual) String() string { return blocksOf(r.blocks, fmt.Sprintf("%d filters", r.filters)) }

func blocksOf(n int, size string) string {
	if n == 1 {
		return "1 block of " + size
	}
	return fmt.Sprintf("%d blocks of %s", n, size)
}

func (r residual) dropsIn(block int) bool { return 2*block >= r.blocks }

// norm are the constants of its normalisations.
func (r residual) norm() normKind {
	if r.keras {
		return kerasNorm
	}
	return pyTorchNorm
}

func (r residual) trunkParams(l *layers) {
	stem := 3
	if r.keras {
		stem = 5
	}
	l.conv("stem.conv", r.filters, r.planes, stem)
	l.norm("stem.bn", r.filters)
	for b := range r.blocks {
		for i := 1; i <= 2; i++ {
			l.conv(fmt.Sprintf("blocks.%d.conv%d", b, i), r.filters, r.filters, 3)
			l.norm(fmt.Sprintf("blocks.%d.bn%d", b, i), r.filters)
		}
	}
	for b := range r.blocks {
		if r.squeeze > 0 {
			l.linear(fmt.Sprintf("blocks.%d.se.fc1", b), r.squeeze, r.filters)
			l.linear(fmt.Sprintf("blocks.%d.se.fc2", b), r.filters, r.squeeze)
		}
	}
}

func (r residual) valueParams(l *layers) {
	l.conv("value.conv", 1, r.filters, 1)
	l.norm("value.bn", 1)
	l.linear("value.fc1", 64, 64)
	l.linear("value.fc2", 1, 64)
}

// convNorm is convolve and a normalisation.
func (p *Pass) convNorm(x *Node, conv, norm string) *Node { return p.norm(p.convolve(x, conv), norm) }

// trunk is stem and blocks: planes to F channels.
func (r residual) trunk(p *Pass, planes *Node) *Node {
	norm := func(x *Node, name string) *Node { return p.normAs(r.norm(), x, name) }
	x := p.relu(norm(p.convolve(planes, "stem.conv"), "stem.bn"))
	for b := range r.blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := p.relu(norm(p.convolveDense(x, name+"conv1"), name+"bn1"))
		if r.dropsIn(b + 1) {
			y = p.dropChannels(y, r.blockDropout)
		}
		y = norm(p.convolveDense(y, name+"conv2"), name+"bn2")
		if r.squeeze > 0 {
			h := p.relu(p.linear(p.Conv.Means(y), name+"se.fc1"))
			y = p.excite(y, Sigmoid(p.watch(p.linear(h, name+"se.fc2"))))
		}
		x = p.relu(Add(y, x))
	}
	return x
}

// value is the head of what the trunk returns: [N].
func (r residual) value(p *Pass, x *Node) *Node {
	h := p.Conv.Flatten(p.relu(p.convNorm(x, "value.conv", "value.bn")))
	h = p.dropout(p.relu(p.linear(h, "value.fc1")), r.valueDropout)
	return Reshape(Tanh(p.watch(p.linear(h, "value.fc2"))), x.Shape().Dim(p.Conv.batchAxis()))
}

// floats are those that are kept for the backward pass of a sample, without heads of other kinds: about five
// activations of each block (the outputs of two convolutions, of two normalisations, and the sum), four of stem and
// heads. With Winograd nine shifted copies of the planes are kept as well, and what the inputs of the blocks become,
// 144 numbers for 64; with excitation two activations more for each block.
func (r residual) floats(conv ConvAlgorithm) int64 {
	activations := int64(5*r.blocks+4) * int64(r.filters)
	if r.squeeze > 0 {
		activations += 2 * int64(r.blocks*r.filters)
	}
	if conv == Winograd {
		activations += 9*int64(r.planes) + 2*int64(r.blocks)*int64(r.filters)*144/64
	}
	return 64 * activations
}

// onnxConvNorm adds a convolution and its normalisation.
func (r residual) onnxConvNorm(g *onnx.Graph, x onnx.Value, conv, norm string) onnx.Value {
	return g.BatchNorm(g.Conv(x, conv), norm, float32(r.norm().epsilon))
}

// onnxTrunk adds stem and blocks, without dropout, to an input of planes.
func (r residual) onnxTrunk(g *onnx.Graph, about string) onnx.Value {
	planes := g.Input("planes", about+"; [sample, plane, rank, file] in the mover's frame", r.planes, 8, 8)
	x := g.Relu(r.onnxConvNorm(g, planes, "stem.conv", "stem.bn"))
	for b := range r.blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := g.Relu(r.onnxConvNorm(g, x, name+"conv1", name+"bn1"))
		y = r.onnxConvNorm(g, y, name+"conv2", name+"bn2")
		if r.squeeze > 0 {
			h := g.Relu(g.Linear(g.Means(y, name+"se.mean"), name+"se.fc1", name+"se.fc1"))
			gate := g.Sigmoid(g.Linear(h, name+"se.fc2", name+"se.fc2"), name+"se.sigmoid")
			y = g.Mul(y, g.Reshape(gate, name+"se.gate", r.filters, 1, 1), name+"se")
		}
		x = g.Relu(g.Add(y, x, name+"add"))
	}
	return x
}

// onnxFlat adds the first convolution of a head.
func (r residual) onnxFlat(g *onnx.Graph, x onnx.Value, head string) onnx.Value {
	return g.Flatten(g.Relu(r.onnxConvNorm(g, x, head+".conv", head+".bn")), head+".flat")
}

// onnxValue adds the value.
func (r residual) onnxValue(g *onnx.Graph, x onnx.Value) onnx.Value {
	h := g.Relu(g.Linear(r.onnxFlat(g, x, "value"), "value.fc1", "value.fc1"))
	return g.Squeeze(g.Tanh(g.Linear(h, "value.fc2", "value.fc2"), "value.tanh"), "value")
}
