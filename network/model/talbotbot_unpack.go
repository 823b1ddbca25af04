package model

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
)

// Unpack makes the 68 planes of inputs as [encode.TalbotBot.Pack] writes them: five boards of four words, then flags.
func (TalbotBot) Unpack(a ConvAlgorithm, packed *Node) *Node {
	g, n := packed.Graph(), packed.Shape().Dim(0)
	boards := Reshape(Slice(packed, AxisRange(), AxisRange(0, 20)), n, 5, 4)
	word := func(i int) *Node { return Slice(boards, AxisRange(), AxisRange(), AxisElem(i)) }
	bit0, bit1, bit2, theirs := word(0), word(1), word(2), word(3)
	pieces := Reshape(Concatenate(piecePlanes(bit0, bit1, bit2, theirs), 2), n, 60)

	word20 := Slice(packed, AxisRange(), AxisElem(20))
	flags := flagPlanes(word20, 7)
	passed := BitwiseAnd(word20, uint64s(g, 0xff<<40))
	return a.Spread(Concatenate([]*Node{
		Slice(pieces, AxisRange(), AxisRange(0, 12)),
		Slice(flags, AxisRange(), AxisRange(0, 5)), passed, Slice(flags, AxisRange(), AxisRange(5)),
		Slice(pieces, AxisRange(), AxisRange(12)),
	}, 1))
}

// LegalMoves returns the legal moves that packed inputs hold after the position, as booleans [N, 4672].
//
// A mask tells where moves arrive. They are taken back square by square until a piece stands there, which is the one
// that moves.
func LegalMoves(packed *Node) *Node {
	mask := Slice(packed, AxisRange(), AxisRange(encode.TalbotBotWords))
	g, n := mask.Graph(), mask.Shape().Dim(0)
	word := func(i int) *Node { return Slice(packed, AxisRange(), AxisElem(i)) }
	bit0, bit1, bit2, theirs := word(0), word(1), word(2), word(3)
	occupied := BroadcastToDims(BitwiseOr(BitwiseOr(bit0, bit1), bit2), n, 8)

	// What a king's or knight's step adds to a square, in the order of the words.
	sliding := []int{8, 9, 1, -7, -8, -9, -1, 7}
	jumping := []int{17, 10, -6, -15, -17, -10, 6, 15}
	distances := make([]*Node, 7)
	at := Slice(mask, AxisRange(), AxisRange(0, 8))
	for i := range distances {
		at = shiftBack(at, sliding)
		distances[i] = BitwiseAnd(at, occupied)
		at = without(at, occupied)
	}
	slides := Reshape(Stack(distances, 2), n, 56)
	jumps := shiftBack(Slice(mask, AxisRange(), AxisRange(8)), jumping)

	pawns := without(BitwiseAnd(bit0, uint64s(g, 0xff<<48)), BitwiseOr(BitwiseOr(bit1, bit2), theirs))
	promotes := func(direction int) *Node {
		return BitwiseAnd(Slice(distances[0], AxisRange(), AxisElem(direction)), pawns)
	}
	const north, northEast, northWest = 0, 1, 7
	promotions := Concatenate([]*Node{promotes(northWest), promotes(north), promotes(northEast)}, 1)

	// by move plane, bit s = from square s
	words := Concatenate([]*Node{slides, jumps, promotions, promotions, promotions}, 1)
	planes := words.Shape().Dim(1)
	square := BroadcastToDims(Iota(g, shapes.Make(dtypes.Uint64, 1, 64, 1), 1), n, 64, planes)
	bits := BitwiseShiftRightLogical(BroadcastToDims(InsertAxes(words, 1), n, 64, planes), square)
	return Reshape(Equal(BitwiseAnd(bits, uint64s(g, 1)), uint64s(g, 1)), n, 64*planes)
}
