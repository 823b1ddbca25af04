package model

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// column is word i of packed inputs, [N, 1].
func column(x *Node, i int) *Node { return Slice(x, AxisRange(), AxisRange(i, i+1)) }

// boardPieces are the squares of own pawns to king and of the opponent's, each [N, 1], of inputs that begin with a
// board as package encode packs it: three words with the bits of what stands on a square, and one of the opponent's
// squares.
func boardPieces(packed *Node) []*Node {
	return piecePlanes(column(packed, 0), column(packed, 1), column(packed, 2), column(packed, 3))
}

// pieceKinds are the squares of pawns, knights, bishops, rooks, queens and kings, by the bits of what stands on a
// square: pawn 1, knight 2, bishop 3, rook 4, queen 5, king 6.
func pieceKinds(bit0, bit1, bit2 *Node) []*Node {
	return []*Node{
		without(bit0, BitwiseOr(bit1, bit2)), without(bit1, BitwiseOr(bit0, bit2)), BitwiseAnd(bit0, bit1),
		without(bit2, BitwiseOr(bit0, bit1)), BitwiseAnd(bit0, bit2), BitwiseAnd(bit1, bit2),
	}
}

// piecePlanes are the own pieces of each kind, then those of the opponent, which are on the squares of theirs.
func piecePlanes(bit0, bit1, bit2, theirs *Node) []*Node {
	planes := make([]*Node, 12)
	for i, kind := range pieceKinds(bit0, bit1, bit2) {
		planes[i], planes[6+i] = without(kind, theirs), BitwiseAnd(kind, theirs)
	}
	return planes
}

// flagPlanes are planes of ones or zeros, one for each of the k lowest bits of a word: [N, 1] to [N, k].
func flagPlanes(word *Node, k int) *Node {
	g, n := word.Graph(), word.Shape().Dim(0)
	bits := BroadcastToDims(Iota(g, shapes.Make(dtypes.Uint64, 1, k), 1), n, k)
	flags := BitwiseAnd(BitwiseShiftRightLogical(BroadcastToDims(word, n, k), bits), uint64s(g, 1))
	return Mul(flags, uint64s(g, ^uint64(0)))
}

// without is x &^ y.
func without(x, y *Node) *Node { return BitwiseAnd(x, BitwiseNot(y)) }

// uint64s is a scalar. (Scalar of GoMLX would round it to a float64.)
func uint64s(g *Graph, x uint64) *Node { return Const(g, x) }

// shiftBack moves the bits of each column one step back, by the column's own step.
func shiftBack(x *Node, steps []int) *Node {
	down, up := make([]uint64, len(steps)), make([]uint64, len(steps))
	for i, s := range steps {
		down[i], up[i] = uint64(max(s, 0)), uint64(max(-s, 0))
	}
	by := func(steps []uint64) *Node { return BroadcastToShape(Const(x.Graph(), [][]uint64{steps}), x.Shape()) }
	return BitwiseShiftLeft(BitwiseShiftRightLogical(x, by(down)), by(up))
}
