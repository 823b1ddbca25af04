package train

import (
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// Constants of PyTorch's AdamW.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// sgdMomentum is that of all published trainings of AlphaZero's kind.
const sgdMomentum = 0.9

// hyper are the numbers of an update that change from step to step, in the order of the graph's input [5]. They are
// computed here in float64: as powers in a float32 graph the corrections would be off in the fourth digit for the first
// steps.
//
// The fourth is the weight of the new weights in their average, 1 − min(EMA, (1+t)/(10+t)): the cap lets the average
// forget the initial weights, as TensorFlow's ExponentialMovingAverage does it. The last one is the learning rate.
func hyper(c run.Config, step int64, lr float64) []float32 {
	t := float64(step + 1)
	return []float32{
		float32(lr / (1 - math.Pow(beta1, t))),
		float32(1 / math.Sqrt(1-math.Pow(beta2, t))),
		float32(1 - lr*c.WeightDecay),
		float32(1 - min(c.EMA, (1+t)/(10+t))),
		float32(lr),
	}
}

// trainable lists the trainable parameters in the order of gradients.
func trainable(store *model.Store) []model.Param {
	return slices.DeleteFunc(slices.Clone(store.Params()), func(p model.Param) bool { return !p.Trainable() })
}

// gradients are those of the trainable parameters.
func gradients(store *model.Store, loss *Node) []*Node {
	var values []*Node
	for _, p := range trainable(store) {
		values = append(values, store.GetVariable("/"+p.Name).NodeValue(loss.Graph()))
	}
	return Gradient(loss, values...)
}

// update updates all trainable parameters and their averages, and returns the global norm of the gradient before
// clipping. AdamW is
//
//	w ← (1 − lr·decay)·w − lr/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε)     (Loshchilov and Hutter, as in PyTorch)
//
// and SGD, whose decay is part of the gradient,
//
//	m ← 0.9·m + grad + decay·w;  w ← w − lr·m     (torch.optim.SGD with momentum=0.9)
//
// GoMLX's own Adam is not used: it decays every tensor, has no clipping by global norm, and computes 1 − βᵗ in float32.
func update(c run.Config, store *model.Store, grads []*Node, hyper *Node) (norm *Node) {
	g := hyper.Graph()
	var vectors []*Node // all in one sum: on a GPU a kernel for each takes longer than its work
	square := ScalarZero(g, dtypes.Float32)
	for _, grad := range grads {
		if grad.Rank() == 1 {
			vectors = append(vectors, grad)
		} else {
			square = Add(square, ReduceAllSum(Square(grad)))
		}
	}
	if vectors != nil {
		square = Add(square, ReduceAllSum(Square(Concatenate(vectors, 0))))
	}
	norm = Sqrt(square)
	if c.Clip > 0 { // as PyTorch's clip_grad_norm_
		factor := MinScalar(Div(Scalar(g, norm.DType(), c.Clip), AddScalar(norm, 1e-6)), 1.0)
		for i := range grads {
			grads[i] = Mul(grads[i], factor)
		}
	}
	smallest := epsilon
	if c.Epsilon > 0 {
		smallest = c.Epsilon
	}
	var kernels, momenta, directions []*Node
	for i, p := range trainable(store) {
		if usesMuon(c, p) {
			kernels = append(kernels, grads[i])
			momenta = append(momenta, store.GetVariable("/"+firstMomentPrefix+p.Name).NodeValue(g))
		}
	}
	momenta, directions = muon(kernels, momenta)
	rate, correction, shrink, fresh := at(hyper, 0), at(hyper, 1), at(hyper, 2), at(hyper, 3)
	for i, p := range trainable(store) {
		variable := store.GetVariable("/" + p.Name)
		first := store.GetVariable("/" + firstMomentPrefix + p.Name)
		w := variable.NodeValue(g)
		decays := c.WeightDecay > 0 && (c.Decay == recipe.DecayAll || p.Kind == model.Weight)
		var m, step *Node
		switch {
		case c.Optimizer == recipe.SGD:
			grad := grads[i]
			if decays {
				grad, decays = Add(grad, MulScalar(w, c.WeightDecay)), false
			}
			m = Add(MulScalar(first.NodeValue(g), sgdMomentum), grad)
			step = Mul(m, at(hyper, 4))
		case usesMuon(c, p):
			m, step = momenta[0], Mul(directions[0], at(hyper, 4))
			momenta, directions = momenta[1:], directions[1:]
		default:
			second := store.GetVariable("/" + secondMomentPrefix + p.Name)
			m = Add(MulScalar(first.NodeValue(g), beta1), MulScalar(grads[i], 1-beta1))
			v := Add(MulScalar(second.NodeValue(g), beta2), MulScalar(Square(grads[i]), 1-beta2))
			second.SetNodeValue(v)
			step = Div(Mul(m, rate), AddScalar(Mul(Sqrt(v), correction), smallest))
		}
		first.SetNodeValue(m)
		if decays {
			w = Mul(w, shrink)
		}
		w = Sub(w, step)
		variable.SetNodeValue(w)
		if c.EMA > 0 {
			average := store.GetVariable("/" + averagePrefix + p.Name)
			old := average.NodeValue(g)
			average.SetNodeValue(Add(old, Mul(Sub(w, old), fresh)))
		}
	}
	return norm
}

func at(vector *Node, i int) *Node { return Reshape(Slice(vector, AxisElem(i))) }
