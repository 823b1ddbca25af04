package model

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
)

// Napoleon is the network of the recipe napoleon: three blocks with squeeze and excitation and a value head, 162,595
// trainable parameters. It has no settings.
//
//	excite(x)  x flattened, linear 2176→16, linear 16→34; every channel of x times its number
//	block 1    norm, excite with tanh, + input, tanh, norm
//	blocks 2, 3  conv 3×3, ReLU, norm, excite with ReLU and a norm after each, + input, ReLU, norm
//	value      flattened, linear 2176→16, ReLU, norm, linear 16→1, tanh
//
// Source: the README of Sugethan/Napoleon. What it does not say is Keras's: first weights, the constants of the
// normalisations. Flattened is channel-major as everywhere here, and square-major in Keras; all weights of a layer
// begin with the same distribution, so that is the same network.
type Napoleon struct{}

// Validate returns nil.
func (Napoleon) Validate() error { return nil }

// String says what there is of it.
func (Napoleon) String() string { return "3 blocks of 34 filters" }

const (
	napoleonFlat   = 64 * encode.NapoleonPlanes
	napoleonHidden = 16
)

// Params lists the blocks and the head.
func (Napoleon) Params() []Param {
	var l layers
	const c = encode.NapoleonPlanes
	for block := 1; block <= 3; block++ {
		name := fmt.Sprintf("block%d.", block)
		if block > 1 {
			l.conv(name+"conv", c, c, 3)
			l.bias(name+"conv", c, 9*c)
		}
		l.norm(name+"bn1", c)
		l.linear(name+"se.fc1", napoleonHidden, napoleonFlat)
		l.linear(name+"se.fc2", c, napoleonHidden)
		if block > 1 {
			l.norm(name+"se.bn1", napoleonHidden)
			l.norm(name+"se.bn2", c)
		}
		l.norm(name+"bn2", c)
	}
	l.linear("value.fc1", napoleonHidden, napoleonFlat)
	l.norm("value.bn", napoleonHidden)
	l.linear("value.fc2", 1, napoleonHidden)
	return l.keras()
}

// Heads are the value alone.
func (Napoleon) Heads() []Head {
	return []Head{{"value", nil, "in [-1, 1]; +1 = the side to move is ten pawns ahead"}}
}

// Forward takes the 34 planes.
func (Napoleon) Forward(p *Pass, x *Node) []*Node {
	x = p.napoleonFirst(x)
	for block := 2; block <= 3; block++ {
		name := fmt.Sprintf("block%d.", block)
		y := p.normAs(kerasNorm, p.relu(p.convolveBias(x, name+"conv")), name+"bn1")
		h := p.normAs(kerasNorm, p.relu(p.linear(p.Conv.Flatten(y), name+"se.fc1")), name+"se.bn1")
		gate := p.normAs(kerasNorm, p.relu(p.linear(h, name+"se.fc2")), name+"se.bn2")
		x = p.normAs(kerasNorm, p.relu(Add(p.excite(y, gate), x)), name+"bn2")
	}
	h := p.normAs(kerasNorm, p.relu(p.linear(p.Conv.Flatten(x), "value.fc1")), "value.bn")
	value := Tanh(p.watch(p.linear(h, "value.fc2")))
	return []*Node{Reshape(value, value.Shape().Dim(0))}
}

// napoleonFirst is the first block.
func (p *Pass) napoleonFirst(x *Node) *Node {
	x = p.low(x)
	y := p.normAs(kerasNorm, x, "block1.bn1")
	h := Tanh(p.watch(p.linear(p.Conv.Flatten(y), "block1.se.fc1")))
	gate := Tanh(p.watch(p.linear(h, "block1.se.fc2")))
	return p.normAs(kerasNorm, Tanh(p.watch(Add(p.excite(y, gate), x))), "block1.bn2")
}

// excite multiplies every channel of activations by its number in gate, [N, channels].
func (p *Pass) excite(x, gate *Node) *Node {
	return Mul(x, ConvertDType(p.Conv.perSample(gate), x.DType()))
}

// Terms are the value's.
func (Napoleon) Terms() []Term { return []Term{{Name: "value_mse", Weight: 1, Over: Float(0)}} }

// Loss sums up the squared error.
func (Napoleon) Loss(heads []*Node, b Batch) []Sum { return []Sum{{Shown: valueSum(heads[0], b, 0)}} }

// Outputs gives the value.
func (Napoleon) Outputs(heads []*Node, _ *Node) Outputs { return Outputs{Value: heads[0]} }

// Cost counts ten activations of the first block and twelve of each of the others; with Winograd what the inputs of
// their convolutions become as well.
func (n Napoleon) Cost(conv ConvAlgorithm) Cost {
	floats := int64(napoleonFlat * (10 + 2*12))
	if conv == Winograd {
		floats += 2 * napoleonFlat * 144 / 64
	}
	return Cost{convolutional(n.Params()), floats}
}
