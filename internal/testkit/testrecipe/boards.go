package testrecipe

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/board"
	"talbot/encode"
	"talbot/network/model"
)

var notKnown = float32(math.NaN())

// boards reads 12 piece planes, and lists and learns moves as tahl does; its value is win, draw and loss.
type boards struct{ encode.Napoleon }

func (boards) Name() string { return "boards" }

func (boards) Layout() encode.Layout {
	return encode.Layout{Words: 4, Shape: []int{12, 8, 8}, Moves: encode.LegalMoves, Codes: 4,
		Indices: 2 * 64 * 12, Floats: []string{encode.ResultFloat, encode.ValueFloat}}
}

func (boards) Pack(dst []uint64, v *encode.View) { pack(dst, v.Position()) }

func (boards) Unpack(dst []float32, packed []uint64) {
	clear(dst[:12*64])
	for square := range 64 {
		if kind := kindAt(packed, square); kind > 0 {
			dst[64*(kind-1)+square] = 1
		}
	}
}

func (boards) EncodeMove(dst []int32, v *encode.View, m board.Move) {
	encode.Tahl{}.EncodeMove(dst, v, m)
}

func (e boards) Target(dst *encode.Target, v *encode.View, t encode.Targets) bool {
	ok := encode.Tahl{}.Target(dst, v, encode.Targets{Policy: t.Policy}) // the first float is the result
	if value, known := encode.Value(e, t.Value, v.Position(), v.Labels.Value); known {
		dst.Floats[1] = value
	}
	return ok
}

func (e boards) Describe(v *encode.View, _ encode.Targets) any {
	m, ok := v.Played()
	if !ok {
		return nil
	}
	return map[string]string{"played": m.String()}
}

// Boards is a network for it: a convolution, and another one to logits of the bits after the move.
type Boards struct {
	Filters int `json:"filters"`
}

// Validate checks the settings.
func (n Boards) Validate() error { return setting("filters", n.Filters) }

func (n Boards) String() string { return fmt.Sprintf("%d filters", n.Filters) }

// Params lists two layers and a head.
func (n Boards) Params() []model.Param {
	return []model.Param{
		{Name: "first.weight", Shape: []int{n.Filters, 12 * 64}, Kind: model.Weight, FanIn: 12 * 64},
		{Name: "second.weight", Shape: []int{12 * 64, n.Filters}, Kind: model.Weight, FanIn: n.Filters},
		{Name: "chances.weight", Shape: []int{3, n.Filters}, Kind: model.Weight, FanIn: n.Filters},
	}
}

// Unpack spreads the pieces over planes.
func (Boards) Unpack(f model.ConvAlgorithm, packed *Node) *Node {
	g, n := packed.Graph(), packed.Shape().Dim(0)
	word := func(i int) *Node { return Slice(packed, AxisRange(), AxisRange(i, i+1)) }
	var planes []*Node
	for kind := 1; kind <= 12; kind++ {
		bits := BroadcastToDims(Const(g, ^uint64(0)), n, 1)
		for bit := range 3 {
			w := word(bit)
			if ((kind-1)%6+1)>>bit&1 == 0 {
				w = BitwiseNot(w)
			}
			bits = BitwiseAnd(bits, w)
		}
		side := word(3)
		if kind <= 6 {
			side = BitwiseNot(side)
		}
		planes = append(planes, BitwiseAnd(bits, side))
	}
	return f.Spread(Concatenate(planes, 1))
}

// Heads are the logits of the bits, and win, draw and loss.
func (Boards) Heads() []model.Head {
	return []model.Head{{Name: "after", Shape: []int{12 * 64}}, {Name: "chances", Shape: []int{3}}}
}

// Forward is two matrix products.
func (Boards) Forward(p *model.Pass, planes *Node) []*Node {
	g := planes.Graph()
	w := func(name string) *Node { return p.Store.GetVariable("/" + p.Prefix + name + ".weight").NodeValue(g) }
	times := func(x, w *Node) *Node { return DotGeneral(x, []int{1}, nil, w, []int{1}, nil) }
	h := Tanh(times(p.Conv.Flatten(planes), w("first")))
	return []*Node{times(h, w("second")), times(h, w("chances"))}
}

// Terms are a cross-entropy over the legal moves and one over results.
func (Boards) Terms() []model.Term {
	return []model.Term{{Name: "policy_ce", Weight: 1, Over: model.Listed},
		{Name: "chances_ce", Weight: 0.5, Over: model.Float(0)}}
}

// Loss sums up the terms.
func (Boards) Loss(heads []*Node, b model.Batch) []model.Sum {
	prior := LogSoftmax(model.ChangeScores(heads[0], b.Codes), 1)
	ce := Neg(ReduceAllSum(Where(NotEqual(b.Weights, ZerosLike(b.Weights)), Mul(b.Weights, prior), ZerosLike(prior))))
	result, known := b.Floats[0], b.Known[0]
	n := result.Shape().Dim(0)
	class := ConvertDType(OneMinus(result), dtypes.Int32) // 0 win, 1 draw, 2 loss
	of := ReduceSum(Mul(OneHot(class, 3, dtypes.Float32), LogSoftmax(heads[1], 1)), 1)
	return []model.Sum{{Shown: ce}, {Shown: Neg(ReduceAllSum(Mul(known, Reshape(of, n))))}}
}

// Outputs gives priors that know legal moves only, and chances.
func (Boards) Outputs(heads []*Node, legal *Node) model.Outputs {
	return model.Outputs{Prior: LogSoftmax(model.ChangeScores(heads[0], legal), 1), WDL: Softmax(heads[1], 1)}
}

// Cost counts the products.
func (n Boards) Cost(model.ConvAlgorithm) model.Cost {
	return model.Cost{Operations: float64(4 * 768 * n.Filters), Floats: 2000}
}
