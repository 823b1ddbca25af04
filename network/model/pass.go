package model

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"talbot/encode"
)

// Pass is one building of a network's graph.
type Pass struct {
	Store *Store
	Conv  ConvAlgorithm
	Train bool // batch statistics and dropout; running statistics are updated
	// Losses lets Forward return, after the heads, scalars of the weights that Loss needs for terms over [Once].
	Losses bool
	Key    *Node // uint32[2], the random key of this step; without one nothing is dropped

	// Prefix is put before the names of the parameters and statistics that are used: "" the trained ones, or one that
	// [Store.AddCopies] was given.
	Prefix string
	// Momentum, a float32 scalar, is the weight of the batch's statistics in the running ones; nil = 0.1, PyTorch's.
	// With 1/k for the k-th of several batches the running statistics become the plain means over them.
	Momentum *Node

	// OnesSums lets normalisations with [Winograd] sum by products with ones in training, which is fast on XLA, and
	// Turn lets convolutions turn what the gradient of a kernel sums up, which is fast on go.
	OnesSums, Turn bool
	// OneReading lets normalisations find mean and variance, and both sums of the gradient, in one reading of the
	// activations each, which is fast on a GPU. The variance is less exact in float32 if numbers are added one by one.
	OneReading bool

	// BFloat16 lets convolutions and matrix products compute in bfloat16, and keeps the activations of the trunk in it.
	// Parameters, statistics, biases and what the network returns stay float32. It needs Native.
	BFloat16 bool

	// Float64 computes everything in float64, to compare others with. The statistics stay float32. It is known by
	// [TalbotBot].
	Float64 bool

	// Watch makes NotFinite: a ReLU of NaN is 0 and a tanh of it may be −1, so what the network returns does not tell
	// whether it could compute it.
	Watch bool
	// NotFinite, a float32 scalar, is NaN once what a ReLU or tanh was given was NaN or infinite, else 0; set by
	// Forward.
	NotFinite *Node

	draws uint32 // dropout layers so far: each has its own stream
}

// value returns a parameter's value in this graph.
func (p *Pass) value(g *Graph, name string) *Node {
	return p.full(p.variable(name).NodeValue(g))
}

// full is x in the type of parameters, statistics and what the network returns.
func (p *Pass) full(x *Node) *Node {
	if p.Float64 {
		return ConvertDType(x, dtypes.Float64)
	}
	return ConvertDType(x, dtypes.Float32)
}

func (p *Pass) variable(name string) *model.Variable {
	v := p.Store.GetVariable("/" + p.Prefix + name)
	if v == nil {
		panic("model: no parameter " + p.Prefix + name)
	}
	return v
}

// low is x in the type that products compute in.
func (p *Pass) low(x *Node) *Node {
	if p.BFloat16 {
		return ConvertDType(x, dtypes.BFloat16)
	}
	return x
}

// convolve is a convolution without bias, of input planes, which are mostly 0, or of activations with a 1×1 kernel.
func (p *Pass) convolve(x *Node, name string) *Node {
	if p.Conv == Im2col && !p.Store.IsTraining(x.Graph()) {
		kernel, side := p.bakedKernel(x.Graph(), name+".weight")
		return patches(x, kernel, side)
	}
	return p.Conv.Convolve(p.low(x), p.low(p.value(x.Graph(), name+".weight")))
}

// convolveDense is convolve of activations after the first layer, few of which are 0: with [Winograd], 3×3 kernels go
// by Winograd's algorithm.
func (p *Pass) convolveDense(x *Node, name string) *Node {
	if p.Conv != Winograd {
		return p.convolve(x, name)
	}
	return p.Conv.ConvolveDense(x, p.value(x.Graph(), name+".weight"), p.Turn)
}

// convolveBias is convolveDense with a bias for each channel.
func (p *Pass) convolveBias(x *Node, name string) *Node {
	return p.addBias(p.convolveDense(x, name), name)
}

// addBias adds the bias of each channel.
func (p *Pass) addBias(y *Node, name string) *Node {
	return Add(y, p.Conv.perSample(InsertAxes(p.low(p.value(y.Graph(), name+".bias")), 0)))
}

// linear is x·Wᵀ + b, float32: x [N, in] → [N, out].
func (p *Pass) linear(x *Node, name string) *Node {
	g := x.Graph()
	y := DotGeneral(p.low(x), []int{1}, nil, p.low(p.value(g, name+".weight")), []int{1}, nil)
	return Add(p.full(y), InsertAxes(p.value(g, name+".bias"), 0))
}

// squares is the sum of the squares of all weights of convolutions and linear layers among some parameters. Rows are
// summed first: one sum of millions of squares, added one by one in float32, has only four right digits.
func (p *Pass) squares(g *Graph, params []Param) *Node {
	sum := ScalarZero(g, dtypes.Float32)
	for _, param := range params {
		if param.Kind == Weight {
			sum = Add(sum, ReduceAllSum(ReduceSum(Square(p.value(g, param.Name)), -1)))
		}
	}
	return sum
}

// watch adds x to NotFinite.
func (p *Pass) watch(x *Node) *Node {
	if !p.Watch {
		return x
	}
	sum := ReduceAllSum(Sub(x, x)) // 0, or NaN for NaN and the infinities
	if p.NotFinite != nil {
		sum = Add(sum, p.NotFinite)
	}
	p.NotFinite = sum
	return x
}

// relu has gradient 0 at 0, as PyTorch's.
func (p *Pass) relu(x *Node) *Node {
	p.watch(x)
	zero := ScalarZero(x.Graph(), x.DType())
	return Where(GreaterThan(x, zero), x, ZerosLike(x))
}

// bernoulli returns float32 numbers of the shape, 0 with probability rate and 1/(1−rate) otherwise.
func (p *Pass) bernoulli(index *Node, rate float64) *Node {
	return MulScalar(ConvertDType(p.keep(index, rate), dtypes.Float32), 1/(1-rate))
}

// keep is false with probability rate. Element i of index (uint32, any shape) gets the i-th number of this layer's
// stream.
//
// The stream is a hash of (key, layer, i): two rounds of the 32-bit finaliser of MurmurHash3, one per key word. It is
// ours, and not the backends' generators, because those differ from one another: the same seed shall drop the same
// channels on every backend, and the generator has no state to save but the step.
func (p *Pass) keep(index *Node, rate float64) *Node {
	p.draws++
	layer := p.draws * 0x9E3779B9
	k0, k1 := Reshape(Slice(p.Key, AxisElem(0))), Reshape(Slice(p.Key, AxisElem(1)))
	h := mix(BitwiseXor(Add(index, Scalar(index.Graph(), dtypes.Uint32, layer)), k0))
	h = mix(BitwiseXor(h, k1))
	u := ConvertDType(BitwiseShiftRightLogicalScalar(h, 8), dtypes.Float32) // 24 bits: exact in float32
	return GreaterOrEqual(u, Scalar(u.Graph(), dtypes.Float32, rate*(1<<24)))
}

func mix(h *Node) *Node {
	h = BitwiseXor(h, BitwiseShiftRightLogicalScalar(h, 16))
	h = MulScalar(h, uint32(0x85EBCA6B))
	h = BitwiseXor(h, BitwiseShiftRightLogicalScalar(h, 13))
	h = MulScalar(h, uint32(0xC2B2AE35))
	return BitwiseXor(h, BitwiseShiftRightLogicalScalar(h, 16))
}

func (p *Pass) drops(rate float64) bool { return p.Train && p.Key != nil && rate > 0 }

// TransformInput shows whole samples otherwise with probability rate: packed is [N, words] uint64.
func (p *Pass) TransformInput(packed *Node, d *encode.InputTransform, rate float64) *Node {
	if !p.drops(rate) {
		return packed
	}
	n, words := packed.Shape().Dim(0), packed.Shape().Dim(1)
	keep := p.keep(IotaFull(packed.Graph(), shapes.Make(dtypes.Uint32, n, 1)), rate)
	and, xor := make([]uint64, words), make([]uint64, words)
	for i := range and {
		and[i] = ^uint64(0)
	}
	copy(and, d.And)
	copy(xor, d.Xor)
	row := func(words []uint64) *Node {
		return BroadcastToShape(Const(packed.Graph(), [][]uint64{words}), packed.Shape())
	}
	return Where(BroadcastToDims(keep, n, words), packed, BitwiseXor(BitwiseAnd(packed, row(and)), row(xor)))
}

// dropout zeroes single features: x is [N, features].
func (p *Pass) dropout(x *Node, rate float64) *Node {
	if !p.drops(rate) {
		return x
	}
	index := IotaFull(x.Graph(), shapes.Make(dtypes.Uint32, x.Shape().Dimensions...))
	return Mul(x, p.bernoulli(index, rate))
}

// dropChannels zeroes whole channels of single samples (PyTorch's Dropout2d). Sample n and channel c use number
// n·channels + c of the stream in every layout.
func (p *Pass) dropChannels(x *Node, rate float64) *Node {
	if !p.drops(rate) {
		return x
	}
	n, c := x.Shape().Dim(p.Conv.batchAxis()), x.Shape().Dim(channelAxis)
	index := IotaFull(x.Graph(), shapes.Make(dtypes.Uint32, n, c))
	return Mul(x, ConvertDType(p.bernoulli(p.Conv.perSample(index), rate), x.DType()))
}
