package lc0

import "talbot/board"

// moveCount is how many moves have a number.
const moveCount = 1858

// slides are how many numbers there are before the promotions to queen, rook and bishop.
const slides = 1792

// numbers has the number of the move from a square to another, the queen's or knight's; −1 for others.
var numbers = func() (t [64][64]int16) {
	n := int16(0)
	for from := range board.Square(64) {
		reach := board.Attacks(board.White, board.Queen, from, 0) | board.Attacks(board.White, board.Knight, from, 0)
		for to := range board.Square(64) {
			if t[from][to] = -1; reach.Has(to) {
				t[from][to] = n
				n++
			}
		}
	}
	return t
}()

// promotions has the number of the promotion to a queen from a file of the seventh rank to one of the eighth.
var promotions = func() (t [8][8]int16) {
	n := int16(slides)
	for from := range 8 {
		for to := max(from-1, 0); to <= min(from+1, 7); to++ {
			t[from][to] = n
			n += 3
		}
	}
	return t
}()

// number returns the number of a legal move in the frame of a record; castling is to the rook's square if rook is set.
func (r *record) number(m board.Move, castling, rook bool) int {
	from, to := m.From(), m.To()
	if castling && rook {
		if to > from {
			to = from | 7
		} else {
			to = from &^ 7
		}
	}
	from, to = r.turn(from), r.turn(to)
	switch m.Promotion() {
	case board.Queen:
		return int(promotions[from.File()][to.File()])
	case board.Rook:
		return int(promotions[from.File()][to.File()]) + 1
	case board.Bishop:
		return int(promotions[from.File()][to.File()]) + 2
	}
	return int(numbers[from][to])
}

// turn returns the square of a record's frame for one of the board.
func (r *record) turn(s board.Square) board.Square {
	if r.mover == board.Black {
		s = s.Mirror()
	}
	if r.transform&flipFiles != 0 {
		s ^= 7
	}
	if r.transform&flipRanks != 0 {
		s ^= 56
	}
	if r.transform&swapDiagonal != 0 {
		s = board.NewSquare(7-s.Rank(), 7-s.File())
	}
	return s
}
