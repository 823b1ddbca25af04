package model

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"talbot/network/onnx"
)

// residual is what networks with a residual trunk and a value have in common.
//
//	stem    conv 3×3 planes→F, norm, ReLU
//	block   conv 3×3, norm, ReLU, [channel dropout], conv 3×3, norm, + input, ReLU
//	value   conv 1×1 F→1, norm, ReLU, linear 64→64, ReLU, dropout, linear 64→1, tanh
//
// With B blocks counted from 1, block b has dropout if 2b ≥ B: blocks 10 to 20 of 20, 3 to 6 of 6.
type residual struct {
	planes, blocks, filters    int
	blockDropout, valueDropout float64
	valueWeight                float64 // in the loss
}

func (r residual) validate() error {
	switch {
	case r.blocks < 1 || r.blocks > 200:
		return fmt.Errorf("blocks must be from 1 to 200: %d", r.blocks)
	case r.filters < 2 || r.filters > 4096:
		return fmt.Errorf("filters must be from 2 to 4096: %d", r.filters)
	case !(r.blockDropout >= 0 && r.blockDropout < 1):
		return fmt.Errorf("block dropout must be at least 0 and below 1: %g", r.blockDropout)
	case !(r.valueDropout >= 0 && r.valueDropout < 1):
		return fmt.Errorf("value dropout must be at least 0 and below 1: %g", r.valueDropout)
	case !(r.valueWeight >= 0 && r.valueWeight <= math.MaxFloat32):
		return fmt.Errorf("value weight must be from 0 to %.2g: %g", float64(math.MaxFloat32), r.valueWeight)
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

func (r residual) trunkParams(l *layers) {
	l.conv("stem.conv", r.filters, r.planes, 3)
	l.norm("stem.bn", r.filters)
	r.blockParams(l)
}

func (r residual) blockParams(l *layers) {
	for b := range r.blocks {
		for i := 1; i <= 2; i++ {
			l.conv(fmt.Sprintf("blocks.%d.conv%d", b, i), r.filters, r.filters, 3)
			l.norm(fmt.Sprintf("blocks.%d.bn%d", b, i), r.filters)
		}
	}
}

func (r residual) valueParams(l *layers) {
	l.conv("value.conv", 1, r.filters, 1)
	l.norm("value.bn", 1)
	l.linear("value.fc1", 64, 64)
	l.linear("value.fc2", 1, 64)
}

// convNorm is a convolution and its normalisation.
func (p *Pass) convNorm(x *Node, conv, norm string) *Node { return p.norm(p.convolve(x, conv), norm) }

// trunk is stem and blocks: planes to F channels.
func (r residual) trunk(p *Pass, planes *Node) *Node {
	x := p.relu(p.convNorm(planes, "stem.conv", "stem.bn"))
	for b := range r.blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := p.relu(p.norm(p.convolveDense(x, name+"conv1"), name+"bn1"))
		if r.dropsIn(b + 1) {
			y = p.dropChannels(y, r.blockDropout)
		}
		x = p.relu(Add(p.norm(p.convolveDense(y, name+"conv2"), name+"bn2"), x))
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
// heads. With Winograd nine shifted copies of the planes are kept as well, and what the inputs of the blocks become, 144
// numbers for 64.
func (r residual) floats(conv ConvAlgorithm) int64 {
	activations := int64(5*r.blocks+4) * int64(r.filters)
	if conv == Winograd {
		activations += 9*int64(r.planes) + 2*int64(r.blocks)*int64(r.filters)*144/64
	}
	return 64 * activations
}

// onnxConvNorm adds a convolution and its normalisation.
func onnxConvNorm(g *onnx.Graph, x onnx.Value, conv, norm string) onnx.Value {
	return g.BatchNorm(g.Conv(x, conv), norm, float32(pyTorchNorm.epsilon))
}

// onnxTrunk adds stem and blocks, without dropout.
func (r residual) onnxTrunk(g *onnx.Graph, planes onnx.Value) onnx.Value {
	x := g.Relu(onnxConvNorm(g, planes, "stem.conv", "stem.bn"))
	for b := range r.blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := g.Relu(onnxConvNorm(g, x, name+"conv1", name+"bn1"))
		x = g.Relu(g.Add(onnxConvNorm(g, y, name+"conv2", name+"bn2"), x, name+"add"))
	}
	return x
}

// onnxFlat adds the first convolution of a head.
func onnxFlat(g *onnx.Graph, x onnx.Value, head string) onnx.Value {
	return g.Flatten(g.Relu(onnxConvNorm(g, x, head+".conv", head+".bn")), head+".flat")
}

// onnxValue adds the value after its first convolution.
func onnxValue(g *onnx.Graph, flat onnx.Value) onnx.Value {
	h := g.Relu(g.Linear(flat, "value.fc1", "value.fc1"))
	return g.Squeeze(g.Tanh(g.Linear(h, "value.fc2", "value.fc2"), "value.tanh"), "value")
}
