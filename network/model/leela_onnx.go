package model

import (
	"fmt"
	"math"

	"talbot/encode"
	"talbot/network/onnx"
)

// ONNX adds the network: planes to logits, chances, value and plies left.
func (t Leela) ONNX(g *onnx.Graph) []onnx.Value {
	planes := g.Input("planes", "112 planes of lc0's; [sample, plane, rank, file] in the mover's frame",
		encode.LeelaPlanes, 8, 8)
	var x, rows onnx.Value
	if t.Blocks > 0 {
		x = t.onnxTower(g, planes)
	} else {
		rows = t.onnxBody(g, onnxRows(g, planes, "tokens"))
	}
	linear := func(x onnx.Value, name string) onnx.Value { return g.Linear(x, name, name) }
	head := func(name, last string) onnx.Value {
		var flat onnx.Value
		if t.Blocks > 0 {
			flat = t.onnxActivate(g, t.Activation, t.onnxConv(g, x, name+".conv", name+".bn"))
		} else {
			flat = t.onnxActivate(g, t.Activation, g.Rows(rows, name+".embed", name+".embed"))
		}
		h := t.onnxActivate(g, t.Activation, linear(g.Flatten(flat, name+".flat"), name+".fc1"))
		return g.Linear(h, name+".fc2", last)
	}
	outputs := []onnx.Value{t.onnxPolicy(g, x, rows)}
	if t.Chances {
		chances := head("value", "chances")
		shares := g.Softmax(chances, "value.shares")
		less := g.Sub(g.Slice(shares, "value.win", 0, 0, 1), g.Slice(shares, "value.loss", 0, 2, 3), "value.less")
		outputs = append(outputs, chances, g.Squeeze(less, "value"))
	} else {
		outputs = append(outputs, g.Squeeze(g.Tanh(head("value", "value.fc2"), "value.tanh"), "value"))
	}
	if t.MovesLeftFilters > 0 {
		outputs = append(outputs, g.Squeeze(g.Relu(head("moves_left", "moves_left.fc2")), "moves_left"))
	}
	return outputs
}

func (t Leela) onnxConv(g *onnx.Graph, x onnx.Value, conv, norm string) onnx.Value {
	if t.Norm && norm != "" {
		return g.BatchNorm(g.Conv(x, conv), norm, float32(pyTorchNorm.epsilon))
	}
	return g.Conv(x, conv)
}

func (t Leela) onnxTower(g *onnx.Graph, planes onnx.Value) onnx.Value {
	x := t.onnxActivate(g, t.Activation, t.onnxConv(g, planes, "stem.conv", "stem.bn"))
	for b := range t.Blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := t.onnxActivate(g, t.Activation, t.onnxConv(g, x, name+"conv1", name+"bn1"))
		y = t.onnxConv(g, y, name+"conv2", name+"bn2")
		if t.Squeeze > 0 {
			z := t.onnxActivate(g, t.Activation, g.Linear(g.Means(y, name+"se.mean"), name+"se.fc1", name+"se.fc1"))
			z = g.Linear(z, name+"se.fc2", name+"se.fc2")
			factor := g.Sigmoid(g.Slice(z, name+"se.first", 0, 0, t.Filters), name+"se.sigmoid")
			addend := g.Slice(z, name+"se.second", 0, t.Filters, 2*t.Filters)
			y = g.Mul(y, g.Reshape(factor, name+"se.factor", t.Filters, 1, 1), name+"se.scaled")
			y = g.Add(y, g.Reshape(addend, name+"se.addend", t.Filters, 1, 1), name+"se")
		}
		x = t.onnxActivate(g, t.Activation, g.Add(y, x, name+"add"))
	}
	return x
}

// onnxRows turns a board [channels, 8, 8] into rows of squares [64, channels].
func onnxRows(g *onnx.Graph, x onnx.Value, name string) onnx.Value {
	channels := x.Shape[0]
	return g.Transpose(g.Reshape(x, name+".squares", channels, 64), name, 1, 0)
}

func (t Leela) onnxPolicy(g *onnx.Graph, x, rows onnx.Value) onnx.Value {
	switch t.Policy {
	case "convolution":
		y := g.Conv(t.onnxActivate(g, t.Activation, t.onnxConv(g, x, "policy.conv", "policy.bn")), "policy.planes")
		return g.Columns(g.Flatten(y, "policy.flat"), "logits", leelaFromPlanes)
	case "classical":
		y := t.onnxActivate(g, t.Activation, t.onnxConv(g, x, "policy.conv", "policy.bn"))
		return g.Linear(g.Flatten(y, "policy.flat"), "policy.fc", "logits")
	}
	activation := t.Activation
	if t.Blocks > 0 {
		rows, activation = onnxRows(g, x, "policy.rows"), "selu"
	}
	y := t.onnxActivate(g, activation, g.Rows(rows, "policy.embed", "policy.embed"))
	q, k := g.Rows(y, "policy.q", "policy.q"), g.Rows(y, "policy.k", "policy.k")
	q = g.Scale(q, float32(1/math.Sqrt(float64(t.PolicyDepth))), "policy.scaled")
	scores := g.MatMul(q, g.Transpose(k, "policy.turned", 1, 0), "policy.scores")
	more := g.MatMul(g.Slice(k, "policy.k8", 0, 56, 64), g.Tensor("policy.promotion.weight", "policy.promotion", 1, 0),
		"policy.more")
	more = g.Add(g.Slice(more, "policy.pieces", 1, 0, 3), g.Slice(more, "policy.all", 1, 3, 4), "policy.more.sum")
	pawns := g.Slice(g.Slice(scores, "policy.seventh", 0, 48, 56), "policy.pawns", 1, 56, 64)
	promotions := g.Add(g.Reshape(pawns, "policy.pawns.wide", 8, 8, 1), g.Reshape(more, "policy.more.wide", 1, 8, 3),
		"policy.promotions")
	all := g.Concat("policy.pairs", 0, g.Flatten(scores, "policy.flat"), g.Flatten(promotions,
		"policy.promotions.flat"))
	return g.Columns(all, "logits", leelaFromPairs)
}

func (t Leela) onnxBody(g *onnx.Graph, planes onnx.Value) onnx.Value {
	epsilon := float32(1e-6)
	switch t.Embedding {
	case "map":
		ones := g.Slice(planes, "embed.ones", 1, encode.LeelaPlanes-1, encode.LeelaPlanes) // of each sample
		var reach []float32
		for _, row := range leelaReach {
			reach = append(reach, row...)
		}
		planes = g.Concat("embed.input", 1, planes,
			g.Mul(ones, g.Numbers("embed.reach", reach, 64, 64), "embed.map"))
	case "dense":
		epsilon = 1e-3
		pieces := g.Flatten(g.Slice(planes, "embed.pieces", 1, 0, 12), "embed.pieces.flat")
		board := g.Reshape(g.Linear(pieces, "embed.board", "embed.board"), "embed.board.rows", 64, t.BoardFeatures)
		planes = g.Concat("embed.input", 1, planes, board)
	}
	h := t.onnxActivate(g, t.Activation, g.Rows(planes, "embed.fc", "embed.fc"))
	if t.Embedding == "dense" {
		h = g.LayerNorm(h, "embed.ln", epsilon)
	}
	if t.Gates {
		h = g.Mul(h, g.Tensor("embed.factor", "embed.factor.turned", 1, 0), "embed.scaled")
		h = g.Add(h, g.Tensor("embed.addend", "embed.addend.turned", 1, 0), "embed.gated")
	}
	alpha := float32(math.Pow(2*float64(t.Encoders), -0.25))
	feedForward := func(h onnx.Value, name string) onnx.Value {
		y := t.onnxActivate(g, t.FFNActivation, g.Rows(h, name+".fc1", name+".fc1"))
		return g.Rows(y, name+".fc2", name+".fc2")
	}
	join := func(h, y onnx.Value, norm string) onnx.Value {
		return g.LayerNorm(g.Add(g.Scale(y, alpha, norm+".scaled"), h, norm+".sum"), norm, epsilon)
	}
	if t.Embedding == "dense" {
		h = join(h, feedForward(h, "embed.ffn"), "embed.ffn_ln")
	}
	for i := range t.Encoders {
		name := fmt.Sprintf("encoders.%d.", i)
		h = join(h, t.onnxAttention(g, h, name), name+"ln1")
		h = join(h, feedForward(h, name+"ffn"), name+"ln2")
	}
	return h
}

func (t Leela) onnxAttention(g *onnx.Graph, h onnx.Value, name string) onnx.Value {
	heads, depth := t.AttentionHeads, t.Depth/t.AttentionHeads
	split := func(part string, axes ...int) onnx.Value {
		x := g.Reshape(g.Rows(h, name+part, name+part), name+part+".split", 64, heads, depth)
		return g.Transpose(x, name+part+".heads", axes...)
	}
	q := g.Scale(split("q", 1, 0, 2), float32(1/math.Sqrt(float64(depth))), name+"q.scaled")
	scores := g.MatMul(q, split("k", 1, 2, 0), name+"scores")
	if t.SmolgenCompress > 0 {
		z := g.MatMul(h, g.Tensor(name+"smolgen.compress.weight", name+"smolgen.turned", 1, 0), name+"smolgen.compress")
		z = g.Flatten(z, name+"smolgen.flat")
		for i := 1; i <= 2; i++ {
			layer := fmt.Sprintf("%ssmolgen.fc%d", name, i)
			z = t.onnxActivate(g, t.SmolgenActivation, g.Linear(z, layer, layer))
			z = g.LayerNorm(z, fmt.Sprintf("%ssmolgen.ln%d", name, i), 1e-3)
		}
		z = g.Reshape(z, name+"smolgen.heads", heads, t.SmolgenFeatures)
		z = g.MatMul(z, g.Tensor("smolgen.weight", name+"smolgen.weight.turned", 1, 0), name+"smolgen.scores")
		scores = g.Add(scores, g.Reshape(z, name+"smolgen", heads, 64, 64), name+"scores.sum")
	}
	y := g.MatMul(g.Softmax(scores, name+"weights"), split("v", 1, 0, 2), name+"values")
	y = g.Reshape(g.Transpose(y, name+"together", 1, 0, 2), name+"rows", 64, t.Depth)
	return g.Rows(y, name+"out", name+"out")
}

// onnxActivate adds an activation, named like x with its name after it.
func (t Leela) onnxActivate(g *onnx.Graph, name string, x onnx.Value) onnx.Value {
	to := x.Name + "." + name
	switch name {
	case "relu":
		return g.Relu(x)
	case "relu2":
		y := g.Relu(x)
		return g.Mul(y, y, to)
	case "mish":
		return g.Mul(x, g.Tanh(g.Softplus(x, to+".softplus"), to+".tanh"), to)
	case "tanh":
		return g.Tanh(x, to)
	case "sigmoid":
		return g.Sigmoid(x, to)
	case "selu":
		return g.Selu(x, to)
	case "swish":
		return g.Mul(x, g.Sigmoid(x, to+".sigmoid"), to)
	}
	return x
}
