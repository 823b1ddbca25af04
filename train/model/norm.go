package model

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Constants of PyTorch's BatchNorm2d.
const (
	normEpsilon  = 1e-5
	normMomentum = 0.1
)

// norm is a batch normalisation over samples and squares of each channel.
//
// In training it uses the batch's mean and biased variance and moves the running statistics: running =
// 0.9·running + 0.1·batch, with the unbiased variance, as PyTorch does ([Pass].Momentum may say otherwise). Otherwise
// it uses the running statistics. Everything within is float32, whatever type the activations have. It is written from
// mean, variance, Sqrt and Div since the Go backend has neither a batch normalisation for training nor a gradient of
// Rsqrt.
func (p *Pass) norm(x *Node, name string) *Node {
	g := x.Graph()
	gain, bias := p.perChannel(p.value(g, name+".weight")), p.perChannel(p.value(g, name+".bias"))
	mean, variance := p.perChannel(p.value(g, name+".running_mean")), p.perChannel(p.value(g, name+".running_var"))
	x = ConvertDType(x, dtypes.Float32)
	if !p.Train {
		scale := Div(gain, Sqrt(AddScalar(variance, normEpsilon)))
		return p.low(Add(Mul(x, scale), Sub(bias, Mul(mean, scale))))
	}
	axes := p.Form.otherAxes()
	mean = ReduceAndKeep(x, ReduceMean, axes...)
	centred := Sub(x, mean)
	variance = ReduceAndKeep(Square(centred), ReduceMean, axes...)
	n := float64(x.Shape().Size() / x.Shape().Dim(p.Form.channelAxis()))
	p.move(name+".running_mean", mean)
	p.move(name+".running_var", MulScalar(variance, n/(n-1)))
	return p.low(Add(Mul(centred, Div(gain, Sqrt(AddScalar(variance, normEpsilon)))), bias))
}

// perChannel reshapes [C] so that it broadcasts over activations.
func (p *Pass) perChannel(x *Node) *Node {
	dims := []int{1, 1, 1, 1}
	dims[p.Form.channelAxis()] = x.Shape().Dim(0)
	return Reshape(x, dims...)
}

func (p *Pass) move(name string, batch *Node) {
	v := p.variable(name)
	old := v.NodeValue(batch.Graph())
	batch = StopGradient(Reshape(batch, old.Shape().Dim(0)))
	if p.Momentum != nil {
		v.SetNodeValue(Add(Mul(old, OneMinus(p.Momentum)), Mul(batch, p.Momentum)))
		return
	}
	v.SetNodeValue(Add(MulScalar(old, 1-normMomentum), MulScalar(batch, normMomentum)))
}
