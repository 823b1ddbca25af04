package model

import (
	"fmt"
	"math"

	"talbot/network/onnx"
)

// ONNX adds the network without dropout: tokens to logits.
func (t NoSearch) ONNX(g *onnx.Graph) []onnx.Value {
	norm := func(x onnx.Value, layer string) onnx.Value { return g.LayerNorm(x, layer, layerNormEpsilon) }
	rows := func(x onnx.Value, layer string) onnx.Value { return g.Rows(x, layer, layer) }
	x := g.Input("tokens", "65 ids from 0 to 13, then 13 bits, as whole numbers in float32", noSearchTokens)
	x = g.AddRows(g.Embed(x, "embedding", noSearchOffsets(), "token.weight", "bit.weight"), "place.weight", "input")
	for b := range t.Blocks {
		name, asked := fmt.Sprintf("blocks.%d.", b), t.asked(b)
		y := rows(t.onnxAttention(g, norm(x, name+"ln1"), name+"attention.", asked), name+"attention.out")
		x = g.Add(g.Slice(x, name+"asked", 0, 0, asked), y, name+"add1")
		y = rows(g.Gelu(rows(norm(x, name+"ln2"), name+"mlp.fc1")), name+"mlp.fc2")
		x = g.Add(x, y, name+"add2")
	}
	x = g.Reshape(norm(x, "policy.ln"), "policy.flat", t.Width)
	return []onnx.Value{g.Linear(x, "policy.fc", "logits")}
}

// onnxAttention is [Pass.attention] without its second linear layer.
func (t NoSearch) onnxAttention(g *onnx.Graph, x onnx.Value, name string, asked int) onnx.Value {
	heads, head := t.AttentionHeads, t.Width/t.AttentionHeads
	qkv := g.Reshape(g.Rows(x, name+"qkv", name+"qkv"), name+"split", noSearchTokens, 3, heads, head)
	qkv = g.Transpose(qkv, name+"sorted", 1, 2, 0, 3)
	part := func(i int, what string) onnx.Value {
		return g.Reshape(g.Slice(qkv, name+what+".part", 0, i, i+1), name+what, heads, noSearchTokens, head)
	}
	queries := g.Slice(part(0, "q"), name+"asked", 1, 0, asked)
	queries = g.Scale(queries, float32(1/math.Sqrt(float64(head))), name+"scaled")
	scores := g.MatMul(queries, g.Transpose(part(1, "k"), name+"turned", 0, 2, 1), name+"scores")
	y := g.MatMul(g.Softmax(scores, name+"weights"), part(2, "v"), name+"values")
	return g.Reshape(g.Transpose(y, name+"together", 1, 0, 2), name+"rows", asked, t.Width)
}
