package model

import (
	"cmp"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
	"talbot/network/onnx"
)

// Lynx is the network of the recipe lynx: a residual trunk with squeeze and excitation, a policy of planes, and
// chances.
//
//	trunk   that of [residual] with excitation; 28 planes, 12 more with Attacks, 9 with Tactics, 8 with Threats
//	policy  conv 3×3 F→F, norm, ReLU, conv 1×1 F→73 with bias: logits of move planes by the square that is left
//	value   conv 1×1 F→ValueFilters, norm, ReLU, linear →Hidden, ReLU; then linear →3 the logits of win, draw and
//	        loss, and linear →1, tanh the value
//
// The policy is the softmax over the legal moves. The loss is its cross-entropy, ChancesWeight times that of the
// chances, and ValueWeight times the value's squared error.
//
// Sources: Hu and others, Squeeze-and-Excitation Networks (2018), for the blocks; a policy of planes is AlphaZero's
// (Silver and others, 2018). Sizes and weights are a first choice; planes of attacks and of tactics were
// compared with going without.
type Lynx struct {
	Attacks       bool    `json:"attacks"`        // the input has planes of the squares that are attacked
	Tactics       bool    `json:"tactics"`        // the input has planes of tactics
	Threats       bool    `json:"threats"`        // the input has planes of threats, and those of tactics count pins
	Blocks        int     `json:"blocks"`         // residual blocks, at least 1
	Filters       int     `json:"filters"`        // channels of the trunk, at least 2
	Squeeze       int     `json:"squeeze"`        // features between squeeze and excitation; 0 = without
	ValueFilters  int     `json:"value_filters"`  // channels of the value head
	Hidden        int     `json:"hidden"`         // features of the value head
	ValueWeight   float64 `json:"value_weight"`   // of the value in the loss
	ChancesWeight float64 `json:"chances_weight"` // of the chances in the loss
	Nearness      bool    `json:"nearness"`       // the value tells how near a mate is: encode.Lynx
}

// Validate checks the settings.
func (t Lynx) Validate() error {
	return cmp.Or(within("squeeze", t.Squeeze, 0, 4096), within("value filters", t.ValueFilters, 1, 1024),
		within("hidden", t.Hidden, 1, 4096), weight("chances weight", t.ChancesWeight), t.residual().validate())
}

// String is such as "6 blocks of 64 filters".
func (t Lynx) String() string { return t.residual().String() }

func (t Lynx) residual() residual {
	return residual{planes: t.encoder().Layout().Shape[0], blocks: t.Blocks, filters: t.Filters,
		valueWeight: t.ValueWeight, squeeze: t.Squeeze}
}

func (t Lynx) encoder() encode.Lynx {
	return encode.Lynx{Attacks: t.Attacks, Tactics: t.Tactics, Threats: t.Threats, Nearness: t.Nearness}
}

const lynxPlanes = encode.LynxMoves / 64

// Params lists stem, blocks, and the heads.
func (t Lynx) Params() []Param {
	var l layers
	t.residual().trunkParams(&l)
	l.conv("policy.conv", t.Filters, t.Filters, 3)
	l.norm("policy.bn", t.Filters)
	l.conv("policy.planes", lynxPlanes, t.Filters, 1)
	l.bias("policy.planes", lynxPlanes, t.Filters)
	l.conv("value.conv", t.ValueFilters, t.Filters, 1)
	l.norm("value.bn", t.ValueFilters)
	l.linear("value.fc1", t.Hidden, 64*t.ValueFilters)
	l.linear("value.chances", 3, t.Hidden)
	l.linear("value.fc2", 1, t.Hidden)
	return l
}

// Unpack makes the 28 planes of the recipe tahl and those of [encode.Lynx].
func (t Lynx) Unpack(a ConvAlgorithm, packed *Node) *Node {
	pieces := boardPieces(packed)
	words := tahlWords(packed, pieces)
	if t.Attacks {
		words = append(words, attackedSquares(pieces))
	}
	if t.Tactics || t.Threats {
		words = append(words, Slice(packed, AxisRange(), AxisRange(encode.TahlWords)))
	}
	return a.Spread(Concatenate(words, 1))
}

// Heads are the logits of all moves, those of the chances, and the value.
func (Lynx) Heads() []Head {
	return []Head{
		{"logits", []int{encode.LynxMoves},
			"of all moves; index = move plane × 64 + from square in the mover's frame"},
		{"chances", []int{3}, "logits of win, draw and loss for the side to move"},
		{"value", nil, "in [-1, 1]; +1 = the side to move wins, and is near to it"},
	}
}

// Forward takes the planes.
func (t Lynx) Forward(p *Pass, planes *Node) []*Node {
	x := t.residual().trunk(p, planes)
	y := p.relu(p.norm(p.convolveDense(x, "policy.conv"), "policy.bn"))
	logits := ConvertDType(p.Conv.Flatten(p.convolveBias(y, "policy.planes")), dtypes.Float32)
	h := p.relu(p.linear(p.Conv.Flatten(p.relu(p.convNorm(x, "value.conv", "value.bn"))), "value.fc1"))
	value := Tanh(p.watch(p.linear(h, "value.fc2")))
	return []*Node{logits, p.linear(h, "value.chances"), Reshape(value, value.Shape().Dim(0))}
}

// Terms are those of the loss, and how often the policy's first move is the target.
func (t Lynx) Terms() []Term {
	return []Term{
		{Name: "policy_ce", Weight: 1, Over: Listed},
		{Name: "wdl_ce", Weight: t.ChancesWeight, Over: Float(1)},
		{Name: "value_mse", Weight: t.ValueWeight, Over: Float(0)},
		{Name: "top1", Over: Listed, Figure: true},
	}
}

// Loss sums up the terms.
func (t Lynx) Loss(heads []*Node, b Batch) []Sum {
	policy := listedPolicy(heads[0], b)
	return []Sum{
		{Shown: policy.entropy},
		{Shown: chancesSum(heads[1], b)},
		{Shown: valueSum(heads[2], b, 0)},
		{Shown: policy.top1},
	}
}

// Outputs gives priors, the value and the chances.
func (Lynx) Outputs(heads []*Node, legal *Node) Outputs {
	a := IndexedOutputs(heads[0], legal)
	a.WDL, a.Value = Softmax(heads[1], 1), heads[2]
	return a
}

// ONNX adds the network: planes to logits, chances and value.
func (t Lynx) ONNX(g *onnx.Graph) []onnx.Value {
	r := t.residual()
	x := r.onnxTrunk(g, "0 or 1")
	policy := g.Relu(r.onnxConvNorm(g, x, "policy.conv", "policy.bn"))
	logits := g.Flatten(g.Conv(policy, "policy.planes"), "logits")
	h := g.Relu(g.Linear(r.onnxFlat(g, x, "value"), "value.fc1", "value.fc1"))
	chances := g.Linear(h, "value.chances", "chances")
	value := g.Tanh(g.Linear(h, "value.fc2", "value.fc2"), "value.tanh")
	return []onnx.Value{logits, chances, g.Squeeze(value, "value")}
}

// Cost counts what the trunk keeps, and six tensors the size of the logits.
func (t Lynx) Cost(conv ConvAlgorithm) Cost {
	return Cost{convolutional(t.Params()), t.residual().floats(conv) + 6*encode.LynxMoves}
}
