package encode

import (
	"fmt"

	"talbot/board"
	"talbot/dataset"
)

// Encoder is the encoding of one recipe. It has no state and is safe for concurrent use.
type Encoder interface {
	// Name returns the name that [ByName] knows.
	Name() string

	// Planes returns how many 64-bit planes one input has. Bit i of a plane is square i (a1 = 0, h8 = 63) in the
	// mover's frame.
	Planes() int

	// Encode writes the input for the present position of g to dst[:Planes()], every plane of it. History and
	// repetitions come from the past of g, so a game that was reset to a position encodes that position without
	// history. It allocates nothing and panics if dst is shorter than Planes().
	Encode(dst []uint64, g *board.Game)

	// Words returns how many 64-bit words a packed input has.
	Words() int

	// Pack writes the same input as Encode to dst[:Words()] as it is kept in memory and travels to the device, where
	// the network makes planes of it. It allocates nothing and panics if dst is shorter than Words().
	Pack(dst []uint64, g *board.Game)

	// Moves returns the size of the policy. Indices run from 0 to Moves()-1.
	Moves() int

	// MoveIndex returns the index of m, a legal move of p, in the policy. For a move that cannot be legal in any
	// position it returns -1.
	MoveIndex(p *board.Position, m board.Move) int

	// Move returns the legal move of p that has the index; false if there is none.
	Move(p *board.Position, index int) (board.Move, bool)

	// Value returns the value target in [-1, 1] of an exact score, both from the side to move's view; false if the
	// recipe gives such a score no value, or if it is no score.
	Value(s dataset.Score) (float32, bool)

	// ValueFormula is Value in one line, for manifests.
	ValueFormula() string
}

// ByName returns the encoder of that name.
func ByName(name string) (Encoder, error) {
	if e := (TalbotBot{}); name == e.Name() {
		return e, nil
	}
	return nil, fmt.Errorf("unknown encoder %q (known: talbotbot)", name)
}

// LegalIndices appends the indices of the legal moves of p to dst, in the order of [board.Position.LegalMoves].
func LegalIndices(dst []uint16, e Encoder, p *board.Position) []uint16 {
	var buf [board.MaxMoves]board.Move
	for _, m := range p.LegalMoves(buf[:0]) {
		dst = append(dst, uint16(e.MoveIndex(p, m)))
	}
	return dst
}
