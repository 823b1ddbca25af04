// Package model holds the networks as GoMLX graph functions.
//
// In go the inputs of a batch, packed or as planes, out come policy logits and values; the parameters live in a [Store]
// under the names PyTorch would give them. The package starts no goroutines. Its graph functions panic on errors, as
// GoMLX's do; [Guard] is the one place where such a panic becomes an error.
//
// # Weights and layouts
//
// Parameters have PyTorch's names and shapes: convolutions [out, in, rank, file], linear layers [out, in]. Row 0 of
// a board is rank 1, so square i (a1 = 0, h8 = 63) is row i/8, column i%8. Where a convolution feeds a linear layer the
// activations are flattened channel-major: feature = channel·64 + square. Weights can thus be exchanged with a
// PyTorch network of the same shape, whatever layout the activations have here.
//
// The layout of the activations belongs to the [Form] of the convolutions and is never visible outside.
//
// A further network is one more file with a constructor, listed in [New].
package model

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Moves is the number of policy logits: 64 from-squares × 73 move planes.
const Moves = 4672

// Planes is the number of input planes of the talbotbot recipe; each is one uint64, bit i = square i, a1 = 0.
const Planes = 68

// Words is the number of uint64 words of a packed input of the talbotbot recipe, and LegalWords that of its legal
// moves; see [encode.TalbotBot.Pack] and [encode.TalbotBot.LegalMask] for their bits.
const (
	Words      = 21
	LegalWords = 16
)

// Past is the first of the planes that depend on more than the present position: repetitions, then history.
const Past = 18

// Config is what shapes a network.
type Config struct {
	Blocks       int     `json:"blocks"`        // residual blocks, at least 1
	Filters      int     `json:"filters"`       // channels of the trunk, at least 2
	BlockDropout float64 `json:"block_dropout"` // rate of channel dropout in the second half of the blocks, [0, 1)
	ValueDropout float64 `json:"value_dropout"` // rate of dropout in the value head, [0, 1)
}

// Validate reports the first field that no network can be built from.
func (c Config) Validate() error {
	switch {
	case c.Blocks < 1 || c.Blocks > 200:
		return fmt.Errorf("blocks must be from 1 to 200: %d", c.Blocks)
	case c.Filters < 2 || c.Filters > 4096:
		return fmt.Errorf("filters must be from 2 to 4096: %d", c.Filters)
	case !(c.BlockDropout >= 0 && c.BlockDropout < 1):
		return fmt.Errorf("block dropout must be at least 0 and below 1: %g", c.BlockDropout)
	case !(c.ValueDropout >= 0 && c.ValueDropout < 1):
		return fmt.Errorf("value dropout must be at least 0 and below 1: %g", c.ValueDropout)
	}
	return nil
}

// Network is one architecture.
type Network interface {
	// Params lists every parameter and statistic in a fixed order.
	Params() []Param
	// Unpack turns packed inputs [N, words] uint64 into planes [N, planes] uint64.
	Unpack(packed *graph.Node) *graph.Node
	// Forward builds the network's graph: planes is [N, planes] uint64, logits [N, moves] and value [N] are float32,
	// the value in [−1, 1] from the side to move. It panics on errors.
	Forward(p *Pass, planes *graph.Node) (logits, value *graph.Node)
}

// New returns the network of a recipe.
func New(recipe string, c Config) (Network, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	switch recipe {
	case "talbotbot":
		return talbotbot{c}, nil
	}
	return nil, fmt.Errorf("unknown recipe %q (known: talbotbot)", recipe)
}

// Guard runs build, which may build or run graphs, and returns its panic as an error.
func Guard(build func() error) (err error) {
	if caught := exceptions.TryCatch[error](func() { err = build() }); caught != nil {
		return caught
	}
	return err
}
