package model

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
	"talbot/network/onnx"
)

// Tahl is the network of the recipe tahl: a residual trunk, the board after the move, and a value.
//
//	trunk  as [TalbotBot]'s, of 28 planes: stem, and blocks with channel dropout in the later half
//	after  conv 1×1 F→12 with bias: logits of the bits of the board after the move
//	value  as [TalbotBot]'s
//
// The score of a move is the sum of the logits of all bits that are set after it, and the policy is the softmax of the
// scores of the legal moves. The loss is its cross-entropy, the mean binary cross-entropy of the 768 bits after the
// move that was played, and ValueWeight times the value's squared error. Of several target moves each bit has the
// probability with which it is set.
//
// Source: the README of Tahl, by which the output is 12 layers of 8×8. All else is our choice.
type Tahl struct {
	Blocks       int     `json:"blocks"`        // residual blocks, at least 1
	Filters      int     `json:"filters"`       // channels of the trunk, at least 2
	BlockDropout float64 `json:"block_dropout"` // rate of channel dropout in the second half of the blocks, [0, 1)
	ValueDropout float64 `json:"value_dropout"` // rate of dropout in the value head, [0, 1)
	ValueWeight  float64 `json:"value_weight"`  // of the value in the loss
}

const tahlBits = 64 * encode.TahlLayers

// Validate checks the settings.
func (t Tahl) Validate() error { return t.residual().validate() }

// String is such as "10 blocks of 128 filters".
func (t Tahl) String() string { return t.residual().String() }

func (t Tahl) residual() residual {
	return residual{planes: encode.TahlPlanes, blocks: t.Blocks, filters: t.Filters, blockDropout: t.BlockDropout,
		valueDropout: t.ValueDropout, valueWeight: t.ValueWeight}
}

// Params lists stem, blocks, and both heads.
func (t Tahl) Params() []Param {
	var l layers
	t.residual().trunkParams(&l)
	l.conv("after", encode.TahlLayers, t.Filters, 1)
	l.bias("after", encode.TahlLayers, t.Filters)
	t.residual().valueParams(&l)
	return l
}

// Unpack makes the 28 planes of inputs as [encode.Tahl.Pack] writes them.
func (Tahl) Unpack(a ConvAlgorithm, packed *Node) *Node {
	return a.Spread(Concatenate(tahlWords(packed, boardPieces(packed)), 1))
}

// tahlWords are the planes as words [N, 1], or several planes as [N, planes]. pieces are those of [boardPieces].
func tahlWords(packed *Node, pieces []*Node) []*Node {
	g, n := packed.Graph(), packed.Shape().Dim(0)
	planes := []*Node{}
	for side := range 2 { // pawns, rooks, knights, bishops, queens, kings
		for _, kind := range []int{0, 3, 1, 2, 4, 5} {
			planes = append(planes, pieces[6*side+kind])
		}
	}
	flags := column(packed, 8)
	byRank := func(rank int) *Node { return BitwiseAnd(flags, uint64s(g, 0xff<<(8*rank))) }
	nothing := BroadcastToDims(uint64s(g, 0), n, 2) // the opponent cannot capture en passant
	return append(planes, flagPlanes(flags, 8), byRank(5), byRank(4), nothing,
		Slice(packed, AxisRange(), AxisRange(4, 8)))
}

// Heads are the logits of the board after the move, and the value.
func (Tahl) Heads() []Head {
	return []Head{
		{"after", []int{encode.TahlLayers, 8, 8}, "logits of the bits after the move, own P N B R Q K, then the " +
			"opponent's, in the mover's frame; a move's score is the sum of those set after it"},
		{"value", nil, "in [-1, 1]; +1 = the side to move wins"},
	}
}

// Forward takes the 28 planes.
func (t Tahl) Forward(p *Pass, planes *Node) []*Node {
	x := t.residual().trunk(p, planes)
	after := ConvertDType(p.Conv.Flatten(p.convolveBias(x, "after")), dtypes.Float32)
	after = Reshape(after, after.Shape().Dim(0), encode.TahlLayers, 8, 8)
	return []*Node{after, t.residual().value(p, x)}
}

// Terms are those of the loss, and how often the policy's first move is the target.
func (t Tahl) Terms() []Term {
	return []Term{
		{Name: "policy_ce", Weight: 1, Over: Listed},
		{Name: "after_bce", Weight: 1, Over: Listed},
		{Name: "value_mse", Weight: t.ValueWeight, Over: Float(0)},
		{Name: "top1", Over: Listed, Figure: true},
	}
}

// Loss sums up the terms.
//
// A bit of logit z and target t has the cross-entropy softplus(z) − t·z. Σ t·z is Σ z over the bits that are set before
// the move plus the scores of the target moves, each with its weight.
func (t Tahl) Loss(heads []*Node, b Batch) []Sum {
	logits := Reshape(heads[0], heads[0].Shape().Dim(0), tahlBits)
	scores := ChangeScores(logits, b.Codes)
	learnt := ReduceSum(b.Weights, 1) // 1, or 0 without a target move
	chosen := ReduceAllSum(Mul(b.Weights, scores))
	before := Native.Flatten(Native.Spread(Concatenate(boardPieces(b.Packed), 1)))
	bits := ReduceSum(Sub(softplus(logits), Mul(logits, before)), 1)
	policy := scoredPolicy(scores, b)
	return []Sum{
		{Shown: policy.entropy},
		{Shown: DivScalar(Sub(ReduceAllSum(Mul(learnt, bits)), chosen), tahlBits)},
		{Shown: valueSum(heads[1], b, 0)},
		{Shown: policy.top1},
	}
}

// Outputs gives priors, among the legal moves alone, and the value.
func (Tahl) Outputs(heads []*Node, legal *Node) Outputs {
	logits := Reshape(heads[0], heads[0].Shape().Dim(0), tahlBits)
	return Outputs{Prior: LogSoftmax(ChangeScores(logits, legal), 1), Value: heads[1]}
}

// ONNX adds the network without dropout: planes to the logits after the move and value.
func (t Tahl) ONNX(g *onnx.Graph) []onnx.Value {
	x := t.residual().onnxTrunk(g, "0 or 1")
	return []onnx.Value{g.Conv(x, "after"), t.residual().onnxValue(g, x)}
}

// Cost counts what the trunk keeps, six tensors the size of the bits, and eight of the words of 64 moves.
func (t Tahl) Cost(conv ConvAlgorithm) Cost {
	return Cost{convolutional(t.Params()), t.residual().floats(conv) + 6*tahlBits + 8*4*64}
}
