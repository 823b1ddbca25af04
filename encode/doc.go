// Package encode turns the samples of a line into what a network reads and learns: input planes, move indices, and
// the targets for policy and value.
//
// It takes a [dataset.Line] and the labels of its samples, and writes plain words and numbers to slices of the caller.
// An [Encoder] is the encoding of one recipe ([TalbotBot] is the reference); a [dataset.Walker] replays a line and
// stops at its samples; [Policy] and [Value] compute targets, so that changing a target never needs new labels.
//
// Everything is seen from the side to move: for Black, ranks are mirrored and colours swapped. The package starts no
// goroutines and does no input or output. Encoders are safe for concurrent use, a Walker is not.
package encode
