package encode

import (
	"math"
	"slices"

	"talbot/board"
	"talbot/dataset"
)

// Encoder is the encoding of one recipe: what its network reads and learns of a position. It has no state that changes
// and is safe for concurrent use.
type Encoder interface {
	// Name returns the recipe's: one that has another's encoding embeds its encoder and has a Name of its own.
	Name() string

	// Layout returns the sizes of all that the other methods write. It is the same at each call.
	Layout() Layout

	// Pack writes what the network reads of a view to dst[:Layout().Words], as it is kept in memory and travels to the
	// device, where the network unpacks it. It allocates nothing and panics if dst is shorter.
	Pack(dst []uint64, v *View)

	// Unpack writes what the network makes of a packed input, row by row, to dst: the product of Layout().Shape many.
	Unpack(dst []float32, packed []uint64)

	// EncodeMove writes the words of a legal move to dst[:Layout().Codes]. The first is not negative; −1 stands for no
	// move.
	EncodeMove(dst []int32, v *View, m board.Move)

	// Target appends the training target of a sample to a target that was reset; false if there is nothing to learn.
	Target(dst *Target, v *View, t Targets) bool

	// NumberNames returns names for all planes that Unpack writes, in their order, or for all numbers where these are
	// not laid out as planes.
	NumberNames() []NumberGroup

	Valuer
}

// Valuer is a recipe's formula for values. One that can be turned round is an [Inverter] too.
type Valuer interface {
	// Value returns the value target in [-1, 1] of an exact score, both from the side to move's view; false if the
	// recipe gives such a score no value, or if it is no score.
	Value(s dataset.Score) (float32, bool)

	// ValueFormula is Value in one line, for manifests.
	ValueFormula() string
}

// Layout is how much a recipe writes of each sample.
type Layout struct {
	Words int   // 64-bit words of a packed input
	Shape []int // of the numbers that the network makes of it: {68, 8, 8} are 68 planes, {78} are 78 tokens

	Moves MoveList
	Codes int // words, of 32 bits, of each listed move; 0 only without moves
	// Indices is how many values the first word of a move can have, from 0; 0 = not said.
	Indices int
	// Scores reports that the weights of listed moves are any numbers. Else those of a sample sum to 1, or are all 0.
	Scores bool

	// Floats are the names of the numbers beside the moves, such as [ValueFloat]. A sample may lack any of them.
	Floats []string

	Chances bool        // the encoder looks at the chances of labels, not at their scores alone
	Ratings bool        // the encoder looks at the players' ratings
	Rating  *RatingBits // where a packed input has that of the side to move; nil if it has it nowhere

	// Candidates is how many of the likely moves of a position the encoder looks at, with their values: 0 = none. Only
	// a dataset that has them can be trained on ([dataset.Counting.WithCandidates]); in play the player sets
	// View.Said.Candidates.
	Candidates int

	// What else the same position can be shown as; nil where the recipe does not know the difference.
	NoHistory, OtherColour *InputTransform
}

// MoveList says which moves a sample lists.
type MoveList uint8

const (
	NoMoves     MoveList = iota
	TargetMoves          // those of the target, each with a weight above 0
	LegalMoves           // all legal ones; the weight of those outside the target is 0, or what the recipe says
)

// Names of floats that several recipes have.
const (
	ValueFloat  = "value"  // target of the value, in [-1, 1] from the side to move's view
	ResultFloat = "result" // of the game, 1, 0 or -1 from the side to move's view
	PliesFloat  = "plies"  // left of the game, this one included
	WinFloat    = "win"    // chance of a win for the side to move: the label's, or else of the game's result
	DrawFloat   = "draw"   // of a draw
)

// Float returns the number of the float of that name, -1 if there is none.
func (l *Layout) Float(name string) int { return slices.Index(l.Floats, name) }

// Numbers is how many numbers the network reads.
func (l *Layout) Numbers() int {
	n := 1
	for _, d := range l.Shape {
		n *= d
	}
	return n
}

// InputTransform changes a packed input into one that shows the same position otherwise: word i becomes (word & And[i])
// ^ Xor[i]. Words beyond its length stay as they are.
type InputTransform struct{ And, Xor []uint64 }

// Apply changes a packed input.
func (d *InputTransform) Apply(packed []uint64) {
	for i := range d.And {
		packed[i] = packed[i]&d.And[i] ^ d.Xor[i]
	}
}

// RatingBits are the 16 bits from Shift on of a word of a packed input.
type RatingBits struct{ Word, Shift int }

// WithRating makes the side to move have another rating, from 0 to 65535; nil where the recipe does not know it.
func (l *Layout) WithRating(rating int) *InputTransform {
	if l.Rating == nil {
		return nil
	}
	d := &InputTransform{slices.Repeat([]uint64{math.MaxUint64}, l.Words), make([]uint64, l.Words)}
	d.And[l.Rating.Word] = ^(uint64(math.MaxUint16) << l.Rating.Shift)
	d.Xor[l.Rating.Word] = uint64(rating) << l.Rating.Shift
	return d
}

// Targets say how training targets are computed from raw labels.
type Targets struct {
	Value  ValueTarget
	Policy PolicyTarget
}

// Target is the training target of one sample. Its slices are used again.
type Target struct {
	Moves  []dataset.WeightedMove // of [TargetMoves] and [LegalMoves]
	Floats []float32              // as many as the layout names; NaN = not known
}

var unknown = float32(math.NaN())

// Reset empties the target for a layout: no moves, and no float is known.
func (t *Target) Reset(l *Layout) {
	t.Moves = t.Moves[:0]
	t.Floats = t.Floats[:0]
	for range l.Floats {
		t.Floats = append(t.Floats, unknown)
	}
}

// Learns reports whether some move has a weight.
func (t *Target) Learns() bool {
	return slices.ContainsFunc(t.Moves, func(m dataset.WeightedMove) bool { return m.Weight != 0 })
}

// Describe returns the training target of a sample for display: as "policy" the moves with a weight, and the floats by
// their names, nil where they are not known. It is nil if there is nothing to learn.
func Describe(e Encoder, v *View, t Targets) map[string]any {
	var target Target
	layout := e.Layout()
	if target.Reset(&layout); !e.Target(&target, v, t) {
		return nil
	}
	shown := map[string]any{}
	for i, name := range layout.Floats {
		shown[name] = nil
		if x := target.Floats[i]; x == x {
			shown[name] = x
		}
	}
	if layout.Moves == NoMoves {
		return shown
	}
	policy := map[string]float32{}
	for _, m := range target.Moves {
		if m.Weight != 0 {
			policy[m.Move.String()] += m.Weight
		}
	}
	shown["policy"] = policy
	return shown
}
