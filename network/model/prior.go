package model

import (
	"cmp"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
	"talbot/network/onnx"
)

// Prior is the network of the recipe prior, 8,634,804 trainable parameters with 7 blocks of 256 filters:
//
//	trunk   that of [residual] with a stem of 5×5
//	policy  conv 1×1 F→2, norm, ReLU, linear 128→1968
//
// Convolutions have no biases. First weights and the constants of the normalisations are Keras's. The loss is the
// policy's cross-entropy and L2 times the sum of the squares of all weights of convolutions and of the linear layer,
// whose gradient is 2·L2·w. The softmax is over all moves, legal or not; with LegalMask over the legal ones.
//
// Source: chess-deep-learning. Flattened is channel-major as everywhere here, and square-major in Keras; all weights of
// a layer begin with the same distribution, so that is the same network.
type Prior struct {
	Blocks  int     `json:"blocks"`  // at least 1
	Filters int     `json:"filters"` // channels of the trunk, at least 2
	L2      float64 `json:"l2"`      // of the weights, at least 0
	Rating  bool    `json:"rating"`  // the network sees the rating of the side to move; else that plane is 0

	LegalMask bool `json:"legal_mask"` // the policy's softmax is over the legal moves
}

// Validate checks the settings.
func (n Prior) Validate() error {
	return cmp.Or(l2(n.L2), n.trunk().validate())
}

// String is such as "7 blocks of 256 filters".
func (n Prior) String() string { return n.trunk().String() }

func (n Prior) trunk() residual {
	return residual{planes: encode.PriorPlanes, blocks: n.Blocks, filters: n.Filters, keras: true}
}

// l2 returns an error for a weight of the squares of the weights.
func l2(x float64) error {
	if !(x >= 0 && x <= 1) {
		return fmt.Errorf("l2 must be from 0 to 1: %g", x)
	}
	return nil
}

// Params lists stem, blocks and policy.
func (n Prior) Params() []Param {
	var l layers
	n.trunk().trunkParams(&l)
	l.conv("policy.conv", 2, n.Filters, 1)
	l.norm("policy.bn", 2)
	l.linear("policy.fc", encode.UCIMoves, 128)
	return l.keras()
}

// Unpack makes the 18 planes of inputs as [encode.Prior.Pack] writes them.
func (Prior) Unpack(a ConvAlgorithm, packed *Node) *Node {
	g := packed.Graph()
	pieces := boardPieces(packed)
	rest := column(packed, 4)
	var planes []*Node
	for side := range 2 { // from king to pawn
		for kind := 5; kind >= 0; kind-- {
			planes = append(planes, pieces[6*side+kind])
		}
	}
	planes = append(planes, flagPlanes(rest, 4), BitwiseAnd(rest, uint64s(g, 0xff<<40)))
	board := a.Spread(Concatenate(planes, 1))
	rating := BitwiseAnd(BitwiseShiftRightLogicalScalar(rest, encode.Prior{}.Layout().Rating.Shift), uint64s(g, 0xffff))
	// Backends multiply by 1/1500, which float32 would show.
	number := DivScalar(AddScalar(ConvertDType(rating, dtypes.Float64), -encode.PriorRating), encode.PriorRating)
	number = ConvertDType(number, dtypes.Float32)
	wide := board.Shape().Clone()
	wide.Dimensions[channelAxis] = 1
	return Concatenate([]*Node{board, BroadcastToShape(a.perSample(number), wide)}, channelAxis)
}

// Heads are the logits of all moves.
func (Prior) Heads() []Head { return NoSearch{}.Heads() }

// Forward takes the 18 planes.
func (n Prior) Forward(p *Pass, planes *Node) []*Node {
	x := n.trunk().trunk(p, planes)
	policy := p.relu(p.normAs(kerasNorm, p.convolve(x, "policy.conv"), "policy.bn"))
	heads := []*Node{p.linear(p.Conv.Flatten(policy), "policy.fc")}
	if !p.Losses {
		return heads
	}
	return append(heads, p.squares(planes.Graph(), n.Params()))
}

// Terms are the policy's cross-entropy, the squares of the weights, and how often the policy's first move is the
// target.
func (n Prior) Terms() []Term {
	return []Term{{Name: "policy_ce", Weight: 1, Over: Listed}, {Name: "weights", Weight: n.L2, Over: Once},
		{Name: "top1", Over: Listed, Figure: true}}
}

// Loss sums up the terms.
func (n Prior) Loss(heads []*Node, b Batch) []Sum {
	var s policySums
	if n.LegalMask {
		s = listedPolicy(heads[0], b)
	} else {
		s = indexedPolicy(heads[0], b, nil, 0)
	}
	return []Sum{{Shown: s.entropy}, {Shown: heads[1]}, {Shown: s.top1}}
}

// Outputs gives priors, and what falls on moves that are not legal.
func (Prior) Outputs(heads []*Node, legal *Node) Outputs { return IndexedOutputs(heads[0], legal) }

// ONNX adds the network: planes to logits.
func (n Prior) ONNX(g *onnx.Graph) []onnx.Value {
	x := n.trunk().onnxTrunk(g, "0 or 1, of the last one the rating / 1500 - 1")
	return []onnx.Value{g.Linear(n.trunk().onnxFlat(g, x, "policy"), "policy.fc", "logits")}
}

// Cost counts what the trunk keeps, and four tensors the size of the logits; with Winograd also the other 16 of the 25
// shifted copies of the planes.
func (n Prior) Cost(conv ConvAlgorithm) Cost {
	kept := n.trunk().floats(conv) + 4*encode.UCIMoves
	if conv == Winograd {
		kept += 64 * 16 * encode.PriorPlanes
	}
	return Cost{convolutional(n.Params()), kept}
}
