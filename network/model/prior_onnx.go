package model

import (
	"fmt"

	"talbot/encode"
	"talbot/network/onnx"
)

// ONNX adds the network: planes to logits.
func (n Prior) ONNX(g *onnx.Graph) error {
	norm := func(x onnx.Value, conv, bn string) onnx.Value {
		return g.BatchNorm(g.Conv(x, conv), bn, float32(kerasNorm.epsilon))
	}
	x := g.Input("planes", "0 or 1, of the last one the rating / 1500 - 1; [sample, plane, rank, file] in the mover's "+
		"frame", encode.PriorPlanes, 8, 8)
	x = g.Relu(norm(x, "stem.conv", "stem.bn"))
	for b := range n.Blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := g.Relu(norm(x, name+"conv1", name+"bn1"))
		x = g.Relu(g.Add(norm(y, name+"conv2", name+"bn2"), x, name+"add"))
	}
	flat := g.Flatten(g.Relu(norm(x, "policy.conv", "policy.bn")), "policy.flat")
	g.Output(g.Linear(flat, "policy.fc", "logits"), n.Heads()[0].About)
	return g.Err()
}
