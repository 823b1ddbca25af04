package model

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// What a step adds to a square, the directions of a slider clockwise from north: rook's and bishop's in turn.
var (
	compass = []step{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}
	jumps   = []step{{2, 1}, {1, 2}, {-1, 2}, {-2, 1}, {-2, -1}, {-1, -2}, {1, -2}, {2, -1}}
)

type step struct{ ranks, files int }

// from is the set of squares from which the step stays on the board.
func (s step) from() (squares uint64) {
	for i := range 64 {
		if r, f := i/8+s.ranks, i%8+s.files; r >= 0 && r < 8 && f >= 0 && f < 8 {
			squares |= 1 << i
		}
	}
	return squares
}

func (s step) reversed() step { return step{-s.ranks, -s.files} }

// stepsOf are the directions in which a piece attacks: kinds from 0 a pawn to 5 a king, sides 0 own and 1 the
// opponent's.
func stepsOf(kind, side int) (steps []step) {
	switch kind {
	case 0:
		return []step{{1 - 2*side, -1}, {1 - 2*side, 1}}
	case 1:
		return jumps
	}
	for i, s := range compass {
		if rook := i%2 == 0; kind >= 4 || rook == (kind == 3) {
			steps = append(steps, s)
		}
	}
	return steps
}

// attacks returns what the pieces of each column attack by the column's step, on and on over empty squares where they
// slide: x [N, K], empty [N, 1].
func attacks(x, empty *Node, steps []step, slides []bool) *Node {
	g, k := x.Graph(), len(steps)
	arrives, passes := make([]uint64, k), make([]uint64, k)
	by := [3][]int{make([]int, k), make([]int, k), make([]int, k)} // one step, two, four; as [shiftBack] counts them
	for i, s := range steps {
		arrives[i] = s.reversed().from()
		if slides[i] {
			passes[i] = arrives[i]
		}
		for j := range by {
			by[j][i] = -(8*s.ranks + s.files) << j
			if j > 0 && !slides[i] {
				by[j][i] = 0
			}
		}
	}
	row := func(masks []uint64) *Node { return BroadcastToShape(Const(g, [][]uint64{masks}), x.Shape()) }
	// Kogge and Stone: reached in up to one step, three, seven.
	open := BitwiseAnd(row(passes), BroadcastToShape(empty, x.Shape()))
	for j := range by {
		x = BitwiseOr(x, BitwiseAnd(open, shiftBack(x, by[j])))
		if j+1 < len(by) {
			open = BitwiseAnd(open, shiftBack(open, by[j]))
		}
	}
	return BitwiseAnd(row(arrives), shiftBack(x, by[0]))
}

// attackedSquares returns the squares [N, 12] that own pawns, knights, bishops, rooks, queens and kings attack, and then
// those that the opponent's do. pieces are where these stand, [N, 1] each, as [piecePlanes] returns them. The first
// piece in the way is attacked, of either side, and ends the reach of a slider.
func attackedSquares(pieces []*Node) *Node {
	const kinds, rounds = 6, 8 // no piece attacks in more directions than eight
	empty := pieces[0]
	for _, x := range pieces[1:] {
		empty = BitwiseOr(empty, x)
	}
	empty = BitwiseNot(empty)
	var steps []step
	var slides []bool
	for round := range rounds {
		for i := range pieces {
			s := step{0, 8} // leads nowhere
			if all := stepsOf(i%kinds, i/kinds); round < len(all) {
				s = all[round]
			}
			steps, slides = append(steps, s), append(slides, i%kinds >= 2 && i%kinds <= 4)
		}
	}
	all := attacks(Concatenate(slices.Repeat(pieces, rounds), 1), empty, steps, slides)
	var squares *Node
	for round := range rounds {
		x := Slice(all, AxisRange(), AxisRange(round*len(pieces), (round+1)*len(pieces)))
		if squares != nil {
			x = BitwiseOr(squares, x)
		}
		squares = x
	}
	return squares
}
