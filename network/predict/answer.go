package predict

// Input is a position to be asked about, as its recipe's encoder writes it.
type Input struct {
	Packed []uint64 // Layout.Words words
	Codes  []int32  // of the legal moves in any order, Layout.Codes words each; nil for a recipe without moves
}

// Output is what a network says about a position. What its recipe does not know is left out: see [Capabilities].
type Output struct {
	Prior      []float32  // log-probability of each legal move among the legal ones, in the order of the question
	Inside     float32    // log of the probability that falls on the legal moves; 0 where others cannot be said
	Outside    float32    // the probability that falls on others
	Other      int32      // word of the most probable of the others
	OtherShare float32    // its probability
	Value      float32    // in [−1, 1] from the side to move's view
	WDL        [3]float32 // of win, draw and loss for the side to move; they sum to 1
	MovesLeft  float32    // plies to the end of the game
}

// Capabilities says which parts of an [Output] a network gives.
type Capabilities struct{ Prior, Others, Value, WDL, MovesLeft bool }
