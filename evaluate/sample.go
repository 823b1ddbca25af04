// Package evaluate measures how good a network is.
//
// It runs samples, as the encoder of the network's recipe writes them, through a [Network] and makes
// a [Report] of figures, their bootstrap intervals, and the positions that the network got most wrong. What the network
// does not know, or the recipe does not read, is left out. A further figure is one more [Measure] in the list of
// measures.go. [ComparePaired] compares several networks on the same samples. The package starts no goroutines.
package evaluate

import (
	"talbot/board"
	"talbot/dataset"
)

// Sample is one position to evaluate a network on, as its recipe's encoder writes it.
type Sample struct {
	Source string       // "game", "puzzle", "endgame": the group of by_source
	Packed []uint64     // input
	Legal  []board.Move // all legal moves, at least one
	Codes  []int32      // of the legal moves; nil for a recipe without moves
	Policy []Target     // whose weights sum to 1; empty: no policy target
	Floats []float32    // as the recipe's layout names them; NaN = not known
	Unseen bool         // the position does not occur in the training data
	Origin *Origin      // nil: not known
	Moves  int64        // that were played, and counted for the target: 1 in a game
}

// Target is one move of a policy target.
type Target struct {
	Move   int // its index in Legal
	Weight float32
}

// Origin says where a sample stands. Without it a sample counts in the figures, but in no group other than its source
// and not for the bootstrap, the mates and the misses.
type Origin struct {
	Position board.Position
	Line     int64  // number of its line in this evaluation; the samples of a line come one after the other
	Game     string // where the line was read, for display
	Link     string // the game on Lichess, as "https://lichess.org/abcdefgh#31"; "" = none
	Ply      int
	Rating   int // of the player to move, or of the puzzle; 0 = unknown

	Result    dataset.Class // that endgame tables have, for the side to move
	HasResult bool          // it was stored with the sample
	Audited   bool          // the value is by labels that were audited
}
