package model

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
	"talbot/network/onnx"
)

// Probability is the network of the recipe probability, 32,148 parameters with 128 hidden units:
//
//	linear 101→H, sigmoid, linear H→H, sigmoid, linear H→20
//
// First weights are Keras's. The loss is the cross-entropy over the 20 candidates and L2 times the sum of the squares
// of all weights, biases aside, whose gradient is 2·L2·w.
//
// Source: chess-deep-learning.
type Probability struct {
	Hidden int     `json:"hidden"` // units of either hidden layer
	L2     float64 `json:"l2"`     // of the weights, at least 0
}

// Validate checks the settings.
func (n Probability) Validate() error {
	return cmp.Or(within("hidden", n.Hidden, 1, 1<<14), l2(n.L2))
}

// String is such as "2 layers of 128 units".
func (n Probability) String() string { return fmt.Sprintf("2 layers of %d units", n.Hidden) }

// Params lists the three layers.
func (n Probability) Params() []Param {
	var l layers
	l.linear("fc1", n.Hidden, encode.ProbabilityNumbers)
	l.linear("fc2", n.Hidden, n.Hidden)
	l.linear("out", encode.ProbabilityMoves, n.Hidden)
	return l.keras()
}

// Unpack makes the 101 numbers [N, 101] of inputs as [encode.Probability.Pack] writes them.
func (Probability) Unpack(_ ConvAlgorithm, packed *Node) *Node {
	g, n := packed.Graph(), packed.Shape().Dim(0)
	var lanes []*Node
	for i := range 4 {
		lane := BitwiseAnd(BitwiseShiftRightLogicalScalar(packed, 16*i), uint64s(g, 0xffff))
		lanes = append(lanes, InsertAxes(lane, 2))
	}
	x := Reshape(Concatenate(lanes, 2), n, 4*encode.ProbabilityWords)
	x = ConvertDType(Slice(x, AxisRange(), AxisRange(0, encode.ProbabilityNumbers)), dtypes.Float64)
	divisors, offsets := make([]float64, encode.ProbabilityNumbers), make([]float64, encode.ProbabilityNumbers)
	for i := range divisors {
		switch {
		case i < encode.ProbabilityMoves:
			divisors[i] = math.MaxUint16
		case i < encode.ProbabilityNumbers-1:
			divisors[i], offsets[i] = math.MaxInt16, -1
		default:
			divisors[i], offsets[i] = encode.ProbabilityRating, -1
		}
	}
	wide := []int{n, encode.ProbabilityNumbers}
	x = Add(Div(x, BroadcastToDims(Const(g, [][]float64{divisors}), wide...)),
		BroadcastToDims(Const(g, [][]float64{offsets}), wide...))
	return ConvertDType(x, dtypes.Float32)
}

// Heads are the logits of the candidates.
func (Probability) Heads() []Head {
	return []Head{{"logits", []int{encode.ProbabilityMoves},
		"of the candidates, the most probable by their priors first"}}
}

// Forward takes the 101 numbers.
func (n Probability) Forward(p *Pass, x *Node) []*Node {
	x = Sigmoid(p.linear(x, "fc1"))
	x = Sigmoid(p.linear(x, "fc2"))
	heads := []*Node{p.linear(p.watch(x), "out")}
	if p.Losses {
		heads = append(heads, p.squares(x.Graph(), n.Params()))
	}
	return heads
}

// Terms are the cross-entropy, the squares of the weights, and how often the first candidate is the target.
func (n Probability) Terms() []Term { return Prior{L2: n.L2}.Terms() }

// Loss sums up the terms. The softmax is over all 20, also where there are fewer candidates.
func (Probability) Loss(heads []*Node, b Batch) []Sum { return Prior{}.Loss(heads, b) }

// Outputs gives priors: of what is no candidate none.
func (Probability) Outputs(heads []*Node, legal *Node) Outputs {
	g, n := heads[0].Graph(), heads[0].Shape().Dim(0)
	none := BroadcastToDims(Scalar(g, dtypes.Float32, never), n, 1)
	return Outputs{Prior: IndexedOutputs(Concatenate([]*Node{heads[0], none}, 1), legal).Prior}
}

// ONNX adds the network: numbers to logits.
func (n Probability) ONNX(g *onnx.Graph) []onnx.Value {
	x := g.Input("numbers", "20 priors, 20 times the values at depths 1, 3, 7 and 10, the rating / 1500 - 1",
		encode.ProbabilityNumbers)
	x = g.Sigmoid(g.Linear(x, "fc1", "fc1"), "fc1.sigmoid")
	x = g.Sigmoid(g.Linear(x, "fc2", "fc2"), "fc2.sigmoid")
	return []onnx.Value{g.Linear(x, "out", "logits")}
}

// Cost counts products, and what is kept for the gradients.
func (n Probability) Cost(ConvAlgorithm) Cost {
	h, in, out := n.Hidden, encode.ProbabilityNumbers, encode.ProbabilityMoves
	return Cost{float64(2 * (in*h + h*h + h*out)), int64(2*in + 6*h + 5*out)}
}
