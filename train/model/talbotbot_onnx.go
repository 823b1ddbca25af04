package model

import (
	"fmt"
	"strconv"

	"talbot/encode"
	"talbot/train/onnx"
)

// ONNX adds the network without dropout: planes to logits and value.
func (t TalbotBot) ONNX(g *onnx.Graph) error {
	convNorm := func(x onnx.Value, conv, norm string) onnx.Value {
		return g.BatchNorm(g.Conv(x, conv), norm, float32(pyTorchNorm.epsilon))
	}
	planes := g.Input("planes", "0 or 1; [sample, plane, rank, file] in the mover's frame", encode.TalbotBotPlanes, 8,
		8)
	x := g.Relu(convNorm(planes, "stem.conv", "stem.bn"))
	for b := range t.Blocks {
		name := fmt.Sprintf("blocks.%d.", b)
		y := g.Relu(convNorm(x, name+"conv1", name+"bn1"))
		x = g.Relu(g.Add(convNorm(y, name+"conv2", name+"bn2"), x, name+"add"))
	}
	flat := func(head string) onnx.Value {
		return g.Flatten(g.Relu(convNorm(x, head+".conv", head+".bn")), head+".flat")
	}
	logits := g.Linear(flat("policy"), "policy.fc", "logits")
	h := g.Relu(g.Linear(flat("value"), "value.fc1", "value.fc1"))
	h = g.Tanh(g.Linear(h, "value.fc2", "value.fc2"), "value.tanh")
	for i, x := range []onnx.Value{logits, g.Squeeze(h, "value")} {
		g.Output(x, t.Heads()[i].About)
	}
	g.Describe("blocks", strconv.Itoa(t.Blocks))
	g.Describe("filters", strconv.Itoa(t.Filters))
	return g.Err()
}
