package model

import (
	"fmt"

	"talbot/encode"
	"talbot/network/onnx"
)

// ONNX adds the network: planes to value.
func (n Napoleon) ONNX(g *onnx.Graph) []onnx.Value {
	norm := func(x onnx.Value, layer string) onnx.Value { return g.BatchNorm(x, layer, float32(kerasNorm.epsilon)) }
	dense := func(x onnx.Value, layer string) onnx.Value { return g.Linear(x, layer, layer) }
	excite := func(y, gate onnx.Value, block string) onnx.Value {
		gate = g.Reshape(gate, block+"gate", encode.NapoleonPlanes, 1, 1)
		return g.Mul(y, gate, block+"excite")
	}
	x := g.Input("planes", "counts of pieces and attacks; [sample, plane, rank, file] in the mover's frame",
		encode.NapoleonPlanes, 8, 8)
	y := norm(x, "block1.bn1")
	h := g.Tanh(dense(g.Flatten(y, "block1.flat"), "block1.se.fc1"), "block1.se.tanh1")
	gate := g.Tanh(dense(h, "block1.se.fc2"), "block1.se.tanh2")
	x = norm(g.Tanh(g.Add(excite(y, gate, "block1."), x, "block1.add"), "block1.tanh"), "block1.bn2")
	for i := 2; i <= 3; i++ {
		block := fmt.Sprintf("block%d.", i)
		y := norm(g.Relu(g.Conv(x, block+"conv")), block+"bn1")
		h := norm(g.Relu(dense(g.Flatten(y, block+"flat"), block+"se.fc1")), block+"se.bn1")
		gate := norm(g.Relu(dense(h, block+"se.fc2")), block+"se.bn2")
		x = norm(g.Relu(g.Add(excite(y, gate, block), x, block+"add")), block+"bn2")
	}
	h = norm(g.Relu(dense(g.Flatten(x, "value.flat"), "value.fc1")), "value.bn")
	return []onnx.Value{g.Squeeze(g.Tanh(dense(h, "value.fc2"), "value.tanh"), "value")}
}
