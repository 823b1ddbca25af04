package model

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
)

// Unpack makes the 34 planes of inputs as [encode.Napoleon.Pack] writes them.
//
// Attacks are found direction by direction, since from one direction at most one piece of a kind attacks a square. They
// are counted bit by bit in words, bit s = square s, so that few words need be spread over squares: spreading is what
// costs. Every plane is a sum of such words with small whole factors: one matrix product, exact in any type that
// products are computed in.
func (Napoleon) Unpack(a ConvAlgorithm, packed *Node) *Node {
	words, factors := napoleonTerms(packed)
	bits := a.Spread(words)
	return DotGeneral(bits, []int{channelAxis}, nil, Const(packed.Graph(), factors), []int{1}, nil)
}

// fours are groups of up to four directions in which attacks are counted, each for both sides. Kings and pawns come
// first since their counts have the fewest digits.
var fours = []struct {
	kind  int // from 0 a pawn to 5 a king
	first int // of the directions of stepsOf
}{{5, 0}, {5, 4}, {0, 0}, {1, 0}, {1, 4}, {2, 0}, {3, 0}, {4, 0}, {4, 4}}

// napoleonTerms returns words [N, K] uint64 and the factor [34][K] of each in each plane.
func napoleonTerms(packed *Node) (words *Node, factors [][]float32) {
	bit0, bit1, bit2, theirs := column(packed, 0), column(packed, 1), column(packed, 2), column(packed, 3)
	empty := BitwiseNot(BitwiseOr(BitwiseOr(bit0, bit1), bit2))
	kinds := pieceKinds(bit0, bit1, bit2)
	var terms []*Node
	add := func(x *Node) { terms = append(terms, x) }
	factors = make([][]float32, encode.NapoleonPlanes)
	factor := func(f float32, planes ...int) {
		for plane := range factors {
			factors[plane] = append(factors[plane], 0)
			if slices.Contains(planes, plane) {
				factors[plane][len(factors[plane])-1] = f
			}
		}
	}

	var sides []*Node // [N, 2]: own, the opponent's
	for kind, x := range kinds {
		sides = append(sides, Concatenate([]*Node{without(x, theirs), BitwiseAnd(x, theirs)}, 1))
		add(sides[kind])
		factor(1, kind)
		factor(-1, 6+kind)
	}
	var pieces []*Node
	for range 4 {
		for _, four := range fours {
			pieces = append(pieces, sides[four.kind])
		}
	}
	steps, slides := stepsOfFours()
	attacked := attacks(Concatenate(pieces, 1), empty, steps, slides)
	for digit, x := range fold(fold([]*Node{attacked})) {
		skip := []int{0, 2, 3}[digit] // one king at most, two pawns
		add(Slice(x, AxisRange(), AxisRange(2*skip)))
		for _, four := range fours[skip:] {
			factor(float32(int(1)<<digit), 12+four.kind, 24+four.kind, 30, 31)
			factor(-float32(int(1)<<digit), 18+four.kind, 24+four.kind, 30, 32)
		}
	}
	for digit, x := range reach(kinds, empty) {
		add(x)
		factor(float32(int(1)<<digit), 33)
	}
	return Concatenate(terms, 1), factors
}

// fold adds numbers bit by bit. digits are words [N, 2K], for each bit the binary digits of a number, the lowest first;
// the result, one digit more, is [N, K]: the sums of column i and column K+i.
func fold(digits []*Node) (sums []*Node) {
	var carry *Node
	for _, x := range digits {
		k := x.Shape().Dim(1) / 2
		a, b := Slice(x, AxisRange(), AxisRange(0, k)), Slice(x, AxisRange(), AxisRange(k))
		sum, both := BitwiseXor(a, b), BitwiseAnd(a, b)
		if carry == nil {
			sums, carry = append(sums, sum), both
			continue
		}
		sums, carry = append(sums, BitwiseXor(sum, carry)), BitwiseOr(both, BitwiseAnd(sum, carry))
	}
	return append(sums, carry)
}

// stepsOfFours are the steps of each column of attacks: the first of all fours for either side, the second of all, and
// so on; and which of them slide.
func stepsOfFours() (steps []step, slides []bool) {
	for i := range 4 {
		for _, four := range fours {
			for side := range 2 {
				s := step{0, 8} // leads nowhere: pawns have two directions only
				if all := stepsOf(four.kind, side); four.first+i < len(all) {
					s = all[four.first+i]
				}
				steps, slides = append(steps, s), append(slides, four.kind >= 2 && four.kind <= 4)
			}
		}
	}
	return steps, slides
}

// reach returns the five binary digits, [N, 1] each, of how many squares the piece on a square attacks. Kinds are
// [N, 1], from 0 pawns to 5 kings, of both sides.
func reach(kinds []*Node, empty *Node) []*Node {
	g, n := empty.Graph(), empty.Shape().Dim(0)
	row := func(masks []uint64) *Node { return BroadcastToDims(Const(g, [][]uint64{masks}), n, len(masks)) }
	wide := BroadcastToDims(empty, n, len(compass))
	var from []uint64
	var by []int
	var sliders []*Node
	for i, s := range compass {
		from, by = append(from, s.from()), append(by, 8*s.ranks+s.files)
		sliders = append(sliders, BitwiseOr(kinds[3-i%2], kinds[4]))
	}
	// steps[i]: the squares from which there is an i+1st step in the column's direction
	steps := []*Node{row(from)}
	for i := range 6 {
		steps = append(steps, BitwiseAnd(row(from), shiftBack(BitwiseAnd(wide, steps[i]), by)))
	}
	one := BitwiseOr(BitwiseOr(without(steps[0], steps[1]), without(steps[2], steps[3])),
		BitwiseOr(without(steps[4], steps[5]), steps[6]))
	two := BitwiseOr(without(steps[1], steps[3]), steps[5])
	digits := []*Node{one, two, steps[3]}
	slider := Concatenate(sliders, 1)
	for i := range digits {
		digits[i] = BitwiseAnd(digits[i], slider)
	}
	digits = fold(fold(fold(digits)))[:5] // a queen's is 27 at most

	// The others attack as many squares as there are around them.
	var near *Node
	for _, kind := range []int{0, 1, 5} {
		masks := make([]uint64, 4)
		for s := range 64 {
			number := 0
			for _, step := range stepsOf(kind, 0) { // pawns of either side: none stands on the first or last rank
				number += int(step.from() >> s & 1)
			}
			for b := range masks {
				masks[b] |= uint64(number>>b&1) << s
			}
		}
		x := BitwiseAnd(BroadcastToDims(kinds[kind], n, len(masks)), row(masks))
		if near != nil {
			x = BitwiseOr(near, x)
		}
		near = x
	}
	for i := range 4 {
		digits[i] = BitwiseOr(digits[i], column(near, i))
	}
	return digits
}
