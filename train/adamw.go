package train

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"talbot/train/model"
)

// Constants of PyTorch's AdamW.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

const momentPrefix = "optimizer."

// hyper are the numbers of AdamW that change from step to step, in the order of the graph's input [3]. They are computed
// here in float64: as powers in a float32 graph the corrections would be off in the fourth digit for the first steps.
func hyper(step int64, lr, weightDecay float64) []float32 {
	t := float64(step + 1)
	return []float32{
		float32(lr / (1 - math.Pow(beta1, t))),
		float32(1 / math.Sqrt(1-math.Pow(beta2, t))),
		float32(1 - lr*weightDecay),
	}
}

// adamW updates all trainable parameters and returns the global norm of the gradient before clipping.
//
//	w ← (1 − lr·decay)·w − lr/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε)     (Loshchilov and Hutter, as in PyTorch)
//
// GoMLX's own Adam is not used: it decays every tensor, has no clipping by global norm, and computes 1 − βᵗ in float32.
func adamW(c Config, store *model.Store, loss, hyper *Node) (norm *Node) {
	g := loss.Graph()
	var params []model.Param
	var values []*Node
	for _, p := range store.Params() {
		if p.Trainable() {
			params = append(params, p)
			values = append(values, store.GetVariable("/"+p.Name).NodeValue(g))
		}
	}
	grads := Gradient(loss, values...)
	var square *Node
	for _, grad := range grads {
		s := ReduceAllSum(Square(grad))
		if square == nil {
			square = s
		} else {
			square = Add(square, s)
		}
	}
	norm = Sqrt(square)
	if c.Clip > 0 { // as PyTorch's clip_grad_norm_
		factor := MinScalar(Div(Scalar(g, norm.DType(), c.Clip), AddScalar(norm, 1e-6)), 1.0)
		for i := range grads {
			grads[i] = Mul(grads[i], factor)
		}
	}
	rate, correction, shrink := at(hyper, 0), at(hyper, 1), at(hyper, 2)
	for i, p := range params {
		mVar, vVar := store.GetVariable("/"+momentPrefix+"m."+p.Name), store.GetVariable("/"+momentPrefix+"v."+p.Name)
		m := Add(MulScalar(mVar.NodeValue(g), beta1), MulScalar(grads[i], 1-beta1))
		v := Add(MulScalar(vVar.NodeValue(g), beta2), MulScalar(Square(grads[i]), 1-beta2))
		mVar.SetNodeValue(m)
		vVar.SetNodeValue(v)
		w := values[i]
		if c.WeightDecay > 0 && (c.Decay == DecayAll || p.Kind == model.Weight) {
			w = Mul(w, shrink)
		}
		w = Sub(w, Div(Mul(m, rate), AddScalar(Mul(Sqrt(v), correction), epsilon)))
		store.GetVariable("/" + p.Name).SetNodeValue(w)
	}
	return norm
}

func at(vector *Node, i int) *Node { return Reshape(Slice(vector, AxisElem(i))) }
