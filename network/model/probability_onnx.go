package model

import (
	"talbot/encode"
	"talbot/network/onnx"
)

// ONNX adds the network: numbers to logits.
func (n Probability) ONNX(g *onnx.Graph) error {
	x := g.Input("numbers", "20 priors, 20 times the values at depths 1, 3, 7 and 10, the rating / 1500 - 1",
		encode.ProbabilityNumbers)
	x = g.Sigmoid(g.Linear(x, "fc1", "fc1"), "fc1.sigmoid")
	x = g.Sigmoid(g.Linear(x, "fc2", "fc2"), "fc2.sigmoid")
	g.Output(g.Linear(x, "out", "logits"), n.Heads()[0].About)
	return g.Err()
}
