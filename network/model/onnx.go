package model

import "talbot/network/onnx"

// Exporter is a [Network] that can be written as an ONNX model. The model begins after [Network.Unpack]: its input are
// the numbers that [encode.Encoder] calls so, and its outputs are the heads.
type Exporter interface {
	// ONNX adds inputs, nodes and outputs to a graph that has the tensors of Params. It may describe its settings in
	// the metadata, where all of them stand if it describes none.
	ONNX(g *onnx.Graph) error
}
