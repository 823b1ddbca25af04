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
func (p *Pass) layerNorm(x *Node, name string) *Node {
	g := x.Graph()
	x = ConvertDType(x, dtypes.Float32)
	centred := Sub(x, ReduceAndKeep(x, ReduceMean, 1))
	variance := ReduceAndKeep(Square(centred), ReduceMean, 1)
	y := Div(centred, Sqrt(AddScalar(variance, layerNormEpsilon)))
	return Add(Mul(y, InsertAxes(p.value(g, name+".weight"), 0)), InsertAxes(p.value(g, name+".bias"), 0))
}

// gelu is x·Φ(x) with the distribution function Φ of the normal distribution, which is what PyTorch's nn.GELU() means;
// its tanh approximation is another function (Hendrycks and Gimpel, Gaussian Error Linear Units).
func gelu(x *Node) *Node { return activation.Gelu(x) }

// attention is multi-head attention of each token over all tokens of its sample, without a mask (Vaswani and others,
// Attention Is All You Need): x [n·tokens, d] → [n·asked, d], the answers to the first tokens of each sample. One linear
// layer, name.qkv, makes queries, keys and values, in this order, with the features of a head side by side; another one,
// name.out, follows.
//
// Rows are sorted by head once, so that each head of a sample is a run of memory and the products of all of them one
// call.
func (p *Pass) attention(x *Node, name string, n, heads, asked int) *Node {
	tokens, d := x.Shape().Dim(0)/n, x.Shape().Dim(1)
	qkv := p.low(p.linear(x, name+".qkv"))
	sorted := TransposeAllAxes(Reshape(qkv, n, tokens, 3, heads, d/heads), 2, 0, 3, 1, 4)
	part := func(i, tokens int) *Node {
		return Reshape(Slice(sorted, AxisElem(i), AxisRange(), AxisRange(), AxisRange(0, tokens)), n*heads, tokens,
			d/heads)
	}
	queries := MulScalar(part(0, asked), 1/math.Sqrt(float64(d/heads)))
	scores := DotGeneral(queries, []int{2}, []int{0}, part(1, tokens), []int{2}, []int{0})
	scores = ConvertDType(scores, dtypes.Float32)
	p.watch(scores)
	weights := p.low(Softmax(scores, 2))
	y := DotGeneral(weights, []int{2}, []int{0}, part(2, tokens), []int{1}, []int{0}) // [n·heads, asked, d/heads]
	y = TransposeAllAxes(Reshape(y, n, heads, asked, d/heads), 0, 2, 1, 3)
	return p.linear(Reshape(y, n*asked, d), name+".out")
}

// firstRows are the first rows of each of n samples: [n·tokens, d] → [n·count, d].
func firstRows(x *Node, n, count int) *Node {
	tokens, d := x.Shape().Dim(0)/n, x.Shape().Dim(1)
	if tokens == count {
		return x
	}
	return Reshape(Slice(Reshape(x, n, tokens, d), AxisRange(), AxisRange(0, count)), n*count, d)
}
