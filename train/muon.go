package train

import (
	"math"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// Constants of Muon: the published implementation's.
const (
	muonMomentum = 0.95
	muonRounds   = 5
	muonShare    = 0.2 // root mean square of an update at learning rate 1, about that of AdamW's
)

// muonFactors are those of the polynomial aX + bXXᵀX + c(XXᵀ)²X, whose repetition moves singular values near 1.
var muonFactors = [3]float64{3.4445, -4.7750, 2.0315}

// usesMuon reports whether a parameter is updated by Muon: with that optimizer the weights of blocks and encoders.
// First and last layers, biases and normalisations are left to AdamW, as published.
func usesMuon(c run.Config, p model.Param) bool {
	block, encoder := strings.HasPrefix(p.Name, "blocks."), strings.HasPrefix(p.Name, "encoders.")
	return c.Optimizer == recipe.Muon && p.Kind == model.Weight && len(p.Shape) > 1 && (block || encoder)
}

// optimizerTensors are the names of what the optimizer keeps for a parameter.
func optimizerTensors(c run.Config, p model.Param) []string {
	if usesMuon(c, p) || c.Optimizer == recipe.SGD {
		return []string{firstMomentPrefix + p.Name}
	}
	return []string{firstMomentPrefix + p.Name, secondMomentPrefix + p.Name}
}

// muon returns the new momentum and the direction of an update, with the weights as a matrix [rows, columns]:
//
//	m ← β·m + (1 − β)·grad;  x = (1 − β)·grad + β·m;  direction = 0.2·√(max(rows, columns))·orthogonal(x)
//
// Sources: Jordan and others, Muon: An optimizer for hidden layers in neural networks (2024), for momentum and
// iteration; Liu and others, Muon is Scalable for LLM Training (2025), for the factor, by which learning rate and
// weight decay are AdamW's.
func muon(grad, m *Node) (momentum, direction *Node) {
	shape := grad.Shape().Dimensions
	mix := func(a, b *Node) *Node { return Add(MulScalar(a, 1-muonMomentum), MulScalar(b, muonMomentum)) }
	momentum = mix(grad, m)
	columns := grad.Shape().Size() / shape[0]
	x := orthogonal(Reshape(mix(grad, momentum), shape[0], columns))
	return momentum, Reshape(MulScalar(x, muonShare*math.Sqrt(float64(max(shape[0], columns)))), shape...)
}

// orthogonal returns a matrix with the singular vectors of x and singular values near 1, from about 0.7 to 1.2, by
// Newton and Schulz's iteration.
func orthogonal(x *Node) *Node {
	if d := x.Shape().Dimensions; d[0] > d[1] {
		return Transpose(orthogonal(Transpose(x, 0, 1)), 0, 1)
	}
	x = Div(x, AddScalar(Sqrt(ReduceAllSum(Square(x))), 1e-7))
	a, b, c := muonFactors[0], muonFactors[1], muonFactors[2]
	for range muonRounds {
		square := DotGeneral(x, []int{1}, nil, x, []int{1}, nil) // XXᵀ
		fourth := DotGeneral(square, []int{1}, nil, square, []int{0}, nil)
		y := Add(MulScalar(square, b), MulScalar(fourth, c))
		x = Add(MulScalar(x, a), DotGeneral(y, []int{1}, nil, x, []int{0}, nil))
	}
	return x
}
