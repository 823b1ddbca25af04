package model

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
)

// The building blocks of transformers. Their activations are rows of features, [samples·tokens, features] with the
// tokens of a sample one after the other, so that a linear layer is one product of large matrices.

// layerNormEpsilon is PyTorch's.
const layerNormEpsilon = 1e-5

// layerNorm is PyTorch's LayerNorm of each row: (x − mean)/√(biased variance + ε) times a gain plus a bias for each
// feature. It computes in float32.
func (p *Pass) layerNorm(x *Node, name string) *Node { return p.layerNormAs(x, name, layerNormEpsilon) }

func (p *Pass) layerNormAs(x *Node, name string, epsilon float64) *Node {
	g := x.Graph()
	x = ConvertDType(x, dtypes.Float32)
	centred := Sub(x, ReduceAndKeep(x, ReduceMean, 1))
	variance := ReduceAndKeep(Square(centred), ReduceMean, 1)
	y := Div(centred, Sqrt(AddScalar(variance, epsilon)))
	return Add(Mul(y, InsertAxes(p.value(g, name+".weight"), 0)), InsertAxes(p.value(g, name+".bias"), 0))
}

// gelu is x·Φ(x) with the distribution function Φ of the normal distribution, which is what PyTorch's nn.GELU() means;
// its tanh approximation is another function (Hendrycks and Gimpel, Gaussian Error Linear Units).
func gelu(x *Node) *Node { return activation.Gelu(x) }

// attention is multi-head attention of each token over all tokens of its sample, without a mask (Vaswani and others,
// Attention Is All You Need): x [n·tokens, d] → [n·asked, d], the answers to the first tokens of each sample. One
// linear layer, name.qkv, makes queries, keys and values, in this order, with the features of a head side by side;
// another one, name.out, follows.
//
// Rows are sorted by head once, so that each head of a sample is a run of memory and the products of all of them one
// call.
func (p *Pass) attention(x *Node, name string, n, heads, asked int) *Node {
	tokens, d := x.Shape().Dim(0)/n, x.Shape().Dim(1)
	qkv := p.low(p.linear(x, name+".qkv"))
	sorted := TransposeAllAxes(Reshape(qkv, n, tokens, 3, heads, d/heads), 2, 0, 3, 1, 4)
	y := p.attend(Reshape(sorted, 3, n*heads, tokens, d/heads), asked)
	y = TransposeAllAxes(Reshape(y, n, heads, asked, d/heads), 0, 2, 1, 3)
	return p.linear(Reshape(y, n*asked, d), name+".out")
}

// attend is softmax(q·kᵀ/√d)·v of queries, keys and values [3, B, tokens, d]: [B, asked, d].
//
// The gradient is written out. The one that GoMLX derives turns two matrices of tokens·tokens numbers for each head and
// recomputes the softmax: a step took a tenth to a sixth more processor time on the Go backend, and more on XLA.
func (p *Pass) attend(qkv *Node, asked int) *Node {
	y, weights := p.attended(StopGradient(qkv), asked)
	if !p.Train {
		return y
	}
	// A term that is zero, queries minus themselves, carries the gradient.
	carrier := IdentityWithCustomGradient(qkv, func(_, adjoint *Node) *Node {
		return attendGradient(StopGradient(qkv), StopGradient(weights), attendPart(adjoint, 0, asked))
	})
	return Add(y, Sub(attendPart(carrier, 0, asked), attendPart(StopGradient(qkv), 0, asked)))
}

// attendPart are the first tokens of queries, keys or values, [B, count, d].
func attendPart(qkv *Node, part, count int) *Node {
	return Squeeze(Slice(qkv, AxisElem(part), AxisRange(), AxisRange(0, count)), 0)
}

// attended returns the answers, and the weights [B, asked, tokens].
func (p *Pass) attended(qkv *Node, asked int) (y, weights *Node) {
	tokens, d := qkv.Shape().Dim(2), qkv.Shape().Dim(3)
	queries := MulScalar(attendPart(qkv, 0, asked), 1/math.Sqrt(float64(d)))
	scores := DotGeneral(queries, []int{2}, []int{0}, attendPart(qkv, 1, tokens), []int{2}, []int{0})
	scores = ConvertDType(scores, dtypes.Float32)
	p.watch(scores)
	weights = Softmax(scores, 2)
	return DotGeneral(p.low(weights), []int{2}, []int{0}, attendPart(qkv, 2, tokens), []int{1}, []int{0}), weights
}

// attendGradient is the gradient by queries, keys and values, of which that of the answers is dy [B, asked, d]. With
// weights P and scores S
//
//	dV = Pᵀ·dY   dP = dY·Vᵀ   dS = P∘(dP − Σ over keys P∘dP)/√d   dQ = dS·K   dK = dSᵀ·Q
func attendGradient(qkv, weights, dy *Node) *Node {
	tokens, d, asked := qkv.Shape().Dim(2), qkv.Shape().Dim(3), dy.Shape().Dim(1)
	low := func(x *Node) *Node { return ConvertDType(x, qkv.DType()) }
	times := func(a, b *Node, of int) *Node { return DotGeneral(a, []int{2}, []int{0}, b, []int{of}, []int{0}) }
	turned := func(x *Node) *Node { return TransposeAllAxes(x, 0, 2, 1) }
	dp := ConvertDType(times(dy, attendPart(qkv, 2, tokens), 2), dtypes.Float32)
	ds := Mul(weights, Sub(dp, ReduceAndKeep(Mul(weights, dp), ReduceSum, 2)))
	ds = low(MulScalar(ds, 1/math.Sqrt(float64(d))))
	dq := times(ds, attendPart(qkv, 1, tokens), 1)
	if asked < tokens {
		dq = Pad(dq, ScalarZero(dq.Graph(), dq.DType()), PadAxis{}, PadAxis{End: tokens - asked}, PadAxis{})
	}
	// Turned are queries and gradients, not the larger weights.
	dk := turned(times(turned(attendPart(qkv, 0, asked)), ds, 1))
	dv := turned(times(turned(dy), low(weights), 1))
	return Stack([]*Node{dq, dk, dv}, 0)
}

// firstRows are the first rows of each of n samples: [n·tokens, d] → [n·count, d].
func firstRows(x *Node, n, count int) *Node {
	tokens, d := x.Shape().Dim(0)/n, x.Shape().Dim(1)
	if tokens == count {
		return x
	}
	return Reshape(Slice(Reshape(x, n, tokens, d), AxisRange(), AxisRange(0, count)), n*count, d)
}
