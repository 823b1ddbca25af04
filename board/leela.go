package board

import "math/bits"

// LeelaMoves is how many moves [LeelaNumber] numbers.
const LeelaMoves = 1858

// leelaNumbers has the numbers of moves by their squares, and leelaPromotions that of the promotion to a queen from a
// file of the seventh rank to one beside it of the eighth; −1 for squares that no queen or knight connects.
var leelaNumbers, leelaPromotions = func() (moves [64][64]int16, promotions [8][8]int16) {
	n := int16(0)
	for from := range Square(64) {
		reach := Attacks(White, Queen, from, 0) | Attacks(White, Knight, from, 0)
		for to := range Square(64) {
			if moves[from][to] = -1; reach.Has(to) {
				moves[from][to] = n
				n++
			}
		}
	}
	for from := range 8 {
		for to := max(from-1, 0); to <= min(from+1, 7); to++ {
			promotions[from][to] = n
			n += 3
		}
	}
	return moves, promotions
}()

// LeelaNumber returns the number that lc0 and its training data give to a move in the frame of the side to move, 0 …
// 1857; −1 for what no queen or knight could do. Castling is the king's move to its rook's square.
//
// From each square, a1, b1 … h8, in the same order each square that a queen or a knight reaches on an empty board; then
// the promotions from a7 … h7, to a8 … h8, to a queen, a rook and a bishop. That to a knight is the plain move.
func LeelaNumber(m Move) int {
	from, to := m.From(), m.To()
	switch m.Promotion() {
	case Queen:
		return int(leelaPromotions[from.File()][to.File()])
	case Rook:
		return int(leelaPromotions[from.File()][to.File()]) + 1
	case Bishop:
		return int(leelaPromotions[from.File()][to.File()]) + 2
	}
	return int(leelaNumbers[from][to])
}

// LeelaTurn says how lc0 shows a board whose moves look alike from several sides: with files, ranks, or both exchanged,
// in this order. Its bits are those of lc0's training data.
type LeelaTurn uint8

const (
	TurnFiles    LeelaTurn = 1 << iota
	TurnRanks              // the first for the last
	TurnDiagonal           // along the diagonal from a8 to h1
)

// Square returns where a square is shown.
func (t LeelaTurn) Square(s Square) Square {
	if t&TurnFiles != 0 {
		s ^= 7
	}
	if t&TurnRanks != 0 {
		s ^= 56
	}
	if t&TurnDiagonal != 0 {
		s = NewSquare(7-s.Rank(), 7-s.File())
	}
	return s
}

// Show returns where squares are shown.
func (t LeelaTurn) Show(b Bitboard) Bitboard {
	return turnDiagonal(t, turnSides(t, b))
}

// Undo returns the squares that are shown as b.
func (t LeelaTurn) Undo(b Bitboard) Bitboard {
	return turnSides(t, turnDiagonal(t, b))
}

// turnSides exchanges files and ranks.
func turnSides(t LeelaTurn, b Bitboard) Bitboard {
	if t&TurnFiles != 0 {
		b = Bitboard(bits.Reverse64(uint64(b))).Mirror()
	}
	if t&TurnRanks != 0 {
		b = b.Mirror()
	}
	return b
}

// turnDiagonal exchanges squares along the diagonal.
func turnDiagonal(t LeelaTurn, b Bitboard) (turned Bitboard) {
	if t&TurnDiagonal == 0 {
		return b
	}
	for ; b != 0; b &= b - 1 {
		turned |= TurnDiagonal.Square(b.First()).Bitboard()
	}
	return turned
}
