// Package ort computes ONNX models with ONNX Runtime, a shared library that is loaded when it is asked for.
//
// It loads the library and a model as package onnx writes it, and computes the model's outputs. A model is read
// once; it is computed for batches of given sizes, in memory that is used again. The library has its own threads.
//
// Loading needs a build with cgo. Package backend finds the library.
package ort

import "errors"

// Tensor is an input or an output of a model: the numbers of a batch, row by row.
type Tensor struct {
	Name  string
	Shape []int // the batch first
	Data  []float32
}

// ErrNotCompiled reports that talbot was built without what loads ONNX Runtime.
var ErrNotCompiled = errors.New("this talbot cannot load ONNX Runtime: build it with a C compiler and CGO_ENABLED=1")
