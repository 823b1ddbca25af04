package model

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// talbotbot is the reference network: a 3×3 stem, residual blocks, a policy and a value head.
//
//	stem    conv 3×3 68→F, norm, ReLU
//	block   conv 3×3, norm, ReLU, [channel dropout], conv 3×3, norm, + input, ReLU
//	policy  conv 1×1 F→2, norm, ReLU, linear 128→4672
//	value   conv 1×1 F→1, norm, ReLU, linear 64→64, ReLU, dropout, linear 64→1, tanh
//
// With B blocks counted from 1, block b has dropout if 2b ≥ B: blocks 10 to 20 of 20, 3 to 6 of 6.
type talbotbot struct{ Config }

func (t talbotbot) dropsIn(block int) bool { return 2*block >= t.Blocks }

func (t talbotbot) Params() []Param {
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
	conv("stem.conv", f, Planes, 3)
	norm("stem.bn", f)
	for b := range t.Blocks {
		for i := 1; i <= 2; i++ {
			conv(fmt.Sprintf("blocks.%d.conv%d", b, i), f, f, 3)
			norm(fmt.Sprintf("blocks.%d.bn%d", b, i), f)
		}
	}
	conv("policy.conv", 2, f, 1)
	norm("policy.bn", 2)
	linear("policy.fc", Moves, 128)
	conv("value.conv", 1, f, 1)
	norm("value.bn", 1)
	linear("value.fc1", 64, 64)
	linear("value.fc2", 1, 64)
	return params
}

func (t talbotbot) Forward(p *Pass, planes *Node) (logits, value *Node) {
	convNorm := func(x *Node, conv, norm string) *Node {
		return p.norm(p.convolve(x, conv), norm)
	}
	x := p.relu(convNorm(p.Form.Spread(planes), "stem.conv", "stem.bn"))
	for b := range t.Blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := p.relu(convNorm(x, name+"conv1", name+"bn1"))
		if t.dropsIn(b + 1) {
			y = p.dropChannels(y, t.BlockDropout)
		}
		x = p.relu(Add(convNorm(y, name+"conv2", name+"bn2"), x))
	}
	h := p.Form.Flatten(p.relu(convNorm(x, "policy.conv", "policy.bn")))
	logits = p.linear(h, "policy.fc")
	h = p.Form.Flatten(p.relu(convNorm(x, "value.conv", "value.bn")))
	h = p.dropout(p.relu(p.linear(h, "value.fc1")), t.ValueDropout)
	value = Reshape(Tanh(p.watch(p.linear(h, "value.fc2"))), planes.Shape().Dim(0))
	return logits, value
}
