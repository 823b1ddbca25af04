package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"

	"talbot/board"
	"talbot/encode"
)

// Leela is a network of lc0's: a residual tower or an attention body over 112 planes, with a policy, a value and, on
// request, the plies that are left. Package leela reads and writes their files.
type Leela struct {
	Input      int    `json:"input"`      // format of the planes, 1 to 5
	Activation string `json:"activation"` // "relu" or "mish", where nothing else is said

	// The tower: convolutions of 3×3, with squeeze and excitation.
	Blocks  int  `json:"blocks"` // 0 = an attention body
	Filters int  `json:"filters"`
	Squeeze int  `json:"squeeze"` // features between squeeze and excitation; 0 = without
	Norm    bool `json:"norm"`    // batch normalisations after convolutions; false = biases alone

	// The attention body: a token a square.
	Encoders          int    `json:"encoders"`
	Features          int    `json:"features"` // of a token
	AttentionHeads    int    `json:"attention_heads"`
	Depth             int    `json:"depth"`          // of queries, keys and values, all heads together
	FeedForward       int    `json:"feed_forward"`   // hidden features of an encoder's feed-forward layers
	Embedding         string `json:"embedding"`      // "none", "map" or "dense": what a token has beside its planes
	BoardFeatures     int    `json:"board_features"` // that embedding "dense" gives to each square
	EmbedFeedForward  int    `json:"embed_feed_forward"`
	Gates             bool   `json:"gates"`            // a factor and an addend for each feature of each square
	SmolgenCompress   int    `json:"smolgen_compress"` // features a square; 0 = without smolgen
	SmolgenHidden     int    `json:"smolgen_hidden"`
	SmolgenFeatures   int    `json:"smolgen_features"` // of a head
	FFNActivation     string `json:"ffn_activation"`   // of the feed-forward layers
	SmolgenActivation string `json:"smolgen_activation"`

	Policy         string `json:"policy"`          // "convolution", "attention" or "classical"
	PolicyFilters  int    `json:"policy_filters"`  // of the last convolution
	PolicyFeatures int    `json:"policy_features"` // of a square, before queries and keys
	PolicyDepth    int    `json:"policy_depth"`    // of queries and keys

	Chances      bool `json:"chances"`       // the value is win, draw and loss; false = a number
	ValueFilters int  `json:"value_filters"` // of a square
	ValueHidden  int  `json:"value_hidden"`

	MovesLeftFilters int `json:"moves_left_filters"` // of a square; 0 = without the head
	MovesLeftHidden  int `json:"moves_left_hidden"`

	ValueWeight     float64 `json:"value_weight"`      // in the loss
	MovesLeftWeight float64 `json:"moves_left_weight"` // in the loss
}

// LeelaActivations names the activations in the order of their numbers in lc0's files, from 1.
var LeelaActivations = []string{"mish", "relu", "none", "tanh", "sigmoid", "selu", "swish", "relu2"}

// Validate checks the settings.
func (t Leela) Validate() error {
	const most = 1 << 16
	err := cmp.Or(within("input", t.Input, 1, 5), oneOf("activation", t.Activation, "relu", "mish"),
		within("blocks", t.Blocks, 0, 200), within("value filters", t.ValueFilters, 1, most),
		within("value hidden", t.ValueHidden, 1, most), within("moves left filters", t.MovesLeftFilters, 0, most),
		weight("value weight", t.ValueWeight), weight("moves left weight", t.MovesLeftWeight))
	if err == nil && t.MovesLeftFilters > 0 {
		err = within("moves left hidden", t.MovesLeftHidden, 1, most)
	}
	if err != nil {
		return err
	}
	if t.Blocks > 0 {
		err = cmp.Or(within("filters", t.Filters, 1, most), within("squeeze", t.Squeeze, 0, most),
			oneOf("policy", t.Policy, "convolution", "attention", "classical"))
	} else {
		err = cmp.Or(t.validateBody(), oneOf("policy of an attention body", t.Policy, "attention"))
	}
	if err != nil {
		return err
	}
	switch t.Policy {
	case "convolution":
		return within("policy filters", t.PolicyFilters, 73, most)
	case "classical":
		return within("policy filters", t.PolicyFilters, 1, most)
	}
	return cmp.Or(within("policy features", t.PolicyFeatures, 1, most), within("policy depth", t.PolicyDepth, 1, most))
}

func (t Leela) validateBody() error {
	const most = 1 << 16
	err := cmp.Or(within("encoders", t.Encoders, 1, 200), within("features", t.Features, 1, most),
		within("attention heads", t.AttentionHeads, 1, most), within("depth", t.Depth, 1, most),
		within("feed forward", t.FeedForward, 1, most), oneOf("embedding", t.Embedding, "map", "dense"),
		oneOf("ffn activation", t.FFNActivation, LeelaActivations...),
		oneOf("smolgen activation", t.SmolgenActivation, LeelaActivations...),
		within("smolgen compress", t.SmolgenCompress, 0, most))
	if err == nil && t.Embedding == "dense" {
		err = cmp.Or(within("board features", t.BoardFeatures, 1, most),
			within("embed feed forward", t.EmbedFeedForward, 1, most))
	}
	if err == nil && t.SmolgenCompress > 0 {
		err = cmp.Or(within("smolgen hidden", t.SmolgenHidden, 1, most),
			within("smolgen features", t.SmolgenFeatures, 1, most))
	}
	if err == nil && t.Depth%t.AttentionHeads != 0 {
		err = fmt.Errorf("depth must be a multiple of %d heads: %d", t.AttentionHeads, t.Depth)
	}
	return err
}

// oneOf returns an error for a setting that is none of some names.
func oneOf(name, value string, names ...string) error {
	if !slices.Contains(names, value) {
		return fmt.Errorf("%s must be one of %s: %q", name, strings.Join(names, ", "), value)
	}
	return nil
}

// String is such as "6 blocks of 64 filters".
func (t Leela) String() string {
	if t.Blocks > 0 {
		return blocksOf(t.Blocks, fmt.Sprintf("%d filters", t.Filters))
	}
	return blocksOf(t.Encoders, fmt.Sprintf("%d features", t.Features))
}

// width is how many features a square has in tower or body.
func (t Leela) width() int {
	if t.Blocks > 0 {
		return t.Filters
	}
	return t.Features
}

// Params lists tower or body, then the heads.
func (t Leela) Params() []Param {
	var l layers
	conv := func(name, norm string, out, in, side int) {
		l.conv(name, out, in, side)
		if t.Norm && norm != "" {
			l.norm(norm, out)
		} else {
			l.add(Bias, in*side*side, name+".bias", out)
		}
	}
	if t.Blocks > 0 {
		conv("stem.conv", "stem.bn", t.Filters, encode.LeelaPlanes, 3)
		for b := range t.Blocks {
			name := fmt.Sprintf("blocks.%d.", b)
			conv(name+"conv1", name+"bn1", t.Filters, t.Filters, 3)
			conv(name+"conv2", name+"bn2", t.Filters, t.Filters, 3)
			if t.Squeeze > 0 {
				l.linear(name+"se.fc1", t.Squeeze, t.Filters)
				l.linear(name+"se.fc2", 2*t.Filters, t.Squeeze)
			}
		}
	} else {
		t.bodyParams(&l)
	}
	switch width := t.width(); t.Policy {
	case "convolution":
		conv("policy.conv", "policy.bn", width, width, 3)
		conv("policy.planes", "", t.PolicyFilters, width, 3)
	case "classical":
		conv("policy.conv", "policy.bn", t.PolicyFilters, width, 1)
		l.linear("policy.fc", board.LeelaMoves, 64*t.PolicyFilters)
	default:
		l.linear("policy.embed", t.PolicyFeatures, width)
		l.linear("policy.q", t.PolicyDepth, t.PolicyFeatures)
		l.linear("policy.k", t.PolicyDepth, t.PolicyFeatures)
		l.add(Weight, t.PolicyDepth, "policy.promotion.weight", 4, t.PolicyDepth)
	}
	head := func(name string, filters, hidden, out int) {
		if t.Blocks > 0 {
			conv(name+".conv", name+".bn", filters, t.Filters, 1)
		} else {
			l.linear(name+".embed", filters, t.Features)
		}
		l.linear(name+".fc1", hidden, 64*filters)
		l.linear(name+".fc2", out, hidden)
	}
	outputs := 1
	if t.Chances {
		outputs = 3
	}
	head("value", t.ValueFilters, t.ValueHidden, outputs)
	if t.MovesLeftFilters > 0 {
		head("moves_left", t.MovesLeftFilters, t.MovesLeftHidden, 1)
	}
	return l
}

func (t Leela) bodyParams(l *layers) {
	norm := func(name string, n int) {
		l.add(NormGain, 0, name+".weight", n)
		l.add(NormBias, 0, name+".bias", n)
	}
	planes := encode.LeelaPlanes
	switch t.Embedding {
	case "map":
		planes += 64
	case "dense":
		planes += t.BoardFeatures
		l.linear("embed.board", 64*t.BoardFeatures, 64*12)
	}
	l.linear("embed.fc", t.Features, planes)
	if t.Embedding == "dense" {
		norm("embed.ln", t.Features)
	}
	if t.Gates {
		l.add(NormGain, 0, "embed.factor", t.Features, 64)
		l.add(NormBias, 0, "embed.addend", t.Features, 64)
	}
	if t.Embedding == "dense" {
		l.linear("embed.ffn.fc1", t.EmbedFeedForward, t.Features)
		l.linear("embed.ffn.fc2", t.Features, t.EmbedFeedForward)
		norm("embed.ffn_ln", t.Features)
	}
	for i := range t.Encoders {
		name := fmt.Sprintf("encoders.%d.", i)
		for _, part := range []string{"q", "k", "v"} {
			l.linear(name+part, t.Depth, t.Features)
		}
		l.linear(name+"out", t.Features, t.Depth)
		if t.SmolgenCompress > 0 {
			l.add(Weight, t.Features, name+"smolgen.compress.weight", t.SmolgenCompress, t.Features)
			l.linear(name+"smolgen.fc1", t.SmolgenHidden, 64*t.SmolgenCompress)
			norm(name+"smolgen.ln1", t.SmolgenHidden)
			l.linear(name+"smolgen.fc2", t.AttentionHeads*t.SmolgenFeatures, t.SmolgenHidden)
			norm(name+"smolgen.ln2", t.AttentionHeads*t.SmolgenFeatures)
		}
		norm(name+"ln1", t.Features)
		l.linear(name+"ffn.fc1", t.FeedForward, t.Features)
		l.linear(name+"ffn.fc2", t.Features, t.FeedForward)
		norm(name+"ln2", t.Features)
	}
	if t.SmolgenCompress > 0 {
		l.add(Weight, t.SmolgenFeatures, "smolgen.weight", 64*64, t.SmolgenFeatures)
	}
}

// Unpack makes the 112 planes of inputs as [encode.Leela.Pack] writes them.
func (t Leela) Unpack(a ConvAlgorithm, packed *Node) *Node {
	const frames = 8
	g, n := packed.Graph(), packed.Shape().Dim(0)
	flags := column(packed, encode.LeelaWords-1)
	boards := Reshape(Slice(packed, AxisRange(), AxisRange(0, 4*frames)), n, frames, 4)
	word := func(i int) *Node { return Slice(boards, AxisRange(), AxisRange(), AxisElem(i)) }
	repeated := Reshape(flagPlanes(BitwiseShiftRightLogical(flags, uint64s(g, 8)), frames), n, frames, 1)
	planes := Concatenate(append(piecePlanes(word(0), word(1), word(2), word(3)), repeated), 2)

	last := []*Node{Reshape(planes, n, 13*frames)}
	rights := flagPlanes(flags, 5)
	on := func(i int, mask uint64) *Node { return BitwiseAnd(column(rights, i), uint64s(g, mask)) }
	zeros := BroadcastToDims(uint64s(g, 0), n, 1)
	if t.Input == 1 {
		last = append(last, Slice(rights, AxisRange(), AxisRange(0, 4)))
	} else {
		last = append(last, BitwiseOr(on(0, 1), on(2, 1<<56)), BitwiseOr(on(1, 1<<7), on(3, 1<<63)), zeros, zeros)
	}
	if t.Input < 3 {
		last = append(last, column(rights, 4))
	} else {
		passed := BitwiseAnd(BitwiseShiftRightLogical(flags, uint64s(g, 24)), uint64s(g, 0xff))
		last = append(last, BitwiseShiftLeft(passed, uint64s(g, 56)))
	}
	ones := BitwiseNot(zeros)
	x := a.Spread(Concatenate(append(last, ones, zeros, ones), 1))

	clock := ConvertDType(BitwiseAnd(BitwiseShiftRightLogical(flags, uint64s(g, 16)), uint64s(g, 0xff)), dtypes.Float32)
	if t.Input >= 4 {
		clock = DivScalar(clock, 100)
	}
	one := func(k int) *Node { return Ones(g, shapes.Make(dtypes.Float32, n, k)) }
	return Mul(x, a.perSample(Concatenate([]*Node{one(encode.LeelaPlanes - 3), clock, one(2)}, 1)))
}

// Heads are the logits of all moves, the logits of the chances, the value, and the plies that are left.
func (t Leela) Heads() []Head {
	heads := []Head{{"logits", []int{board.LeelaMoves}, "of all moves, in the order of lc0's 1858 numbers"}}
	if t.Chances {
		heads = append(heads, Head{"chances", []int{3}, "logits of win, draw and loss for the side to move"})
	}
	heads = append(heads, Head{"value", nil, "in [-1, 1]; win less loss for the side to move"})
	if t.MovesLeftFilters > 0 {
		heads = append(heads, Head{"moves_left", nil, "plies to the end of the game"})
	}
	return heads
}

// Forward takes the planes.
func (t Leela) Forward(p *Pass, planes *Node) []*Node {
	n := planes.Shape().Dim(p.Conv.batchAxis())
	var rows, x *Node // squares as rows of features, or activations of convolutions
	if t.Blocks > 0 {
		x = t.tower(p, planes)
	} else {
		rows = t.body(p, p.Conv.rows(planes))
	}
	head := func(name string) *Node {
		var flat *Node
		if t.Blocks > 0 {
			flat = p.Conv.Flatten(p.activate(t.Activation, t.conv(p, x, name+".conv", name+".bn")))
		} else {
			flat = p.activate(t.Activation, p.linear(rows, name+".embed"))
			flat = Reshape(flat, n, flat.Shape().Size()/n)
		}
		return p.linear(p.activate(t.Activation, p.linear(ConvertDType(flat, dtypes.Float32), name+".fc1")),
			name+".fc2")
	}
	heads := []*Node{t.policy(p, x, rows)}
	y := p.watch(head("value"))
	if t.Chances {
		chances := Softmax(y, 1)
		of := func(i int) *Node { return Slice(chances, AxisRange(), AxisElem(i)) }
		heads, y = append(heads, y), Sub(of(0), of(2))
	} else {
		y = Tanh(y)
	}
	heads = append(heads, Reshape(y, n))
	if t.MovesLeftFilters > 0 {
		heads = append(heads, Reshape(p.relu(head("moves_left")), n))
	}
	return heads
}

// conv is a convolution with its normalisation or bias.
func (t Leela) conv(p *Pass, x *Node, name, norm string) *Node {
	y := p.convolveDense(x, name)
	if t.Norm && norm != "" {
		return p.norm(y, norm)
	}
	return p.addBias(y, name)
}

// tower is stem and blocks.
func (t Leela) tower(p *Pass, planes *Node) *Node {
	x := p.convolve(planes, "stem.conv")
	if t.Norm {
		x = p.norm(x, "stem.bn")
	} else {
		x = p.addBias(x, "stem.conv")
	}
	x = p.activate(t.Activation, x)
	for b := range t.Blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := p.activate(t.Activation, t.conv(p, x, name+"conv1", name+"bn1"))
		y = t.conv(p, y, name+"conv2", name+"bn2")
		if t.Squeeze > 0 {
			z := p.activate(t.Activation, p.linear(ConvertDType(p.Conv.Means(y), dtypes.Float32), name+"se.fc1"))
			z = p.watch(p.linear(z, name+"se.fc2"))
			factor := Sigmoid(Slice(z, AxisRange(), AxisRange(0, t.Filters)))
			addend := p.Conv.perSample(Slice(z, AxisRange(), AxisRange(t.Filters)))
			y = Add(p.excite(y, factor), ConvertDType(addend, y.DType()))
		}
		x = p.activate(t.Activation, Add(y, x))
	}
	return x
}

// policy returns the logits of all moves.
func (t Leela) policy(p *Pass, x, rows *Node) *Node {
	switch t.Policy {
	case "convolution":
		y := p.activate(t.Activation, t.conv(p, x, "policy.conv", "policy.bn"))
		y = p.Conv.Flatten(t.conv(p, y, "policy.planes", ""))
		return columns(ConvertDType(y, dtypes.Float32), leelaFromPlanes)
	case "classical":
		y := p.Conv.Flatten(p.activate(t.Activation, t.conv(p, x, "policy.conv", "policy.bn")))
		return p.linear(ConvertDType(y, dtypes.Float32), "policy.fc")
	}
	activation := t.Activation
	if t.Blocks > 0 {
		rows, activation = p.Conv.rows(x), "selu"
	}
	n := rows.Shape().Dim(0) / 64
	y := p.activate(activation, p.linear(ConvertDType(rows, dtypes.Float32), "policy.embed"))
	q := Reshape(p.linear(y, "policy.q"), n, 64, t.PolicyDepth)
	k := Reshape(p.linear(y, "policy.k"), n, 64, t.PolicyDepth)
	scores := MulScalar(DotGeneral(q, []int{2}, []int{0}, k, []int{2}, []int{0}), 1/math.Sqrt(float64(t.PolicyDepth)))
	// Of promotions, [n, from file, to file, piece]: the score of the pawn's move and what the piece adds.
	k8 := Slice(k, AxisRange(), AxisRange(56))
	more := DotGeneral(k8, []int{2}, nil, p.value(rows.Graph(), "policy.promotion.weight"), []int{1}, nil) // [n, 8, 4]
	more = Add(Slice(more, AxisRange(), AxisRange(), AxisRange(0, 3)), Slice(more, AxisRange(), AxisRange(),
		AxisRange(3)))
	pawns := Slice(scores, AxisRange(), AxisRange(48, 56), AxisRange(56))
	promotions := Add(InsertAxes(pawns, 3), InsertAxes(more, 1))
	all := Concatenate([]*Node{Reshape(scores, n, 64*64), Reshape(promotions, n, 8*8*3)}, 1)
	return columns(all, leelaFromPairs)
}

// columns takes columns of a matrix: [N, any] → [N, len(which)].
func columns(x *Node, which []int32) *Node {
	at := make([][]int32, len(which))
	for i, c := range which {
		at[i] = []int32{c}
	}
	return Transpose(Gather(Transpose(x, 0, 1), Const(x.Graph(), at)), 0, 1)
}

// leelaFromPlanes and leelaFromPairs are where the logits of lc0's moves are among those of 73 planes of 64 squares,
// and among those of pairs of squares and of promotions from file to file to queen, rook or bishop.
var leelaFromPlanes, leelaFromPairs = func() (planes, pairs []int32) {
	planes, pairs = make([]int32, board.LeelaMoves), make([]int32, board.LeelaMoves)
	set := func(m board.Move, plane, pair int) {
		i := board.LeelaNumber(m)
		planes[i], pairs[i] = int32(64*plane)+int32(m.From()), int32(pair)
	}
	white := board.StartPosition()
	for from := range board.Square(64) {
		for to := range board.Square(64) {
			if m := board.NewMove(from, to); from != to && board.LeelaNumber(m) >= 0 {
				set(m, encode.TalbotBot{}.MoveIndex(&white, m)%73, 64*int(from)+int(to))
			}
		}
	}
	for from := range 8 {
		for to := max(from-1, 0); to <= min(from+1, 7); to++ {
			for i, piece := range []board.PieceType{board.Queen, board.Rook, board.Bishop} {
				m := board.NewPromotion(board.Square(48+from), board.Square(56+to), piece)
				set(m, 64+3*(to-from+1)+(i+2)%3, 64*64+24*from+3*to+i)
			}
		}
	}
	return planes, pairs
}()

// body is embedding and encoders: rows of planes to rows of features.
func (t Leela) body(p *Pass, rows *Node) *Node {
	g, n := rows.Graph(), rows.Shape().Dim(0)/64
	epsilon := 1e-6
	planes := Reshape(rows, n, 64, encode.LeelaPlanes)
	switch t.Embedding {
	case "map":
		reach := BroadcastToDims(Const(g, [][][]float32{leelaReach}), n, 64, 64)
		planes = Concatenate([]*Node{planes, reach}, 2)
	case "dense":
		epsilon = 1e-3
		pieces := Reshape(Slice(planes, AxisRange(), AxisRange(), AxisRange(0, 12)), n, 64*12)
		planes = Concatenate([]*Node{planes, Reshape(p.linear(pieces, "embed.board"), n, 64, t.BoardFeatures)}, 2)
	}
	h := p.activate(t.Activation, p.linear(Reshape(planes, n*64, planes.Shape().Dim(2)), "embed.fc"))
	if t.Embedding == "dense" {
		h = p.layerNormAs(h, "embed.ln", epsilon)
	}
	if t.Gates {
		of := func(name string) *Node { return InsertAxes(Transpose(p.value(g, name), 0, 1), 0) }
		h = Add(Mul(Reshape(h, n, 64, t.Features), of("embed.factor")), of("embed.addend"))
		h = Reshape(h, n*64, t.Features)
	}
	alpha := math.Pow(2*float64(t.Encoders), -0.25)
	feedForward := func(h *Node, name string) *Node {
		return p.linear(p.activate(t.FFNActivation, p.linear(h, name+".fc1")), name+".fc2")
	}
	join := func(h, y *Node, norm string) *Node {
		return p.layerNormAs(Add(MulScalar(y, alpha), h), norm, epsilon)
	}
	if t.Embedding == "dense" {
		h = join(h, feedForward(h, "embed.ffn"), "embed.ffn_ln")
	}
	for i := range t.Encoders {
		name := fmt.Sprintf("encoders.%d.", i)
		h = join(h, t.attention(p, h, name), name+"ln1")
		h = join(h, feedForward(h, name+"ffn"), name+"ln2")
	}
	return p.watch(h)
}

// attention is that of an encoder.
func (t Leela) attention(p *Pass, h *Node, name string) *Node {
	n := h.Shape().Dim(0) / 64
	split := func(part string) *Node {
		return TransposeAllAxes(Reshape(p.linear(h, name+part), n, 64, t.AttentionHeads, t.Depth/t.AttentionHeads),
			0, 2, 1, 3)
	}
	q, k, v := split("q"), split("k"), split("v")
	scores := DotGeneral(q, []int{3}, []int{0, 1}, k, []int{3}, []int{0, 1})
	scores = MulScalar(scores, 1/math.Sqrt(float64(t.Depth/t.AttentionHeads)))
	if t.SmolgenCompress > 0 {
		c := DotGeneral(h, []int{1}, nil, p.value(h.Graph(), name+"smolgen.compress.weight"), []int{1}, nil)
		z := Reshape(c, n, 64*t.SmolgenCompress)
		for i := 1; i <= 2; i++ {
			z = p.activate(t.SmolgenActivation, p.linear(z, fmt.Sprintf("%ssmolgen.fc%d", name, i)))
			z = p.layerNormAs(z, fmt.Sprintf("%ssmolgen.ln%d", name, i), 1e-3)
		}
		z = Reshape(z, n*t.AttentionHeads, t.SmolgenFeatures)
		z = DotGeneral(z, []int{1}, nil, p.value(h.Graph(), "smolgen.weight"), []int{1}, nil)
		scores = Add(scores, Reshape(z, n, t.AttentionHeads, 64, 64))
	}
	y := DotGeneral(Softmax(scores, 3), []int{3}, []int{0, 1}, v, []int{2}, []int{0, 1})
	y = Reshape(TransposeAllAxes(y, 0, 2, 1, 3), n*64, t.Depth)
	return p.linear(y, name+"out")
}

// leelaReach is for each square −1 on itself, 1 on those that a queen or a knight reaches from it, and 0 elsewhere.
var leelaReach = func() (reach [][]float32) {
	for from := range board.Square(64) {
		row := make([]float32, 64)
		for to := range board.Square(64) {
			if board.LeelaNumber(board.NewMove(from, to)) >= 0 {
				row[to] = 1
			}
		}
		row[from] = -1
		reach = append(reach, row)
	}
	return reach
}()

// activate is an activation by its name.
func (p *Pass) activate(name string, x *Node) *Node {
	switch name {
	case "relu":
		return p.relu(x)
	case "relu2":
		return Square(p.relu(x))
	case "none":
		return x
	}
	p.watch(x)
	switch name {
	case "mish":
		return Mul(x, Tanh(softplus(x)))
	case "tanh":
		return Tanh(x)
	case "sigmoid":
		return Sigmoid(x)
	case "selu":
		return selu(x)
	case "swish":
		return Mul(x, Sigmoid(x))
	}
	panic("model: no activation " + name)
}

// selu is GoMLX's, with a gradient also where exp(x) is infinite.
func selu(x *Node) *Node {
	above := GreaterThan(x, ScalarZero(x.Graph(), x.DType()))
	below := MulScalar(MinusOne(Exp(Where(above, ZerosLike(x), x))), activation.SeluAlpha)
	return MulScalar(Where(above, x, below), activation.SeluScale)
}

// Terms are those of the loss, and how often the policy's first move is the target.
func (t Leela) Terms() []Term {
	terms := []Term{{Name: "policy_ce", Weight: 1, Over: Listed}}
	if t.Chances {
		terms = append(terms, Term{Name: "wdl_ce", Weight: t.ValueWeight, Over: Float(1)})
	} else {
		terms = append(terms, Term{Name: "value_mse", Weight: t.ValueWeight, Over: Float(0)})
	}
	if t.MovesLeftFilters > 0 {
		terms = append(terms, Term{Name: "moves_left", Weight: t.MovesLeftWeight, Over: Float(3)})
	}
	return append(terms, Term{Name: "top1", Over: Listed, Figure: true})
}

// Loss sums up the terms. That of the plies left is the Huber loss of a 20th of them, which is linear from 10 plies on.
func (t Leela) Loss(heads []*Node, b Batch) []Sum {
	policy := listedPolicy(heads[0], b)
	sums := []Sum{{Shown: policy.entropy}}
	if t.Chances {
		sums = append(sums, Sum{Shown: chancesSum(heads[1], b)})
	} else {
		sums = append(sums, Sum{Shown: valueSum(heads[1], b, 0)})
	}
	if t.MovesLeftFilters > 0 {
		off := Abs(DivScalar(Sub(heads[len(heads)-1], b.Floats[3]), 20))
		const linear = 10.0 / 20
		huber := Where(LessThan(off, Scalar(off.Graph(), dtypes.Float32, linear)), MulScalar(Square(off), 0.5),
			MulScalar(AddScalar(off, -linear/2), linear))
		sums = append(sums, Sum{Shown: ReduceAllSum(Mul(b.Known[3], huber))})
	}
	return append(sums, Sum{Shown: policy.top1})
}

// Outputs gives priors, the value and the chances.
func (t Leela) Outputs(heads []*Node, legal *Node) Outputs {
	a := IndexedOutputs(heads[0], legal)
	a.Value = heads[1]
	if t.Chances {
		a.WDL, a.Value = Softmax(heads[1], 1), heads[2]
	}
	if t.MovesLeftFilters > 0 {
		a.MovesLeft = heads[len(heads)-1]
	}
	return a
}

// Cost counts what a tower keeps as [Lynx.Cost] does, and a body as [NoSearch.Cost].
func (t Leela) Cost(conv ConvAlgorithm) Cost {
	if t.Blocks > 0 {
		r := residual{planes: encode.LeelaPlanes, blocks: t.Blocks, filters: t.Filters}
		return Cost{convolutional(t.Params()), r.floats(conv) + 64*3*int64(t.Blocks*t.Filters) + 6*64*80}
	}
	features, blocks := int64(t.Features+t.Depth+t.FeedForward), int64(t.Encoders)
	kept := blocks * (64*8*features + 4*int64(t.AttentionHeads)*64*64)
	products := 0
	for _, param := range t.Params() {
		if param.Kind == Weight {
			products += 64 * param.Size()
		}
	}
	return Cost{2 * float64(products), kept}
}
