package model

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
)

// TalbotBot is the reference network: a 3×3 stem, residual blocks, a policy and a value head.
//
//	stem    conv 3×3 68→F, norm, ReLU
//	block   conv 3×3, norm, ReLU, [channel dropout], conv 3×3, norm, + input, ReLU
//	policy  conv 1×1 F→2, norm, ReLU, linear 128→4672
//	value   conv 1×1 F→1, norm, ReLU, linear 64→64, ReLU, dropout, linear 64→1, tanh
//
// With B blocks counted from 1, block b has dropout if 2b ≥ B: blocks 10 to 20 of 20, 3 to 6 of 6.
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
	switch {
	case t.Blocks < 1 || t.Blocks > 200:
		return fmt.Errorf("blocks must be from 1 to 200: %d", t.Blocks)
	case t.Filters < 2 || t.Filters > 4096:
		return fmt.Errorf("filters must be from 2 to 4096: %d", t.Filters)
	case !(t.BlockDropout >= 0 && t.BlockDropout < 1):
		return fmt.Errorf("block dropout must be at least 0 and below 1: %g", t.BlockDropout)
	case !(t.ValueDropout >= 0 && t.ValueDropout < 1):
		return fmt.Errorf("value dropout must be at least 0 and below 1: %g", t.ValueDropout)
	case !(t.ValueWeight >= 0 && t.ValueWeight <= math.MaxFloat32):
		return fmt.Errorf("value weight must be from 0 to %.2g: %g", float64(math.MaxFloat32), t.ValueWeight)
	case !(t.LabelSmoothing >= 0 && t.LabelSmoothing < 1):
		return fmt.Errorf("label smoothing must be at least 0 and below 1: %g", t.LabelSmoothing)
	}
	return nil
}

// String is such as "20 blocks of 128 filters".
func (t TalbotBot) String() string {
	if t.Blocks == 1 {
		return fmt.Sprintf("1 block of %d filters", t.Filters)
	}
	return fmt.Sprintf("%d blocks of %d filters", t.Blocks, t.Filters)
}

func (t TalbotBot) dropsIn(block int) bool { return 2*block >= t.Blocks }

// Params lists stem, blocks, policy and value head.
func (t TalbotBot) Params() []Param {
	var params []Param
	add := func(kind Kind, fanIn int, name string, shape ...int) {
		params = append(params, Param{Name: name, Shape: shape, Kind: kind, FanIn: fanIn})
	}
	conv := func(name string, out, in, size int) { add(Weight, in*size*size, name+".weight", out, in, size, size) }
	norm := func(name string, c int) {
		add(NormGain, 0, name+".weight", c)
		add(NormBias, 0, name+".bias", c)
		add(RunningMean, 0, name+".running_mean", c)
		add(RunningVar, 0, name+".running_var", c)
	}
	linear := func(name string, out, in int) {
		add(Weight, in, name+".weight", out, in)
		add(Bias, in, name+".bias", out)
	}
	f := t.Filters
	conv("stem.conv", f, encode.TalbotBotPlanes, 3)
	norm("stem.bn", f)
	for b := range t.Blocks {
		for i := 1; i <= 2; i++ {
			conv(fmt.Sprintf("blocks.%d.conv%d", b, i), f, f, 3)
			norm(fmt.Sprintf("blocks.%d.bn%d", b, i), f)
		}
	}
	conv("policy.conv", 2, f, 1)
	norm("policy.bn", 2)
	linear("policy.fc", encode.TalbotBotMoves, 128)
	conv("value.conv", 1, f, 1)
	norm("value.bn", 1)
	linear("value.fc1", 64, 64)
	linear("value.fc2", 1, 64)
	return params
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
	convNorm := func(x *Node, conv, norm string) *Node {
		return p.norm(p.convolve(x, conv), norm)
	}
	x := p.relu(convNorm(planes, "stem.conv", "stem.bn"))
	for b := range t.Blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := p.relu(convNorm(x, name+"conv1", name+"bn1"))
		if t.dropsIn(b + 1) {
			y = p.dropChannels(y, t.BlockDropout)
		}
		x = p.relu(Add(convNorm(y, name+"conv2", name+"bn2"), x))
	}
	h := p.Form.Flatten(p.relu(convNorm(x, "policy.conv", "policy.bn")))
	logits := p.linear(h, "policy.fc")
	h = p.Form.Flatten(p.relu(convNorm(x, "value.conv", "value.bn")))
	h = p.dropout(p.relu(p.linear(h, "value.fc1")), t.ValueDropout)
	value := Reshape(Tanh(p.watch(p.linear(h, "value.fc2"))), planes.Shape().Dim(p.Form.batchAxis()))
	return []*Node{logits, value}
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

// Answer gives priors and the value.
func (TalbotBot) Answer(heads []*Node, legal *Node) Answer {
	a := IndexedAnswer(heads[0], legal)
	a.Value = heads[1]
	return a
}

// Cost counts about five activations of each block (the outputs of two convolutions, of two normalisations, and the
// sum), four of stem and heads, and four tensors the size of the logits. XLA's CPU plugin asks for 8.7 MB a sample with
// 6 blocks of 1024 filters, where this says 9.0, and grows by 0.63 MB with 6 blocks of 64, as this says.
//
// The form Products keeps nine shifted copies of the input of each 3×3 convolution as well. The backend go grew by 2.9
// MB a sample with 6 blocks of 64, 3.2 with 12 of 32, 3.9 with 4 of 128, 4.3 with 2 of 256 and 15.1 with 20 of 128,
// where this says 2.6, 2.5, 3.4, 3.5 and 15.4.
func (t TalbotBot) Cost(form Form) Cost {
	activations := int64(5*t.Blocks+4) * int64(t.Filters)
	if form == Products {
		activations += 9 * (encode.TalbotBotPlanes + 2*int64(t.Blocks)*int64(t.Filters))
	}
	return Cost{convolutional(t.Params()), 64*activations + 4*encode.TalbotBotMoves}
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
