package lc0

import "talbot/board"

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
	if m.Promotion() != board.NoPieceType {
		return board.LeelaNumber(board.NewPromotion(from, to, m.Promotion()))
	}
	return board.LeelaNumber(board.NewMove(from, to))
}

// turn returns the square of a record's frame for one of the board.
func (r *record) turn(s board.Square) board.Square {
	if r.mover == board.Black {
		s = s.Mirror()
	}
	return r.transform.Square(s)
}
