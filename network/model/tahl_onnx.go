package model

import (
	"talbot/encode"
	"talbot/network/onnx"
)

// ONNX adds the network without dropout: planes to the logits after the move and value.
func (t Tahl) ONNX(g *onnx.Graph) error {
	planes := g.Input("planes", "0 or 1; [sample, plane, rank, file] in the mover's frame", encode.TahlPlanes, 8, 8)
	x := t.residual().onnxTrunk(g, planes)
	after := g.Conv(x, "after")
	for i, x := range []onnx.Value{after, onnxValue(g, onnxFlat(g, x, "value"))} {
		g.Output(x, t.Heads()[i].About)
	}
	return g.Err()
}
