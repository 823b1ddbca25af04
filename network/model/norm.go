package model

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// normKind are the constants of a batch normalisation: what is added to the variance, the weight of a batch's
// statistics in the running ones, and whether those take the unbiased variance of the batch.
type normKind struct {
	epsilon, momentum float64
	unbiased          bool
}

var (
	pyTorchNorm = normKind{1e-5, 0.1, true}   // of BatchNorm1d and 2d
	kerasNorm   = normKind{1e-3, 0.01, false} // of BatchNormalization
)

// norm is PyTorch's batch normalisation.
func (p *Pass) norm(x *Node, name string) *Node { return p.normAs(pyTorchNorm, x, name) }

// normAs is a batch normalisation over samples and squares of each channel, or over the samples of each feature: x is
// activations in the algorithm's layout, or [N, features].
//
// In training it uses the batch's mean and biased variance and moves the running statistics: running =
// (1−momentum)·running + momentum·batch ([Pass].Momentum may say otherwise). Otherwise it uses the running statistics.
// Everything within is float32, independent of the activations' type. It is written from mean, variance, Sqrt and Div
// since the Go backend has neither a batch normalisation for training nor a gradient of Rsqrt.
func (p *Pass) normAs(kind normKind, x *Node, name string) *Node {
	g := x.Graph()
	channel := x.Rank() - 1
	per := func(part string) *Node {
		v := p.value(g, name+part)
		dims := slices.Repeat([]int{1}, x.Rank())
		dims[channel] = v.Shape().Dim(0)
		return Reshape(v, dims...)
	}
	gain, bias, mean, variance := per(".weight"), per(".bias"), per(".running_mean"), per(".running_var")
	x = p.full(x)
	if !p.Train {
		scale := Div(gain, Sqrt(AddScalar(variance, kind.epsilon)))
		return p.low(Add(Mul(x, scale), Sub(bias, Mul(mean, scale))))
	}
	var y *Node
	switch {
	case p.OnesSums && p.Conv == Winograd && x.Rank() == 4:
		y, mean, variance = normBySums(kind, x, gain, bias, nil)
	case p.OneReading:
		y, mean, variance = normBySums(kind, x, gain, bias, mean)
	default:
		mean = p.batchMean(x)
		centred := Sub(x, mean)
		variance = p.batchMean(Square(centred))
		y = Add(Mul(centred, Div(gain, Sqrt(AddScalar(variance, kind.epsilon)))), bias)
	}
	n := float64(x.Shape().Size() / x.Shape().Dim(channel))
	moved := variance
	if kind.unbiased {
		moved = MulScalar(variance, n/(n-1))
	}
	p.move(kind, name+".running_mean", mean)
	p.move(kind, name+".running_var", moved)
	return p.low(y)
}

// batchMean is the mean of each channel, or feature, over a batch. With Winograd that over the squares comes first: the
// Go backend adds one number after the other, and loses the less the fewer there are.
func (p *Pass) batchMean(x *Node) *Node {
	switch {
	case x.Rank() == 2:
		return ReduceAndKeep(x, ReduceMean, 0)
	case p.Conv == Winograd:
		return ReduceAndKeep(ReduceAndKeep(x, ReduceMean, 0, 1), ReduceMean, 2)
	}
	return ReduceAndKeep(x, ReduceMean, 0, 1, 2)
}

func (p *Pass) move(kind normKind, name string, batch *Node) {
	v := p.variable(name)
	old := v.NodeValue(batch.Graph())
	batch = ConvertDType(StopGradient(Reshape(batch, old.Shape().Dim(0))), old.DType())
	if p.Momentum != nil {
		v.SetNodeValue(Add(Mul(old, OneMinus(p.Momentum)), Mul(batch, p.Momentum)))
		return
	}
	v.SetNodeValue(Add(MulScalar(old, 1-kind.momentum), MulScalar(batch, kind.momentum)))
}

// normBySums is the normalisation by the batch's mean and variance, which it returns as well. All but x are of one
// number a channel. The gradients are written here, as those of identities, so that they take two sums, which XLA finds
// in one reading: that of y is found first.
//
// With shift, the running mean, mean and variance are found in one reading too, from the sums of x−shift and of its
// square. Without, x is activations with [Winograd] on a processor, and sums over samples and squares are products with
// a row of ones: XLA's own sums over all axes but the last read memory with strides there.
func normBySums(kind normKind, x, gain, bias, shift *Node) (y, mean, variance *Node) {
	last := x.Rank() - 1
	channels := x.Shape().Dim(last)
	rows := x.Shape().Size() / channels
	axes := []int{0, 1, 2}[:last]
	sum := func(x *Node) *Node {
		if shift != nil {
			return ReduceAndKeep(x, ReduceSum, axes...)
		}
		ones := BroadcastToDims(ScalarOne(x.Graph(), x.DType()), 1, rows)
		return Reshape(DotProduct(ones, Reshape(x, rows, channels)), 1, 1, 1, channels)
	}
	average := func(sum *Node) *Node { return DivScalar(sum, float64(rows)) }

	var dx, dGain, dBias *Node
	x = IdentityWithCustomGradient(x, func(_, _ *Node) *Node { return dx })
	gain = IdentityWithCustomGradient(gain, func(_, _ *Node) *Node { return dGain })
	bias = IdentityWithCustomGradient(bias, func(_, _ *Node) *Node { return dBias })
	if shift != nil {
		shift = StopGradient(shift)
		off := Sub(x, shift)
		moved := average(sum(off))
		mean = Add(shift, moved)
		variance = Max(Sub(average(sum(Square(off))), Square(moved)), ScalarZero(x.Graph(), x.DType()))
	} else {
		mean = average(sum(x))
		variance = average(sum(Square(Sub(x, mean))))
	}
	centred := Sub(x, mean)
	inverse := Inverse(Sqrt(AddScalar(variance, kind.epsilon)))
	scale := Mul(gain, inverse)
	y = Add(Mul(centred, scale), bias)
	y = IdentityWithCustomGradient(y, func(_, dy *Node) *Node {
		dBias = sum(dy)
		dGain = Mul(sum(Mul(dy, centred)), inverse)
		dx = Mul(Sub(Sub(dy, average(dBias)), Mul(centred, average(Mul(dGain, inverse)))), scale)
		return dy
	})
	return y, mean, variance
}
