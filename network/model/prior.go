package model

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
)

// Prior is the network of the recipe prior, 8,634,804 trainable parameters with 7 blocks of 256 filters:
//
//	stem    conv 5×5 18→F, norm, ReLU
//	block   conv 3×3, norm, ReLU, conv 3×3, norm, + input, ReLU
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
	if !(n.L2 >= 0 && n.L2 <= 1) {
		return fmt.Errorf("l2 must be from 0 to 1: %g", n.L2)
	}
	return n.trunk().validate()
}

// String is such as "7 blocks of 256 filters".
func (n Prior) String() string { return n.trunk().String() }

func (n Prior) trunk() residual {
	return residual{planes: encode.PriorPlanes, blocks: n.Blocks, filters: n.Filters}
}

// Params lists stem, blocks and policy.
func (n Prior) Params() []Param {
	var l layers
	l.conv("stem.conv", n.Filters, encode.PriorPlanes, 5)
	l.norm("stem.bn", n.Filters)
	n.trunk().blockParams(&l)
	l.conv("policy.conv", 2, n.Filters, 1)
	l.norm("policy.bn", 2)
	l.linear("policy.fc", encode.UCIMoves, 128)
	for i, p := range l {
		switch p.Kind {
		case Weight:
			l[i].FanOut = p.FanIn / p.Shape[1] * p.Shape[0]
		case Bias:
			l[i].FanIn = 0
		}
	}
	return l
}

// Unpack makes the 18 planes of inputs as [encode.Prior.Pack] writes them.
func (Prior) Unpack(a ConvAlgorithm, packed *Node) *Node {
	g := packed.Graph()
	pieces := piecePlanes(column(packed, 0), column(packed, 1), column(packed, 2), column(packed, 3))
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
	norm := func(x *Node, bn string) *Node { return p.normAs(kerasNorm, x, bn) }
	x := p.relu(norm(p.convolve(planes, "stem.conv"), "stem.bn"))
	for b := range n.Blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := p.relu(norm(p.convolveDense(x, name+"conv1"), name+"bn1"))
		x = p.relu(Add(norm(p.convolveDense(y, name+"conv2"), name+"bn2"), x))
	}
	policy := p.relu(norm(p.convolve(x, "policy.conv"), "policy.bn"))
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

// Cost counts what the trunk keeps, and four tensors the size of the logits; with Winograd also the other 16 of the 25
// shifted copies of the planes.
func (n Prior) Cost(conv ConvAlgorithm) Cost {
	kept := n.trunk().floats(conv) + 4*encode.UCIMoves
	if conv == Winograd {
		kept += 64 * 16 * encode.PriorPlanes
	}
	return Cost{convolutional(n.Params()), kept}
}
