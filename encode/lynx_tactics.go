package encode

import "talbot/board"

// exchangeWorth are the pieces in pawns, as [board.Position.Exchange] has them, with a king that must not be lost.
var exchangeWorth = [7]int{board.Pawn: 1, board.Knight: 3, board.Bishop: 3, board.Rook: 5, board.Queen: 9,
	board.King: 100}

// tactics is a board in the mover's frame. Side 0 is the mover, whose pawns go up, as White's do.
type tactics struct {
	pieces [2][7]board.Bitboard // by [board.PieceType]
	of     [2]board.Bitboard    // all pieces of a side
	pins   [2][]pin             // of a side's pieces, where they count
}

// pin is a piece that stands alone between its king and an opponent's slider.
type pin struct {
	piece, pinner board.Bitboard
	line          board.Bitboard // the squares between king and pinner, and the pinner's
}

// tacticWords writes the planes of tactics and of threats, as bits, for a board as [Napoleon.Pack] writes it.
func (e Lynx) tacticWords(dst, packed []uint64) {
	var layers [TahlLayers]uint64
	unpackPieces(&layers, packed)
	var t tactics
	for i, plane := range layers {
		t.pieces[i/6][i%6+1] = board.Bitboard(plane)
		t.of[i/6] |= board.Bitboard(plane)
	}
	occupied := t.of[0] | t.of[1]
	var buffer [2][8]pin
	pins := [2][]pin{t.shields(buffer[0][:0], 0, 0, occupied), t.shields(buffer[1][:0], 1, 1, occupied)}
	if e.Threats {
		t.pins = pins
	}
	clear(dst)
	for side := range 2 {
		checks, safe := t.checks(side, occupied, e.Threats)
		if e.Tactics {
			t.captures(dst, side, occupied)
			for _, p := range pins[side] {
				dst[4] |= uint64(p.piece)
			}
			dst[5+side] = uint64(checks)
			dst[7+side] = uint64(t.behind(side, occupied))
		}
		if e.Threats {
			threats := dst[len(dst)-LynxThreats:]
			threats[side] = uint64(safe)
			var checking [8]pin // once they move
			for _, p := range t.shields(checking[:0], side, 1-side, occupied) {
				threats[2+side] |= uint64(p.piece)
			}
			threats[4+side] = uint64(t.flights(side, occupied))
			threats[6+side] = uint64(t.overloaded(side, occupied))
		}
	}
}

// captures adds to planes 0 to 3 what a side wins something by capturing.
func (t *tactics) captures(dst []uint64, side int, occupied board.Bitboard) {
	for kind := board.Pawn; kind <= board.King; kind++ {
		for left := t.pieces[1-side][kind]; left != 0; left &= left - 1 {
			won := t.won(side, left.First(), exchangeWorth[kind], occupied)
			if won > 0 {
				dst[side] |= uint64(left.First().Bitboard())
			}
			if won > 1 {
				dst[2+side] |= uint64(left.First().Bitboard())
			}
		}
	}
}

// won is what a side wins by capturing what stands on a square, in pawns, if both sides keep capturing there with the
// least valuable piece that can (of several the one on the first square), and stop when it pays. A slider may stand
// behind another piece that captures. No king captures what is defended.
func (t *tactics) won(side int, square board.Square, captured int, occupied board.Bitboard) int {
	from, kind := t.least(side, t.attackers(square, occupied)&t.of[side]&^t.held(side, square, occupied))
	if kind == board.NoPieceType {
		return 0
	}
	occupied &^= from.Bitboard()
	if kind == board.King && t.attackers(square, occupied)&t.of[1-side] != 0 {
		return 0
	}
	return max(0, captured-t.won(1-side, square, exchangeWorth[kind], occupied))
}

// least is the least valuable of some pieces of a side.
func (t *tactics) least(side int, among board.Bitboard) (board.Square, board.PieceType) {
	for kind := board.Pawn; kind <= board.King; kind++ {
		if b := among & t.pieces[side][kind]; b != 0 {
			return b.First(), kind
		}
	}
	return board.NoSquare, board.NoPieceType
}

// attackers are the pieces of both sides among those on occupied squares that attack a square.
func (t *tactics) attackers(square board.Square, occupied board.Bitboard) (all board.Bitboard) {
	for side := range 2 {
		p := &t.pieces[side]
		reach := func(kind board.PieceType) board.Bitboard { // from the square, as the other side attacks
			return board.Attacks(board.Color(1-side), kind, square, occupied)
		}
		all |= reach(board.Pawn)&p[board.Pawn] | reach(board.Knight)&p[board.Knight] | reach(board.King)&p[board.King] |
			reach(board.Bishop)&(p[board.Bishop]|p[board.Queen]) | reach(board.Rook)&(p[board.Rook]|p[board.Queen])
	}
	return all & occupied
}

// held are the pieces of a side that are pinned and may not capture on a square.
func (t *tactics) held(side int, square board.Square, occupied board.Bitboard) (held board.Bitboard) {
	for _, p := range t.pins[side] {
		if p.pinner&occupied != 0 && p.line&square.Bitboard() == 0 {
			held |= p.piece
		}
	}
	return held
}

// shields appends the pieces of a side that stand alone between a king, of side king, and a slider of the other side.
func (t *tactics) shields(dst []pin, side, king int, occupied board.Bitboard) []pin {
	target := t.pieces[king][board.King].First()
	for _, kind := range [2]board.PieceType{board.Bishop, board.Rook} {
		reach := func(from board.Square, occupied board.Bitboard) board.Bitboard {
			return board.Attacks(board.White, kind, from, occupied)
		}
		near := reach(target, occupied)
		own := near & t.of[side]
		sliders := t.pieces[1-king][kind] | t.pieces[1-king][board.Queen]
		for left := reach(target, occupied&^own) &^ near & sliders; left != 0; left &= left - 1 {
			slider := left.First()
			without := occupied &^ (own & reach(slider, occupied))
			line := reach(target, without)&reach(slider, without) | slider.Bitboard()
			dst = append(dst, pin{own & reach(slider, occupied), slider.Bitboard(), line})
		}
	}
	return dst
}

// checks are the squares on which a piece of a side, but for pawns, would attack the opponent's king after its move
// there; safe, if asked for, are those on which that wins something or loses nothing.
func (t *tactics) checks(side int, occupied board.Bitboard, asked bool) (squares, safe board.Bitboard) {
	king := t.pieces[1-side][board.King].First()
	for kind := board.Knight; kind <= board.Queen; kind++ {
		reach := board.Attacks(board.White, kind, king, occupied) &^ t.of[side]
		for left := t.pieces[side][kind]; left != 0; left &= left - 1 {
			from := left.First()
			to := reach & board.Attacks(board.White, kind, from, occupied)
			for _, p := range t.pins[side] {
				if p.piece == from.Bitboard() {
					to &= p.line
				}
			}
			squares |= to
			for ; asked && to != 0; to &= to - 1 {
				square := to.First()
				after := occupied&^from.Bitboard() | square.Bitboard()
				if t.worthOn(square) >= t.won(1-side, square, exchangeWorth[kind], after) {
					safe |= square.Bitboard()
				}
			}
		}
	}
	return squares, safe
}

// worthOn is the worth of the piece on a square, 0 for none.
func (t *tactics) worthOn(square board.Square) int {
	for side := range 2 {
		if _, kind := t.least(side, square.Bitboard()); kind != board.NoPieceType {
			return exchangeWorth[kind]
		}
	}
	return 0
}

// flights are the squares next to a side's king that it may move to: neither its own side's nor attacked once it has
// left.
func (t *tactics) flights(side int, occupied board.Bitboard) (squares board.Bitboard) {
	king := t.pieces[side][board.King]
	for left := board.Attacks(board.White, board.King, king.First(), 0) &^ t.of[side]; left != 0; left &= left - 1 {
		if t.attackers(left.First(), occupied&^king)&t.of[1-side] == 0 {
			squares |= left.First().Bitboard()
		}
	}
	return squares
}

// overloaded are the pieces of a side, but its king, without each of which the opponent would win something on two
// squares or more that it attacks and wins nothing on now.
func (t *tactics) overloaded(side int, occupied board.Bitboard) (pieces board.Bitboard) {
	var needed board.Bitboard // once
	for kind := board.Pawn; kind < board.King; kind++ {
		for left := t.pieces[side][kind]; left != 0; left &= left - 1 {
			square := left.First()
			near := t.attackers(square, occupied)
			if near&t.of[1-side] == 0 || t.won(1-side, square, exchangeWorth[kind], occupied) > 0 {
				continue
			}
			for d := near & t.of[side] &^ t.pieces[side][board.King]; d != 0; d &= d - 1 {
				defender := d.First().Bitboard()
				if t.won(1-side, square, exchangeWorth[kind], occupied&^defender) > 0 {
					pieces |= needed & defender
					needed |= defender
				}
			}
		}
	}
	return pieces
}

// behind are the squares that sliders of a side attack through one piece.
func (t *tactics) behind(side int, occupied board.Bitboard) (squares board.Bitboard) {
	for _, kind := range [2]board.PieceType{board.Bishop, board.Rook} {
		for left := t.pieces[side][kind] | t.pieces[side][board.Queen]; left != 0; left &= left - 1 {
			near := board.Attacks(board.White, kind, left.First(), occupied)
			squares |= board.Attacks(board.White, kind, left.First(), occupied&^near) &^ near
		}
	}
	return squares
}
