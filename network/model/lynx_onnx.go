package model

import (
	"fmt"

	"talbot/network/onnx"
)

// ONNX adds the network: planes to logits, chances and value.
func (t Lynx) ONNX(g *onnx.Graph) error {
	planes := g.Input("planes", "0 or 1; [sample, plane, rank, file] in the mover's frame", t.residual().planes, 8, 8)
	x := g.Relu(onnxConvNorm(g, planes, "stem.conv", "stem.bn"))
	for b := range t.Blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := onnxConvNorm(g, g.Relu(onnxConvNorm(g, x, name+"conv1", name+"bn1")), name+"conv2", name+"bn2")
		if t.Squeeze > 0 {
			h := g.Relu(g.Linear(g.Means(y, name+"se.mean"), name+"se.fc1", name+"se.fc1"))
			gate := g.Sigmoid(g.Linear(h, name+"se.fc2", name+"se.fc2"), name+"se.sigmoid")
			y = g.Mul(y, g.Reshape(gate, name+"se.gate", t.Filters, 1, 1), name+"se")
		}
		x = g.Relu(g.Add(y, x, name+"add"))
	}
	logits := g.Flatten(g.Conv(g.Relu(onnxConvNorm(g, x, "policy.conv", "policy.bn")), "policy.planes"), "logits")
	h := g.Relu(g.Linear(onnxFlat(g, x, "value"), "value.fc1", "value.fc1"))
	chances := g.Linear(h, "value.chances", "chances")
	value := g.Squeeze(g.Tanh(g.Linear(h, "value.fc2", "value.fc2"), "value.tanh"), "value")
	for i, x := range []onnx.Value{logits, chances, value} {
		g.Output(x, t.Heads()[i].About)
	}
	return g.Err()
}
