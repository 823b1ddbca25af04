package leela

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"talbot/board"
	"talbot/encode"
	"talbot/network/model"
)

// visitor is called by [layout] for each part of the message Weights, to read or to write it. Fields have the names of
// lc0's protocol.
type visitor interface {
	// in visits a message in the present one.
	in(field protowire.Number, name string, visit func())
	// each visits the n messages of a repeated field.
	each(field protowire.Number, name string, n int, visit func(i int))
	// tensor visits a tensor of the present message; name and shape are talbot's.
	tensor(field protowire.Number, of, name string, shape ...int)
	// conv visits a convolution with its normalisation or, without the name of one, its bias: the present message.
	conv(name, norm string, out, in, side int)
	// heads visits a number of heads.
	heads(field protowire.Number, n int)
}

// convolution visits a convolution that is followed by a normalisation in networks that have any.
func convolution(v visitor, t model.Leela, name, norm string, out, in, side int) {
	if !t.Norm {
		norm = ""
	}
	v.conv(name, norm, out, in, side)
}

// linear visits weights and biases, in fields that follow one another.
func linear(v visitor, field protowire.Number, of, name string, out, in int) {
	v.tensor(field, of+"_w", name+".weight", out, in)
	v.tensor(field+1, of+"_b", name+".bias", out)
}

// layerNorm visits a gain and a bias.
func layerNorm(v visitor, field protowire.Number, of, name string, features int) {
	v.tensor(field, of+"_gammas", name+".weight", features)
	v.tensor(field+1, of+"_betas", name+".bias", features)
}

// layout visits the message Weights of a network with these settings.
func layout(v visitor, t model.Leela) {
	width := t.Features
	if t.Blocks > 0 {
		width = t.Filters
		tower(v, t)
	} else {
		body(v, t)
	}
	value := func(embed, hidden, last protowire.Number) {
		if t.Blocks > 0 {
			v.in(6, "value", func() { convolution(v, t, "value.conv", "value.bn", t.ValueFilters, width, 1) })
		} else {
			linear(v, embed, "ip_val", "value.embed", t.ValueFilters, width)
		}
		linear(v, hidden, "ip1_val", "value.fc1", t.ValueHidden, 64*t.ValueFilters)
		linear(v, last, "ip2_val", "value.fc2", valueOutputs(t), t.ValueHidden)
	}
	if severalHeads(t) {
		v.in(45, "policy_heads", func() {
			linear(v, 1, "ip_pol", "policy.embed", t.PolicyFeatures, width)
			v.in(3, "vanilla", func() { queries(v, t, 3, 5, 7) })
		})
		v.in(44, "value_heads", func() { v.in(1, "winner", func() { value(1, 3, 5) }) })
	} else {
		policy(v, t, width)
		value(29, 7, 9)
	}
	if t.MovesLeftFilters > 0 {
		if t.Blocks > 0 {
			v.in(12, "moves_left", func() {
				convolution(v, t, "moves_left.conv", "moves_left.bn", t.MovesLeftFilters, width, 1)
			})
		} else {
			linear(v, 31, "ip_mov", "moves_left.embed", t.MovesLeftFilters, width)
		}
		linear(v, 13, "ip1_mov", "moves_left.fc1", t.MovesLeftHidden, 64*t.MovesLeftFilters)
		linear(v, 15, "ip2_mov", "moves_left.fc2", 1, t.MovesLeftHidden)
	}
}

func valueOutputs(t model.Leela) int {
	if t.Chances {
		return 3
	}
	return 1
}

// severalHeads reports whether the heads are messages of their own, as in network 7.
func severalHeads(t model.Leela) bool { return t.Blocks == 0 && t.Embedding == "dense" }

func tower(v visitor, t model.Leela) {
	v.in(1, "input", func() { convolution(v, t, "stem.conv", "stem.bn", t.Filters, encode.LeelaPlanes, 3) })
	v.each(2, "residual", t.Blocks, func(i int) {
		block := fmt.Sprintf("blocks.%d.", i)
		v.in(1, "conv1", func() { convolution(v, t, block+"conv1", block+"bn1", t.Filters, t.Filters, 3) })
		v.in(2, "conv2", func() { convolution(v, t, block+"conv2", block+"bn2", t.Filters, t.Filters, 3) })
		if t.Squeeze > 0 {
			v.in(3, "se", func() {
				v.tensor(1, "w1", block+"se.fc1.weight", t.Squeeze, t.Filters)
				v.tensor(2, "b1", block+"se.fc1.bias", t.Squeeze)
				v.tensor(3, "w2", block+"se.fc2.weight", 2*t.Filters, t.Squeeze)
				v.tensor(4, "b2", block+"se.fc2.bias", 2*t.Filters)
			})
		}
	})
}

func policy(v visitor, t model.Leela, width int) {
	switch t.Policy {
	case "convolution":
		v.in(11, "policy1", func() { convolution(v, t, "policy.conv", "policy.bn", width, width, 3) })
		v.in(3, "policy", func() { v.conv("policy.planes", "", t.PolicyFilters, width, 3) })
	case "classical":
		v.in(3, "policy", func() { convolution(v, t, "policy.conv", "policy.bn", t.PolicyFilters, width, 1) })
		linear(v, 4, "ip_pol", "policy.fc", board.LeelaMoves, 64*t.PolicyFilters)
	case "attention":
		linear(v, 4, "ip_pol", "policy.embed", t.PolicyFeatures, width)
		queries(v, t, 17, 19, 22)
	}
}

// queries visits the queries and keys of a policy by attention, and what promotions add.
func queries(v visitor, t model.Leela, q, k, promotion protowire.Number) {
	linear(v, q, "ip2_pol", "policy.q", t.PolicyDepth, t.PolicyFeatures)
	linear(v, k, "ip3_pol", "policy.k", t.PolicyDepth, t.PolicyFeatures)
	v.tensor(promotion, "ip4_pol_w", "policy.promotion.weight", 4, t.PolicyDepth)
}

// body visits embedding and encoders.
func body(v visitor, t model.Leela) {
	v.heads(28, t.AttentionHeads)
	planes := encode.LeelaPlanes
	switch t.Embedding {
	case "map":
		planes += 64
	case "dense":
		planes += t.BoardFeatures
		linear(v, 37, "ip_emb_preproc", "embed.board", 64*t.BoardFeatures, 64*12)
	}
	linear(v, 25, "ip_emb", "embed.fc", t.Features, planes)
	if t.Embedding == "dense" {
		layerNorm(v, 39, "ip_emb_ln", "embed.ln", t.Features)
	}
	if t.Gates {
		v.tensor(33, "ip_mult_gate", "embed.factor", t.Features, 64)
		v.tensor(34, "ip_add_gate", "embed.addend", t.Features, 64)
	}
	feedForward := func(field protowire.Number, name string, hidden int) {
		v.in(field, "ffn", func() {
			linear(v, 1, "dense1", name+".fc1", hidden, t.Features)
			linear(v, 3, "dense2", name+".fc2", t.Features, hidden)
		})
	}
	if t.Embedding == "dense" {
		feedForward(41, "embed.ffn", t.EmbedFeedForward)
		layerNorm(v, 42, "ip_emb_ffn_ln", "embed.ffn_ln", t.Features)
	}
	v.each(27, "encoder", t.Encoders, func(i int) {
		name := fmt.Sprintf("encoders.%d.", i)
		v.in(1, "mha", func() {
			linear(v, 1, "q", name+"q", t.Depth, t.Features)
			linear(v, 3, "k", name+"k", t.Depth, t.Features)
			linear(v, 5, "v", name+"v", t.Depth, t.Features)
			linear(v, 7, "dense", name+"out", t.Features, t.Depth)
			if t.SmolgenCompress > 0 {
				v.in(9, "smolgen", func() {
					v.tensor(1, "compress", name+"smolgen.compress.weight", t.SmolgenCompress, t.Features)
					linear(v, 2, "dense1", name+"smolgen.fc1", t.SmolgenHidden, 64*t.SmolgenCompress)
					layerNorm(v, 4, "ln1", name+"smolgen.ln1", t.SmolgenHidden)
					linear(v, 6, "dense2", name+"smolgen.fc2", t.AttentionHeads*t.SmolgenFeatures, t.SmolgenHidden)
					layerNorm(v, 8, "ln2", name+"smolgen.ln2", t.AttentionHeads*t.SmolgenFeatures)
				})
			}
		})
		layerNorm(v, 2, "ln1", name+"ln1", t.Features)
		feedForward(4, name+"ffn", t.FeedForward)
		layerNorm(v, 5, "ln2", name+"ln2", t.Features)
	})
	if t.SmolgenCompress > 0 {
		v.tensor(35, "smolgen_w", "smolgen.weight", 64*64, t.SmolgenFeatures)
	}
}
