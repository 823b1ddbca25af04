// Package onnx writes a trained network as an ONNX model, which other programs run: ONNX Runtime, TensorRT, OpenVINO.
//
// In go a network's shape and its numbers, out comes the bytes of one file. The package starts no goroutines.
//
// # The model
//
// Operator set 17, IR version 8, float32 throughout, weights inside the file under the names of package model. The
// batch dimension N is free.
//
//	in   planes  float32 [N, 68, 8, 8]  0 or 1; plane p of package encode; row r is rank r+1, column f is file
//	                                    a+f of the mover's frame, so bit i of a packed plane is [p][i/8][i%8]
//	out  logits  float32 [N, 4672]      of all moves, legal or not; index = from × 73 + plane, the mover's frame
//	out  value   float32 [N]            in [−1, 1], +1 = the side to move wins
//
// Dropout is left out and batch normalisations use their running statistics, as in every evaluation. They stay nodes of
// their own, for every runtime folds them into the convolutions, and weights can be read back under their names.
//
// The messages are those of https://github.com/onnx/onnx/blob/v1.17.0/onnx/onnx.proto3; the numbers in proto.go are its
// field numbers.
package onnx
