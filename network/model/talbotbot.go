package model

import (
	"cmp"
	"strconv"

	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
	"talbot/network/onnx"
)

// TalbotBot is the reference network: a 3×3 stem, residual blocks, a policy and a value head.
//
//	trunk   that of [residual], of 68 planes
//	policy  conv 1×1 F→2, norm, ReLU, linear 128→4672
//	value   that of [residual]
//
// Its loss is the policy's cross-entropy, and ValueWeight times the value's squared error.
type TalbotBot struct {
	Blocks         int     `json:"blocks"`          // residual blocks, at least 1
	Filters        int     `json:"filters"`         // channels of the trunk, at least 2
	BlockDropout   float64 `json:"block_dropout"`   // rate of channel dropout in the second half of the blocks, [0, 1)
	ValueDropout   float64 `json:"value_dropout"`   // rate of dropout in the value head, [0, 1)
	ValueWeight    float64 `json:"value_weight"`    // of the value in the loss
	LabelSmoothing float64 `json:"label_smoothing"` // share of a policy target spread evenly over the moves
	LegalMask      bool    `json:"legal_mask"`      // the policy's softmax is over the legal moves
}

// Validate checks the settings.
func (t TalbotBot) Validate() error {
	return cmp.Or(rate("label smoothing", t.LabelSmoothing), t.residual().validate())
}

// String is such as "20 blocks of 128 filters".
func (t TalbotBot) String() string { return t.residual().String() }

func (t TalbotBot) residual() residual {
	return residual{planes: encode.TalbotBotPlanes, blocks: t.Blocks, filters: t.Filters, blockDropout: t.BlockDropout,
		valueDropout: t.ValueDropout, valueWeight: t.ValueWeight}
}

// Params lists stem, blocks, policy and value head.
func (t TalbotBot) Params() []Param {
	var l layers
	t.residual().trunkParams(&l)
	l.conv("policy.conv", 2, t.Filters, 1)
	l.norm("policy.bn", 2)
	l.linear("policy.fc", encode.TalbotBotMoves, 128)
	t.residual().valueParams(&l)
	return l
}

// Heads are the logits of all moves and the value.
func (TalbotBot) Heads() []Head {
	return []Head{
		{"logits", []int{encode.TalbotBotMoves},
			"of all moves; index = from square × 73 + move plane in the mover's frame"},
		{"value", nil, "in [-1, 1]; +1 = the side to move wins"},
	}
}

// Forward takes the 68 planes.
func (t TalbotBot) Forward(p *Pass, planes *Node) []*Node {
	x := t.residual().trunk(p, planes)
	logits := p.linear(p.Conv.Flatten(p.relu(p.convNorm(x, "policy.conv", "policy.bn"))), "policy.fc")
	return []*Node{logits, t.residual().value(p, x)}
}

// Terms are those of the loss, and how often the policy's first move is the target.
func (t TalbotBot) Terms() []Term {
	return []Term{
		{Name: "policy_ce", Weight: 1, Over: Listed},
		{Name: "value_mse", Weight: t.ValueWeight, Over: Float(0)},
		{Name: "top1", Over: Listed, Figure: true},
	}
}

// Loss sums up the terms.
func (t TalbotBot) Loss(heads []*Node, b Batch) []Sum {
	var legal *Node
	if t.LegalMask {
		legal = LegalMoves(b.Packed)
	}
	s := indexedPolicy(heads[0], b, legal, t.LabelSmoothing)
	return []Sum{{s.smoothed, s.entropy}, {Shown: valueSum(heads[1], b, 0)}, {Shown: s.top1}}
}

// Outputs gives priors and the value.
func (TalbotBot) Outputs(heads []*Node, legal *Node) Outputs {
	a := IndexedOutputs(heads[0], legal)
	a.Value = heads[1]
	return a
}

// ONNX adds the network without dropout: planes to logits and value.
func (t TalbotBot) ONNX(g *onnx.Graph) []onnx.Value {
	r := t.residual()
	x := r.onnxTrunk(g, "0 or 1")
	g.Describe("blocks", strconv.Itoa(t.Blocks))
	g.Describe("filters", strconv.Itoa(t.Filters))
	return []onnx.Value{g.Linear(r.onnxFlat(g, x, "policy"), "policy.fc", "logits"), r.onnxValue(g, x)}
}

// Cost counts what the trunk keeps, and four tensors the size of the logits. XLA's CPU plugin asks for 8.7 MB a sample
// with 6 blocks of 1024 filters, where this says 9.0, and grows by 0.63 MB with 6 blocks of 64, as this says.
func (t TalbotBot) Cost(conv ConvAlgorithm) Cost {
	return Cost{convolutional(t.Params()), t.residual().floats(conv) + 4*encode.TalbotBotMoves}
}

// convolutional counts the operations of a network whose convolutions see all squares, and its linear layers the
// position once.
func convolutional(params []Param) float64 {
	sum := 0.0
	for _, p := range params {
		switch n := float64(p.Size()); {
		case p.Kind != Weight:
		case len(p.Shape) == 4:
			sum += 2 * n * 64
		default:
			sum += 2 * n
		}
	}
	return sum
}
