// Package model holds the networks as GoMLX graph functions.
//
// From the packed inputs of a batch and its targets they compute the network's heads, its losses and its
// answers about legal moves; the parameters live in a [Store] under the names PyTorch would give them. The package
// starts no goroutines. Its graph functions panic on errors, as GoMLX's do; [Guard] is the one place where such a panic
// becomes an error.
//
// # Weights and layouts
//
// Parameters have PyTorch's names and shapes: convolutions [out, in, rank, file], linear layers [out, in]. Row 0 of
// a board is rank 1, so square i (a1 = 0, h8 = 63) is row i/8, column i%8. Where a convolution feeds a linear layer the
// activations are flattened channel-major: feature = channel·64 + square. Weights can thus be exchanged with a
// PyTorch network of the same shape, independent of the layout of the activations here.
//
// The layout of the activations belongs to the [ConvAlgorithm] of the convolutions and is never visible outside.
//
// A further network is one more file with a type that implements [Network]; package recipe lists it.
package model

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"talbot/network/onnx"
)

// Network is one architecture with its sizes. Its exported fields are its settings: encoding/json writes and reads
// them.
type Network interface {
	// Validate reports the first setting that no network can be built with.
	Validate() error

	// Params lists every parameter and statistic in a fixed order.
	Params() []Param

	// Unpack turns packed inputs [N, words] uint64 into the numbers that [Network.Forward] takes: those of
	// [encode.Encoder.Unpack], planes as float32 activations in the algorithm's layout, tokens as [N, tokens] int32.
	// What talbot exports for other programs begins after it.
	Unpack(a ConvAlgorithm, packed *graph.Node) *graph.Node

	// Heads names what Forward returns.
	Heads() []Head

	// Forward builds the network's graph from what Unpack returns; each head is [N, shape…] float32. For Loss it may
	// return more after them: see [Pass].Losses.
	Forward(p *Pass, input *graph.Node) []*graph.Node

	// Terms are what Loss sums up.
	Terms() []Term

	// Loss returns for each term its sum over a batch, of which heads are what Forward returned with Losses.
	Loss(heads []*graph.Node, b Batch) []Sum

	// Outputs turns heads into what a search and an evaluation ask for. legal are the words of the legal moves of each
	// position, [N, L, words] int32, −1 after the last one; nil for a recipe without moves.
	Outputs(heads []*graph.Node, legal *graph.Node) Outputs

	// ONNX adds inputs and nodes to a graph that has the tensors of Params, and returns the heads. What is exported
	// begins after Unpack: its input are the numbers that [encode.Encoder] calls so. It may describe settings in the
	// metadata, where all of them stand if it describes none.
	ONNX(g *onnx.Graph) []onnx.Value

	// Cost estimates what training takes for each sample: a convolution uses each weight for 64 squares, a linear layer
	// once, and each layer keeps what its gradient needs.
	Cost(conv ConvAlgorithm) Cost

	// String describes the size for display, such as "20 blocks of 128 filters".
	String() string
}

// Head is one output of a network.
type Head struct {
	Name  string
	Shape []int // of one sample; empty for a number
	About string
}

// Batch is the training targets of N samples, in a graph. See [encode.Layout].
type Batch struct {
	Packed  *graph.Node   // [N, words] uint64
	Codes   *graph.Node   // [N, K, words] int32, of the listed moves, −1 after the last one; nil without moves
	Weights *graph.Node   // [N, K] float32, of the listed moves, 0 after the last one
	Floats  []*graph.Node // each [N] float32, 0 where not known
	Known   []*graph.Node // each [N] float32, weight of the float, 0 where not known
}

// Term is one figure of a batch: a sum over samples, divided by how many there are.
type Term struct {
	Name   string  // in metrics and reports, such as "policy_ce"
	Weight float64 // in the loss
	Over   Over
	Figure bool // is shown and no part of the loss
}

// Over says what the sum of a [Term] is divided by.
type Over int

const (
	Listed  Over = -1 - iota // the samples with a target move
	Samples                  // all samples
	Once                     // nothing: the term is one of the weights, independent of the batch
)

// Float is the sum of the weights of a float, by its number.
func Float(i int) Over { return Over(i) }

// Sum is a term over a batch, scalars in float32.
type Sum struct {
	Loss  *graph.Node // whose gradient is followed; nil: that of Shown
	Shown *graph.Node
}

// Outputs is what a network says about positions with their legal moves. What a network does not know is nil.
type Outputs struct {
	Prior      *graph.Node // [N, L] log-probabilities over the legal moves, with any values after the last one
	Inside     *graph.Node // [N] log of the probability that falls on the legal moves; nil where others cannot be said
	Outside    *graph.Node // [N] the probability that falls on others
	Other      *graph.Node // [N] int32, word of the most probable of the others
	OtherShare *graph.Node // [N] its probability
	Value      *graph.Node // [N] in [−1, 1] from the side to move's view
	WDL        *graph.Node // [N, 3] of win, draw and loss for the side to move
	MovesLeft  *graph.Node // [N] plies to the end of the game
}

// Nodes lists what the network knows, in the order of the fields.
func (a *Outputs) Nodes() (list []*graph.Node) {
	for _, field := range a.fields() {
		if *field != nil {
			list = append(list, *field)
		}
	}
	return list
}

func (a *Outputs) fields() []**graph.Node {
	return []**graph.Node{&a.Prior, &a.Inside, &a.Outside, &a.Other, &a.OtherShare, &a.Value, &a.WDL, &a.MovesLeft}
}

// Cost is what training takes, estimated.
type Cost struct {
	Operations float64 // of the forward pass of a sample: a multiplication and an addition for each use of a weight
	Floats     int64   // of a sample, that are kept for the backward pass
}

// Guard runs build, which may build or run graphs, and returns its panic as an error.
func Guard(build func() error) (err error) {
	switch caught := exceptions.TryCatch[any](func() { err = build() }).(type) {
	case nil:
		return err
	case error:
		return caught
	default:
		return fmt.Errorf("%v", caught)
	}
}
