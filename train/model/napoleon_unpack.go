package model

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// napoleonPlanes is the number of input planes of the recipe napoleon, and napoleonWords that of the uint64 words of a
// packed input.
const (
	napoleonPlanes = 34
	napoleonWords  = 4
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

func (s step) back() step { return step{-s.ranks, -s.files} }

// napoleonInput makes the 34 planes of inputs as the encoder packs them, [N, 4] uint64, in the layout of the form,
// float32: [encode.Napoleon] says what they hold.
//
// Attacks are found direction by direction, since from one direction at most one piece of a kind attacks a square. They
// are counted bit by bit in words, bit s = square s, so that few words need be spread over squares: spreading is what
// costs. Every plane is a sum of such words with small whole factors: one matrix product, exact in any type that
// products are computed in.
func napoleonInput(f Form, packed *Node) *Node {
	words, factors := napoleonTerms(packed)
	bits := f.Spread(words)
	m := Const(packed.Graph(), factors)
	if f == Native {
		return DotGeneral(bits, []int{3}, nil, m, []int{1}, nil)
	}
	d := bits.Shape().Dimensions
	return Reshape(DotProduct(m, Reshape(bits, d[0], 64*d[3])), napoleonPlanes, 8, 8, d[3])
}

// napoleonTerms returns words [N, K] uint64 and the factor [34][K] of each in each plane.
func napoleonTerms(packed *Node) (words *Node, factors [][]float32) {
	bit0, bit1, bit2, theirs := column(packed, 0), column(packed, 1), column(packed, 2), column(packed, 3)
	occupied := BitwiseOr(BitwiseOr(bit0, bit1), bit2)
	both := []*Node{ // pawn 1, knight 2, bishop 3, rook 4, queen 5, king 6
		without(bit0, BitwiseOr(bit1, bit2)), without(bit1, BitwiseOr(bit0, bit2)), BitwiseAnd(bit0, bit1),
		without(bit2, BitwiseOr(bit0, bit1)), BitwiseAnd(bit0, bit2), BitwiseAnd(bit1, bit2),
	}
	var terms []*Node
	factors = make([][]float32, napoleonPlanes)
	add := func(x *Node, factor float32, planes ...int) {
		terms = append(terms, x)
		for plane := range factors {
			var f float32
			if slices.Contains(planes, plane) {
				f = factor
			}
			factors[plane] = append(factors[plane], f)
		}
	}
	// both sides in columns of their own: own pieces, the opponent's
	for kind, squares := range both {
		both[kind] = Concatenate([]*Node{without(squares, theirs), BitwiseAnd(squares, theirs)}, 1)
	}
	var moving []*Node
	var steps []step
	var slides []bool
	for kind, squares := range both {
		own, others := stepsOf(kind, 0), stepsOf(kind, 1)
		for i := range own {
			slide := kind >= 2 && kind <= 4
			moving, steps, slides = append(moving, squares), append(steps, own[i], others[i]),
				append(slides, slide, slide)
		}
	}
	attacked := attacks(Concatenate(moving, 1), BitwiseNot(occupied), steps, slides)

	// As many pieces of a kind attack a square at most: 2 pawns, 8 knights, 4 bishops, 4 rooks, 8 queens, 1 king.
	digits := []int{2, 4, 3, 3, 4, 1}
	first := 0
	for kind, squares := range both {
		var columns []*Node
		for range stepsOf(kind, 0) {
			columns = append(columns, Slice(attacked, AxisRange(), AxisRange(first, first+2)))
			first += 2
		}
		counted := total([][]*Node{columns}, digits[kind])
		for side, sign := range []float32{1, -1} {
			k := 6*side + kind
			add(column(squares, side), sign, k)
			for i, x := range counted {
				add(column(x, side), sign*float32(int(1)<<i), 12+k, 24+kind, 30, 31+side)
			}
		}
	}
	for i, x := range total(reach(both, BitwiseNot(occupied)), 5) { // a queen's is 27
		add(x, float32(int(1)<<i), 33)
	}
	return Concatenate(terms, 1), factors
}

// total counts words bit by bit. Those of columns[i] count 2ⁱ each; the result are the binary digits of how much a bit
// has, the lowest first, as many as asked for.
func total(columns [][]*Node, digits int) (binary []*Node) {
	for i := range digits {
		var carried []*Node
		var x []*Node
		if i < len(columns) {
			x = columns[i]
		}
		for len(x) > 1 {
			a, b := x[0], x[1]
			sum, carry := BitwiseXor(a, b), BitwiseAnd(a, b)
			if len(x) > 2 {
				sum, carry = BitwiseXor(sum, x[2]), BitwiseOr(carry, BitwiseAnd(sum, x[2]))
			}
			x, carried = append(slices.Clone(x[min(3, len(x)):]), sum), append(carried, carry)
		}
		if len(x) == 0 {
			break
		}
		binary = append(binary, x[0])
		if i+1 == len(columns) {
			columns = append(columns, nil)
		}
		columns[i+1] = append(columns[i+1], carried...)
	}
	return binary
}

func column(x *Node, i int) *Node { return Slice(x, AxisRange(), AxisRange(i, i+1)) }

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
	by := [3][]int{make([]int, k), make([]int, k), make([]int, k)} // one step, two, four; as [back] counts them
	for i, s := range steps {
		arrives[i] = s.back().from()
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
		x = BitwiseOr(x, BitwiseAnd(open, back(x, by[j])))
		if j+1 < len(by) {
			open = BitwiseAnd(open, back(open, by[j]))
		}
	}
	return BitwiseAnd(row(arrives), back(x, by[0]))
}

// reach returns how many squares the pieces attack, as [total] counts. Kinds are [N, 2] each, from 0 pawns to 5 kings,
// a column for each side.
func reach(kinds []*Node, empty *Node) [][]*Node {
	g, n := empty.Graph(), empty.Shape().Dim(0)
	k := len(compass)
	of := func(kind int) *Node { return BitwiseOr(column(kinds[kind], 0), column(kinds[kind], 1)) }
	row := func(masks []uint64) *Node { return BroadcastToDims(Const(g, [][]uint64{masks}), n, len(masks)) }
	wide := BroadcastToDims(empty, n, k)
	from, by := make([]uint64, k), make([]int, k)
	sliders := make([]*Node, k)
	for i, s := range compass {
		from[i], by[i] = s.from(), 8*s.ranks+s.files
		sliders[i] = BitwiseOr(of(3-i%2), of(4))
	}
	// steps[i]: the squares from which there is an i+1st step in the column's direction
	steps := []*Node{row(from)}
	for i := range 6 {
		steps = append(steps, BitwiseAnd(row(from), back(BitwiseAnd(wide, steps[i]), by)))
	}
	slider := Concatenate(sliders, 1)
	one := BitwiseOr(BitwiseOr(without(steps[0], steps[1]), without(steps[2], steps[3])),
		BitwiseOr(without(steps[4], steps[5]), steps[6]))
	two := BitwiseOr(without(steps[1], steps[3]), steps[5])
	columns := make([][]*Node, 4)
	for i, x := range []*Node{one, two, steps[3]} {
		x = BitwiseAnd(x, slider)
		for d := range k {
			columns[i] = append(columns[i], column(x, d))
		}
	}

	// The others attack as many squares as there are around them.
	var counts [4]*Node
	for _, kind := range []int{0, 1, 5} {
		var masks [4]uint64
		for s := range 64 {
			number := 0
			for _, step := range stepsOf(kind, 0) {
				// A pawn stands on no rank from which its step would leave the board.
				if step.from()>>s&1 != 0 {
					number++
				}
			}
			for b := range masks {
				masks[b] |= uint64(number>>b&1) << s
			}
		}
		for b, mask := range masks {
			x := BitwiseAnd(of(kind), uint64s(g, mask))
			if counts[b] != nil {
				x = BitwiseOr(counts[b], x)
			}
			counts[b] = x
		}
	}
	for b, x := range counts {
		columns[b] = append(columns[b], x)
	}
	return columns
}
