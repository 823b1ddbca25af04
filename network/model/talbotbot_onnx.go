package model

import (
	"strconv"

	"talbot/encode"
	"talbot/network/onnx"
)

// ONNX adds the network without dropout: planes to logits and value.
func (t TalbotBot) ONNX(g *onnx.Graph) error {
	planes := g.Input("planes", "0 or 1; [sample, plane, rank, file] in the mover's frame", encode.TalbotBotPlanes, 8,
		8)
	x := t.residual().onnxTrunk(g, planes)
	logits := g.Linear(onnxFlat(g, x, "policy"), "policy.fc", "logits")
	for i, x := range []onnx.Value{logits, onnxValue(g, onnxFlat(g, x, "value"))} {
		g.Output(x, t.Heads()[i].About)
	}
	g.Describe("blocks", strconv.Itoa(t.Blocks))
	g.Describe("filters", strconv.Itoa(t.Filters))
	return g.Err()
}
