// Package onnx writes trained networks as ONNX models, which other programs run: ONNX Runtime, TensorRT, OpenVINO.
//
// It turns named tensors and the operations between them into the bytes of one file. A network of package model says
// which operations it has; this package knows none of them. It starts no goroutines.
//
// # The model
//
// Operator set 17, IR version 8, float32 throughout, weights inside the file under the names of their tensors. The
// batch dimension N is free and comes first. Boards are [N, channel, rank, file]. Batch normalisations use their
// running statistics and stay nodes of their own, for every runtime folds them into the convolutions, and weights can
// be read back under their names.
//
// The messages are those of https://github.com/onnx/onnx/blob/v1.17.0/onnx/onnx.proto3; the numbers in proto.go are its
// field numbers.
package onnx
