package testrecipe

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/network/model"
)

// tokens reads 65 tokens, one that is always 0 and then what stands on each square, and learns a score of each legal
// move: 4 + 1/n for a move of the winner, −4 − 1/n for one of the loser, n the plies left; 0 for the others,
// and −10 for all that is not legal. So nosearch will learn from its own games.
type tokens struct{ encode.Napoleon }

const tokenMoves = 4 * 64 * 64

func (tokens) Name() string { return "tokens" }

func (tokens) Layout() encode.Layout {
	return encode.Layout{Words: 4, Shape: []int{65}, Moves: encode.LegalMoves, Codes: 1, Indices: tokenMoves,
		Scores: true, Floats: []string{encode.ResultFloat, encode.PliesFloat}}
}

func (tokens) Pack(dst []uint64, v *encode.View) { pack(dst, v.Position()) }

func (tokens) Unpack(dst []float32, packed []uint64) {
	dst[0] = 0
	for square := range 64 {
		dst[1+square] = float32(1 + kindAt(packed, square))
	}
}

func (tokens) EncodeMove(dst []int32, v *encode.View, m board.Move) {
	if v.Position().Turn() == board.Black {
		m = m.Mirror()
	}
	dst[0] = int32(m.From())*64 + int32(m.To())
	if pt := m.Promotion(); pt != board.NoPieceType && pt != board.Queen {
		dst[0] += int32(1+pt-board.Knight) * 64 * 64
	}
}

func (e tokens) Target(dst *encode.Target, v *encode.View, _ encode.Targets) bool {
	played, ok := v.Played()
	if !ok {
		return false
	}
	won := result(v)
	left := float32(len(v.Line.Moves) - v.Game.Ply())
	dst.Floats[0], dst.Floats[1] = won, left
	for _, m := range v.Legal() {
		score := float32(0)
		if m == played && won == won {
			score = won * (4 + 1/left)
		}
		dst.Moves = append(dst.Moves, dataset.WeightedMove{Move: m, Weight: score})
	}
	return true
}

func (e tokens) Describe(v *encode.View, t encode.Targets) any {
	var target encode.Target
	l := e.Layout()
	if target.Reset(&l); !e.Target(&target, v, t) {
		return nil
	}
	scores := map[string]float32{}
	for _, m := range target.Moves {
		scores[m.Move.String()] = m.Weight
	}
	return map[string]any{"scores": scores}
}

// Tokens is a network for it: embeddings of token and place, their mean, a layer to the logits.
type Tokens struct {
	Width int `json:"width"`
}

// Validate checks the settings.
func (n Tokens) Validate() error { return setting("width", n.Width) }

func (n Tokens) String() string { return fmt.Sprintf("width %d", n.Width) }

// Params lists the embeddings and the head.
func (n Tokens) Params() []model.Param {
	return []model.Param{
		{Name: "embedding.weight", Shape: []int{65 * 14, n.Width}, Kind: model.Weight, FanIn: n.Width},
		{Name: "head.weight", Shape: []int{tokenMoves, n.Width}, Kind: model.Weight, FanIn: n.Width},
	}
}

// Unpack makes tokens [N, 65] int32.
func (Tokens) Unpack(_ model.ConvAlgorithm, packed *Node) *Node {
	g, n := packed.Graph(), packed.Shape().Dim(0)
	square := BroadcastToDims(Iota(g, shapes.Make(dtypes.Uint64, 1, 64), 1), n, 64)
	bit := func(i int) *Node {
		word := BroadcastToDims(Slice(packed, AxisRange(), AxisRange(i, i+1)), n, 64)
		return ConvertDType(BitwiseAnd(BitwiseShiftRightLogical(word, square), Const(g, uint64(1))), dtypes.Int32)
	}
	kind := Add(bit(0), Add(MulScalar(bit(1), 2), MulScalar(bit(2), 4)))
	there := ConvertDType(GreaterThan(kind, ScalarZero(g, dtypes.Int32)), dtypes.Int32)
	token := AddScalar(Add(kind, MulScalar(Mul(there, bit(3)), 6)), 1)
	return Concatenate([]*Node{Zeros(g, shapes.Make(dtypes.Int32, n, 1)), token}, 1)
}

// Heads are the logits.
func (Tokens) Heads() []model.Head { return []model.Head{{Name: "logits", Shape: []int{tokenMoves}}} }

// Forward looks embeddings up.
func (t Tokens) Forward(p *model.Pass, tokens *Node) []*Node {
	g, n := tokens.Graph(), tokens.Shape().Dim(0)
	w := func(name string) *Node { return p.Store.GetVariable("/" + p.Prefix + name + ".weight").NodeValue(g) }
	place := MulScalar(Iota(g, shapes.Make(dtypes.Int32, n, 65), 1), 14)
	x := Gather(w("embedding"), Reshape(Add(tokens, place), n*65, 1))
	h := ReduceMean(Reshape(x, n, 65, t.Width), 1)
	return []*Node{DotGeneral(h, []int{1}, nil, w("head"), []int{1}, nil)}
}

// Terms are the cross-entropy with the softmax of the scores.
func (Tokens) Terms() []model.Term {
	return []model.Term{{Name: "score_ce", Weight: 1, Over: model.Listed}}
}

// Loss compares softmaxes over all moves.
func (Tokens) Loss(heads []*Node, b model.Batch) []model.Sum {
	g := heads[0].Graph()
	n, k := b.Weights.Shape().Dim(0), b.Weights.Shape().Dim(1)
	there := GreaterOrEqual(Reshape(b.Codes, n, k), ScalarZero(g, dtypes.Int32))
	above := Where(there, AddScalar(b.Weights, 10), ZerosLike(b.Weights)) // over the −10 of what is not legal
	rows := Iota(g, shapes.Make(dtypes.Int32, n, k, 1), 0)
	at := Reshape(Concatenate([]*Node{rows, MaxScalar(b.Codes, int32(0))}, 2), n*k, 2)
	scores := Scatter(at, Reshape(above, n*k), heads[0].Shape(), false, false)
	target := StopGradient(Softmax(scores, 1))
	return []model.Sum{{Shown: Neg(ReduceAllSum(Mul(target, LogSoftmax(heads[0], 1))))}}
}

// Outputs gives priors, and what falls on other moves.
func (Tokens) Outputs(heads []*Node, legal *Node) model.Outputs {
	return model.IndexedOutputs(heads[0], legal)
}

// Cost counts the head.
func (n Tokens) Cost(model.ConvAlgorithm) model.Cost {
	return model.Cost{Operations: float64(2 * tokenMoves * n.Width), Floats: 3 * tokenMoves}
}
