package train

import (
	"math"
	"slices"
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

// muon returns the new momenta and the directions of the updates of some parameters, with the weights of each as a
// matrix [rows, columns]:
//
//	m ← β·m + (1 − β)·grad;  x = (1 − β)·grad + β·m;  direction = 0.2·√(max(rows, columns))·orthogonal(x)
//
// Sources: Jordan and others, Muon: An optimizer for hidden layers in neural networks (2024), for momentum and
// iteration; Liu and others, Muon is Scalable for LLM Training (2025), for the factor, by which learning rate and
// weight decay are AdamW's.
func muon(grads, ms []*Node) (momenta, directions []*Node) {
	mix := func(a, b *Node) *Node { return Add(MulScalar(a, 1-muonMomentum), MulScalar(b, muonMomentum)) }
	var matrices []*Node
	for i, grad := range grads {
		rows := grad.Shape().Dim(0)
		momenta = append(momenta, mix(grad, ms[i]))
		matrices = append(matrices, Reshape(mix(grad, momenta[i]), rows, grad.Shape().Size()/rows))
	}
	for i, x := range orthogonal(matrices) {
		x = MulScalar(x, muonShare*math.Sqrt(float64(slices.Max(x.Shape().Dimensions))))
		directions = append(directions, Reshape(x, grads[i].Shape().Dimensions...))
	}
	return momenta, directions
}

// orthogonal returns matrices with the singular vectors of others and singular values near 1, from about 0.7 to 1.2.
// Those of one shape, turned or not, are computed together: alone they are too small for a GPU.
func orthogonal(matrices []*Node) []*Node {
	turned := func(i int, x *Node) *Node {
		if d := matrices[i].Shape().Dimensions; d[0] > d[1] {
			return Transpose(x, 0, 1)
		}
		return x
	}
	wide, list := make([]*Node, len(matrices)), make([]*Node, len(matrices))
	for i, x := range matrices {
		wide[i] = turned(i, x)
	}
	for i, x := range wide {
		if list[i] != nil {
			continue
		}
		var same []int
		var stack []*Node
		for k := i; k < len(wide); k++ {
			if wide[k].Shape().Equal(x.Shape()) {
				same, stack = append(same, k), append(stack, wide[k])
			}
		}
		all := newtonSchulz(Stack(stack, 0))
		for j, k := range same {
			list[k] = turned(k, Squeeze(Slice(all, AxisElem(j)), 0))
		}
	}
	return list
}

// newtonSchulz is the iteration for matrices [matrix, rows, columns] with no more rows than columns.
func newtonSchulz(x *Node) *Node {
	product := func(x, y *Node, axis int) *Node { return DotGeneral(x, []int{2}, []int{0}, y, []int{axis}, []int{0}) }
	x = Div(x, AddScalar(Sqrt(ReduceAndKeep(Square(x), ReduceSum, 1, 2)), 1e-7))
	a, b, c := muonFactors[0], muonFactors[1], muonFactors[2]
	for range muonRounds {
		square := product(x, x, 2) // XXᵀ
		y := Add(MulScalar(square, b), MulScalar(product(square, square, 1), c))
		x = Add(MulScalar(x, a), product(y, x, 1))
	}
	return x
}
