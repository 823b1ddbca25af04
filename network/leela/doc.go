// Package leela reads and writes the network files of lc0, "weights" that end in .pb.gz: Leela's networks since 2018
// and Maia's.
//
// A file is a protocol buffer (proto2), with gzip or without. [Read] checks every tensor's size against the others
// before it uses one number, and returns the network's settings, as the recipe leela has them, and its tensors under
// talbot's names. [File.Write] is its inverse. [layout] is the one list of which tensor is where.
//
// Supported are residual towers with and without squeeze and excitation (networks 1 to 4), attention bodies with
// smolgen, gates and all embeddings (6 and 7), the policies classical, convolution and attention, values as a number or
// as chances, and moves left. Other forms are refused by name: relative positions (rpe), armageddon, encoders in the
// policy head, and ONNX inside of a file (network 5).
//
// Numbers are stored as 16-bit steps between the least and the greatest of a tensor (LINEAR16), which is what lc0
// before 0.33 can read and what is written; float16, bfloat16 and float32 are read too.
//
// The package starts no goroutines.
package leela
