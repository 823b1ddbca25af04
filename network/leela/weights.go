package leela

import (
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"talbot/encode"
	"talbot/internal/humanize"
	"talbot/network/checkpoint"
	"talbot/network/model"
)

// weightsReader reads the message Weights. The first error stays.
type weightsReader struct {
	m       message
	at      string // the present message
	tensors []checkpoint.Tensor
	err     error
}

// settings finds what network it is by its form and the sizes of its tensors, which [layout] then has to agree with.
func (r *weightsReader) settings(f format) (t model.Leela, err error) {
	size := func(path ...protowire.Number) int { return r.size(r.m, path) }
	blocks, encoders := len(r.m.parts[2]), len(r.m.parts[27])
	t = model.Leela{Input: int(f.input), Activation: "relu", Policy: policies[f.policy],
		Chances: f.value == valueChances}
	if f.activation == 1 {
		t.Activation = "mish"
	}
	switch {
	case f.policy == 0 || f.value == 0:
		return t, fmt.Errorf("%w: the form of policy or value is missing", ErrDamaged)
	case blocks > 0 && encoders > 0:
		return t, fmt.Errorf("%w: a tower with encoders", ErrUnsupported)
	case blocks == 0 && encoders == 0:
		return t, fmt.Errorf("%w: weights.residual and weights.encoder are missing", ErrDamaged)
	case r.m.has(21) || r.has(45, 3, 8):
		return t, fmt.Errorf("%w: encoders in the policy head", ErrUnsupported)
	case r.any(27, 1, 10) || r.any(27, 1, 11) || r.any(27, 1, 12):
		return t, fmt.Errorf("%w: relative positions (rpe)", ErrUnsupported)
	}
	width := 0
	if blocks > 0 {
		t.Blocks, t.Filters = blocks, size(1, 1)/(encode.LeelaPlanes*9)
		width = max(t.Filters, 1)
		if r.any(2, 3) { // then all blocks must have it
			t.Squeeze = max(size(2, 3, 2), 1)
		}
		t.Norm = r.has(1, 3) || r.any(2, 1, 3) || r.any(2, 2, 3) || r.has(6, 3)
		t.ValueFilters = size(6, 1) / width
	} else {
		r.bodySettings(&t, f)
		t.ValueFilters = max(size(30), size(44, 1, 2))
	}
	t.ValueHidden = max(size(8), size(44, 1, 4))
	switch t.Policy {
	case "convolution":
		t.PolicyFilters = size(3, 1) / (9 * max(width, 1))
	case "classical":
		t.PolicyFilters = size(3, 1) / max(width, 1)
	default:
		t.PolicyFeatures = max(size(5), size(45, 2), size(45, 3, 2))
		t.PolicyDepth = max(size(18), size(45, 3, 4))
	}
	if f.movesLeft == movesLeftV1 {
		t.MovesLeftFilters, t.MovesLeftHidden = size(32), size(14)
		if blocks > 0 {
			t.MovesLeftFilters = size(12, 1) / width
		}
		if t.MovesLeftFilters == 0 {
			return t, fmt.Errorf("%w: weights.moves_left is missing", ErrDamaged)
		}
	}
	return t, r.err
}

func (r *weightsReader) bodySettings(t *model.Leela, f format) {
	size := func(path ...protowire.Number) int { return r.size(r.m, path) }
	named := func(n uint64) string {
		if n == 0 {
			return t.Activation
		}
		return activations[n]
	}
	t.Encoders, t.Features, t.AttentionHeads = len(r.m.parts[27]), size(26), int(min(r.m.numbers[28], 1<<16))
	t.Depth, t.FeedForward = size(27, 1, 2), size(27, 4, 2)
	t.FFNActivation, t.SmolgenActivation = named(f.feedForward), named(f.smolgen)
	t.Embedding = embeddings[f.embedding]
	switch {
	case f.network == 4 && r.has(27, 1, 9):
		t.FFNActivation, t.SmolgenActivation, t.Embedding = "relu2", "swish", "map"
	case f.network == 4, f.network == 6 && f.embedding == embeddingNone:
		t.Embedding = "map"
	}
	if r.m.has(45) && r.m.has(44) && f.network == 6 {
		t.Embedding = "dense"
	}
	t.Gates = r.m.has(33) || r.m.has(34)
	if t.Embedding == "dense" {
		t.BoardFeatures, t.EmbedFeedForward = size(38)/64, size(41, 2)
	}
	if r.any(27, 1, 9) {
		t.SmolgenCompress = max(size(27, 1, 9, 1)/max(t.Features, 1), 1)
		t.SmolgenHidden = size(27, 1, 9, 3)
		t.SmolgenFeatures = size(27, 1, 9, 7) / max(t.AttentionHeads, 1)
	}
}

// find returns the first message at the end of a path; false where a part is missing.
func (r *weightsReader) find(m message, path []protowire.Number) (message, bool) {
	for _, field := range path {
		if !m.has(field) {
			return m, false
		}
		next, err := parse(m.parts[field][0])
		if err != nil {
			r.fail("", fmt.Errorf("%w: field %d: %w", ErrDamaged, field, err))
			return m, false
		}
		m = next
	}
	return m, true
}

// any reports whether one of the messages of a repeated field has a part.
func (r *weightsReader) any(field protowire.Number, path ...protowire.Number) bool {
	last := len(path) - 1
	return slices.ContainsFunc(r.m.parts[field], func(b []byte) bool {
		m, err := parse(b)
		if err != nil {
			return false // reading the field says so
		}
		m, ok := r.find(m, path[:last])
		return ok && m.has(path[last])
	})
}

func (r *weightsReader) has(path ...protowire.Number) bool {
	m, ok := r.find(r.m, path[:len(path)-1])
	return ok && m.has(path[len(path)-1])
}

// size is how many numbers the layer at the end of a path has; 0 without it.
func (r *weightsReader) size(m message, path []protowire.Number) int {
	last := len(path) - 1
	if m, ok := r.find(m, path[:last]); ok && m.has(path[last]) {
		if l, err := parseLayer(m.one(path[last])); err == nil {
			return l.size()
		}
	}
	return 0
}

// fail notes the first error, at a field of the present message.
func (r *weightsReader) fail(field string, err error) {
	if r.err == nil {
		at := r.at
		if field != "" {
			at += "." + field
		}
		r.err = fmt.Errorf("%s: %w", at, err)
	}
}

func (r *weightsReader) in(field protowire.Number, name string, visit func()) {
	r.enter(r.m.one(field), name, r.m.has(field), visit)
}

func (r *weightsReader) each(field protowire.Number, name string, n int, visit func(i int)) {
	parts := r.m.parts[field]
	for i := range n {
		r.enter(parts[i], fmt.Sprintf("%s[%d]", name, i), true, func() { visit(i) })
	}
}

func (r *weightsReader) enter(content []byte, name string, there bool, visit func()) {
	if r.err != nil {
		return
	}
	if !there {
		r.fail(name, fmt.Errorf("%w: it is missing", ErrDamaged))
		return
	}
	m, at := r.m, r.at
	next, err := parse(content)
	if err != nil {
		r.fail(name, fmt.Errorf("%w: %w", ErrDamaged, err))
		return
	}
	r.m, r.at = next, at+"."+name
	visit()
	r.m, r.at = m, at
}

func (r *weightsReader) tensor(field protowire.Number, of, name string, shape ...int) {
	if data := r.numbers(field, of, shape); data != nil {
		r.tensors = append(r.tensors, checkpoint.Tensor{Name: name, Shape: shape, Data: data})
	}
}

// numbers reads a layer of the present message; nil after an error.
func (r *weightsReader) numbers(field protowire.Number, name string, shape []int) []float32 {
	if r.err != nil {
		return nil
	}
	if !r.m.has(field) {
		r.fail(name, fmt.Errorf("%w: it is missing", ErrDamaged))
		return nil
	}
	l, err := parseLayer(r.m.one(field))
	if err != nil {
		r.fail(name, fmt.Errorf("%w: %w", ErrDamaged, err))
		return nil
	}
	want := uint64(1)
	for _, n := range shape {
		want *= uint64(n)
	}
	if uint64(l.size()) != want {
		r.fail(name, fmt.Errorf("%w: it has %d numbers, not %d (%s)", ErrDamaged, l.size(), want,
			humanize.Shape(shape)))
		return nil
	}
	data, err := l.numbers()
	if err != nil {
		r.fail(name, fmt.Errorf("%w: %w", ErrDamaged, err))
	}
	return data
}

// epsilon is what a normalisation adds to the variance.
const epsilon = 1e-5

// Fields of a convolution.
const convWeights, convBiases, convMeans, convVariances, convGains, convOffsets = 1, 2, 3, 4, 5, 6

// conv reads weights and either a bias or a normalisation. A bias before a normalisation is taken from its mean; a
// missing gain is 1 and a missing offset 0; and in a network with normalisations a convolution that has only a bias
// gets the one that adds it.
func (r *weightsReader) conv(name, norm string, out, in, side int) {
	r.tensor(convWeights, "weights", name+".weight", out, in, side, side)
	or := func(field protowire.Number, of string, otherwise float32) []float32 {
		if r.m.has(field) {
			return r.numbers(field, of, []int{out})
		}
		return slices.Repeat([]float32{otherwise}, out)
	}
	bias := or(convBiases, "biases", 0)
	normed := r.m.has(convMeans) || r.m.has(convVariances) || r.m.has(convGains) || r.m.has(convOffsets)
	add := func(name string, data []float32) {
		r.tensors = append(r.tensors, checkpoint.Tensor{Name: name, Shape: []int{out}, Data: data})
	}
	if norm == "" {
		if normed {
			r.fail("bn_means", fmt.Errorf("%w: a normalisation where other networks have none", ErrUnsupported))
			return
		}
		add(name+".bias", bias)
		return
	}
	add(norm+".weight", or(convGains, "bn_gammas", 1))
	add(norm+".bias", or(convOffsets, "bn_betas", 0))
	mean, variance := make([]float32, out), slices.Repeat([]float32{1 - epsilon}, out)
	if normed {
		shape := []int{out}
		mean, variance = r.numbers(convMeans, "bn_means", shape), r.numbers(convVariances, "bn_stddivs", shape)
	}
	if r.err != nil {
		return
	}
	for i := range mean {
		mean[i] -= bias[i]
	}
	add(norm+".running_mean", mean)
	add(norm+".running_var", variance)
}

func (r *weightsReader) heads(field protowire.Number, n int) {
	if r.err == nil && r.m.numbers[field] != uint64(n) {
		r.fail("headcount", fmt.Errorf("%w: it is %d", ErrDamaged, r.m.numbers[field]))
	}
}

// weightsWriter writes the message Weights. The first error stays.
type weightsWriter struct {
	tensors map[string]checkpoint.Tensor
	b       []byte // the present message
	at      string
	err     error
}

func (w *weightsWriter) in(field protowire.Number, name string, visit func()) {
	outer := w.b
	w.b = nil
	visit()
	w.b = appendBytes(outer, field, w.b)
}

func (w *weightsWriter) each(field protowire.Number, name string, n int, visit func(i int)) {
	for i := range n {
		w.in(field, name, func() { visit(i) })
	}
}

func (w *weightsWriter) tensor(field protowire.Number, of, name string, shape ...int) {
	if w.err != nil {
		return
	}
	if w.err = w.check([]string{name}, shape); w.err != nil {
		return
	}
	layer, err := appendLayer(nil, w.tensors[name].Data)
	if err != nil {
		w.err = fmt.Errorf("tensor %q: %w", name, err)
		return
	}
	w.b = appendBytes(w.b, field, layer)
}

// conv writes a convolution with its normalisation. Sixteen bits between the least and the greatest number of a tensor
// hold a small variance beside a large one badly. So, unless they hold all of the numbers exactly, as those that were
// read from a file, each channel's weights are scaled to ±1, variances become 1, and gain and offset take over the
// rest.
func (w *weightsWriter) conv(name, norm string, out, in, side int) {
	weights := []int{out, in, side, side}
	if norm == "" {
		w.tensor(convWeights, "", name+".weight", weights...)
		w.tensor(convBiases, "", name+".bias", out)
		return
	}
	parts := []string{name + ".weight", norm + ".running_mean", norm + ".running_var", norm + ".weight", norm + ".bias"}
	if w.err = w.check(parts, weights, []int{out}); w.err != nil {
		return
	}
	if slices.ContainsFunc(parts, func(name string) bool { return !exact(w.tensors[name].Data) }) {
		w.fold(parts, in*side*side)
	}
	w.tensor(convWeights, "", parts[0], weights...)
	for i, name := range parts[1:] {
		w.tensor(convMeans+protowire.Number(i), "", name, out)
	}
}

// check returns an error unless tensors have these shapes; the last one is that of all further ones.
func (w *weightsWriter) check(names []string, shapes ...[]int) error {
	if w.err != nil {
		return w.err
	}
	for i, name := range names {
		shape := shapes[min(i, len(shapes)-1)]
		if t, ok := w.tensors[name]; !ok || !slices.Equal(t.Shape, shape) {
			return fmt.Errorf("tensor %q has shape %v; the file needs %v", name, t.Shape, shape)
		}
	}
	return nil
}

// fold gives a convolution of channels of so many weights, and its normalisation, the form that [weightsWriter.conv]
// says.
func (w *weightsWriter) fold(parts []string, width int) {
	data := make([][]float32, len(parts))
	for i, name := range parts {
		data[i] = slices.Clone(w.tensors[name].Data)
	}
	for c := range data[1] {
		weights := data[0][c*width : (c+1)*width]
		scale := float32(0)
		for _, x := range weights {
			scale = max(scale, x, -x)
		}
		if scale == 0 {
			scale = 1
		}
		for i := range weights {
			weights[i] /= scale
		}
		gain := float64(data[3][c]) / math.Sqrt(float64(data[2][c])+epsilon)
		data[4][c] -= float32(float64(data[1][c]) * gain)
		data[1][c], data[2][c], data[3][c] = 0, 1-epsilon, scale*float32(gain)
	}
	for i, name := range parts {
		w.tensors[name] = checkpoint.Tensor{Name: name, Shape: w.tensors[name].Shape, Data: data[i]}
	}
}

func (w *weightsWriter) heads(field protowire.Number, n int) {
	w.b = appendNumber(w.b, field, uint64(n))
}
