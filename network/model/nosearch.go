package model

import (
	"cmp"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
)

// NoSearch is the network of the recipe nosearch, a transformer that answers with a move and does not search.
//
//	input   for each of 65 tokens the embedding of its id plus that of its place; for each of 13 bits one of two
//	        separate embeddings
//	block   x + drop(attention(norm x)), x + drop(linear d→4d, GELU, linear 4d→d of norm x)
//	policy  norm, and linear d→1968, of token 0
//
// The token embedding has 27 rows, of which 14 are used, as published. The published network feeds a bit as a vector of
// zeros or ones, the same for all of them, which attention cannot tell apart: the 13·2 embeddings are ours, and all
// that the numbers of parameters differ by.
//
// Source: the code of Heshtin/Chess-Transformer, without its unfinished second pass over the three best moves.
type NoSearch struct {
	Width          int     `json:"width"`  // features of a token, a multiple of AttentionHeads
	Blocks         int     `json:"blocks"` // at least 1
	AttentionHeads int     `json:"heads"`
	Dropout        float64 `json:"dropout"` // of what a block adds, [0, 1)
	// Scores trains with a score for each move, not with the move played: of the one that was played it is the result
	// for the side to move, times 4 + 1/n with n own moves left, of other legal ones 0, and of all others −10.
	Scores bool `json:"scores"`
}

const (
	noSearchTokens = encode.NoSearchTokens + encode.NoSearchBits
	noSearchIDs    = 27 // rows of the embedding
)

// Validate checks the settings.
func (t NoSearch) Validate() error {
	if t.AttentionHeads < 1 || t.Width < 1 || t.Width > 4096 || t.Width%t.AttentionHeads != 0 {
		return fmt.Errorf("width must be at most 4096 and a multiple of the heads: %d of %d", t.Width, t.AttentionHeads)
	}
	return cmp.Or(within("blocks", t.Blocks, 1, 200), rate("dropout", t.Dropout))
}

// String is such as "8 blocks of width 256".
func (t NoSearch) String() string { return blocksOf(t.Blocks, fmt.Sprintf("width %d", t.Width)) }

// Params lists embeddings, blocks and policy. First weights are the published ones: those of a linear layer within ±2/√
// of its inputs, its biases 0.01; of the policy within ±1/√d, its biases 0; embeddings within ±1/√d.
func (t NoSearch) Params() []Param {
	var params []Param
	weight := func(name string, gain float64, fanIn int, shape ...int) {
		params = append(params, Param{Name: name + ".weight", Shape: shape, Kind: Weight, FanIn: fanIn, Gain: gain})
	}
	bias := func(name string, kind Kind, start float64, n int) {
		params = append(params, Param{Name: name + ".bias", Shape: []int{n}, Kind: kind, Start: start})
	}
	linear := func(name string, out, in int) {
		weight(name, 2, in, out, in)
		bias(name, Bias, 0.01, out)
	}
	d := t.Width
	norm := func(name string) {
		params = append(params, Param{Name: name + ".weight", Shape: []int{d}, Kind: NormGain})
		bias(name, NormBias, 0, d)
	}
	weight("token", 1, d, noSearchIDs, d)
	weight("place", 1, d, encode.NoSearchTokens, d)
	weight("bit", 1, d, 2*encode.NoSearchBits, d) // of bit i: row 2i where it is 0, 2i+1 where it is 1
	for b := range t.Blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		norm(name + "ln1")
		linear(name+"attention.qkv", 3*d, d)
		linear(name+"attention.out", d, d)
		norm(name + "ln2")
		linear(name+"mlp.fc1", 4*d, d)
		linear(name+"mlp.fc2", d, 4*d)
	}
	norm("policy.ln")
	weight("policy.fc", 1, d, encode.UCIMoves, d)
	bias("policy.fc", Bias, 0, encode.UCIMoves)
	return params
}

// Unpack makes ids and bits [N, 78] int32 of inputs as [encode.NoSearch.Pack] writes them.
func (NoSearch) Unpack(_ ConvAlgorithm, packed *Node) *Node {
	g, n := packed.Graph(), packed.Shape().Dim(0)
	from := func(word int, shifts []uint64) *Node { // bits of a word, at these places
		wide := []int{n, len(shifts)}
		bits := BitwiseShiftRightLogical(BroadcastToDims(column(packed, word), wide...),
			BroadcastToDims(Const(g, [][]uint64{shifts}), wide...))
		return ConvertDType(BitwiseAnd(bits, uint64s(g, 1)), dtypes.Int32)
	}
	squares, bits := make([]uint64, 64), make([]uint64, encode.NoSearchBits)
	for i := range squares {
		squares[i] = uint64(i ^ 56) // a8 is first
	}
	for i := range bits {
		bits[i] = uint64(i)
	}
	kind := Add(Add(from(0, squares), MulScalar(from(1, squares), 2)), MulScalar(from(2, squares), 4))
	there := MinScalar(kind, int32(1))
	ids := AddScalar(Add(kind, MulScalar(Mul(there, OneMinus(from(3, squares))), 6)), 1)
	return Concatenate([]*Node{Zeros(g, shapes.Make(dtypes.Int32, n, 1)), ids, from(4, bits)}, 1)
}

// Heads are the logits of all moves.
func (NoSearch) Heads() []Head {
	return []Head{{"logits", []int{encode.UCIMoves},
		"of all moves, in the order of their UCI notation in the mover's frame"}}
}

// Forward takes ids and bits.
func (t NoSearch) Forward(p *Pass, input *Node) []*Node {
	n := input.Shape().Dim(0)
	x := t.embed(p, input)
	for b := range t.Blocks {
		name, asked := fmt.Sprintf("blocks.%d.", b), t.asked(b)
		y := p.attention(p.layerNorm(x, name+"ln1"), name+"attention", n, t.AttentionHeads, asked)
		x = Add(firstRows(x, n, asked), p.dropout(y, t.Dropout))
		y = p.linear(gelu(p.linear(p.layerNorm(x, name+"ln2"), name+"mlp.fc1")), name+"mlp.fc2")
		x = Add(x, p.dropout(y, t.Dropout))
	}
	return []*Node{p.linear(p.layerNorm(p.watch(x), "policy.ln"), "policy.fc")}
}

// asked is how many tokens a block computes: all, and in the last block token 0 alone, as the others are not read.
func (t NoSearch) asked(block int) int {
	if block == t.Blocks-1 {
		return 1
	}
	return noSearchTokens
}

// noSearchOffsets is the row of each token's first embedding where those of bits stand below those of ids.
func noSearchOffsets() []int32 {
	offsets := make([]int32, noSearchTokens)
	for i := range encode.NoSearchBits {
		offsets[encode.NoSearchTokens+i] = int32(noSearchIDs + 2*i)
	}
	return offsets
}

// embed turns ids and bits into [N·78, d].
func (t NoSearch) embed(p *Pass, input *Node) *Node {
	g, n := input.Graph(), input.Shape().Dim(0)
	table := Concatenate([]*Node{p.value(g, "token.weight"), p.value(g, "bit.weight")}, 0)
	places := Pad(p.value(g, "place.weight"), ScalarZero(g, dtypes.Float32), PadAxis{End: encode.NoSearchBits},
		PadAxis{})
	rows := Add(input, Const(g, [][]int32{noSearchOffsets()}))
	// A product with rows of one 1 in place of a gather, whose gradient adds up in no certain order on some devices.
	x := DotProduct(OneHot(Reshape(rows, n*noSearchTokens), table.Shape().Dim(0), dtypes.Float32), table)
	x = Add(Reshape(x, n, noSearchTokens, t.Width), InsertAxes(places, 0))
	return Reshape(x, n*noSearchTokens, t.Width)
}

// Terms are the policy's cross-entropy and how often its first move is the target; of scores the cross-entropy alone.
func (t NoSearch) Terms() []Term {
	if t.Scores {
		return []Term{{Name: "score_ce", Weight: 1, Over: Samples}}
	}
	return []Term{{Name: "policy_ce", Weight: 1, Over: Listed}, {Name: "top1", Over: Listed, Figure: true}}
}

// Loss sums up the terms. The softmax is over all moves, whether they are legal or not: that is what there is to learn.
func (t NoSearch) Loss(heads []*Node, b Batch) []Sum {
	if t.Scores {
		target := Softmax(scoresOf(b), 1)
		return []Sum{{Shown: Neg(ReduceAllSum(Mul(target, LogSoftmax(heads[0], 1))))}}
	}
	s := indexedPolicy(heads[0], b, nil, 0)
	return []Sum{{Shown: s.entropy}, {Shown: s.top1}}
}

// scoresOf are the scores of all moves, [N, 1968]: weight · result · (4 + 1/n) of the listed ones, which are all legal
// ones, where n is half of the plies left, rounded up; and −10 of all others.
func scoresOf(b Batch) *Node {
	g := b.Weights.Graph()
	n, k := b.Weights.Shape().Dim(0), b.Weights.Shape().Dim(1)
	result, plies := InsertAxes(b.Floats[0], 1), InsertAxes(b.Floats[1], 1)
	left := MaxScalar(Floor(MulScalar(AddScalar(plies, 1), 0.5)), 1.0)
	score := Mul(b.Weights, Mul(result, AddScalar(Inverse(left), encode.NoSearchPlayed)))
	there := GreaterOrEqual(Reshape(b.Codes, n, k), ScalarZero(g, dtypes.Int32))
	above := Where(there, AddScalar(score, -encode.NoSearchIllegal), ZerosLike(score))
	rows := Iota(g, shapes.Make(dtypes.Int32, n, k, 1), 0)
	at := Concatenate([]*Node{rows, MaxScalar(b.Codes, int32(0))}, 2)
	all := Scatter(Reshape(at, n*k, 2), Reshape(above, n*k), shapes.Make(dtypes.Float32, n, encode.UCIMoves), false,
		false)
	return StopGradient(AddScalar(all, encode.NoSearchIllegal))
}

// Outputs gives priors, and what falls on moves that are not legal.
func (NoSearch) Outputs(heads []*Node, legal *Node) Outputs { return IndexedOutputs(heads[0], legal) }

// Cost counts products, and what is kept: as measured, about 21 times the features of each token and one number for
// each pair of tokens of each head; half of that in the last block. XLA's CPU plugin grew by 1.5 MB a sample with 2
// blocks of width 128, 2.8 with 2 of 256 and 5.7 with 6 of 128, where this says 1.6, 2.8 and 5.7.
//
// The backend go keeps more, and frees it later: it grew by 2.7, 4.7 and 7.7 MB, where this says 2.6, 4.6 and 7.8.
func (t NoSearch) Cost(conv ConvAlgorithm) Cost {
	d, tokens, blocks := int64(t.Width), int64(noSearchTokens), int64(t.Blocks)
	pairs := int64(t.AttentionHeads) * tokens * tokens
	kept := (21*tokens*d + pairs) * (2*blocks - 1) / 2
	if conv == Winograd { // that of the backend go
		kept = (50*tokens*d + 3*pairs) * blocks / 2
	}
	full := tokens*12*d*d + 2*tokens*tokens*d // multiplications of a block
	last := tokens*3*d*d + 2*tokens*d + 9*d*d
	ends := tokens*(noSearchIDs+2*encode.NoSearchBits)*d + encode.UCIMoves*d
	return Cost{float64(2 * ((blocks-1)*full + last + ends)), kept + 5*encode.UCIMoves}
}
