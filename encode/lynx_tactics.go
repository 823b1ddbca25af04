package encode

import "talbot/board"

// exchangeWorth are the pieces in pawns, as [board.Position.Exchange] has them, with a king that must not be lost.
var exchangeWorth = [7]int{board.Pawn: 1, board.Knight: 3, board.Bishop: 3, board.Rook: 5, board.Queen: 9,
	board.King: 100}

// tactics is a board in the mover's frame. Side 0 is the mover, whose pawns go up, as White's do.
type tactics struct {
	pieces [2][7]board.Bitboard // by [board.PieceType]
	of     [2]board.Bitboard    // all pieces of a side
}

// tacticWords writes the planes of tactics of [Lynx], as bits, for a board as [Napoleon.Pack] writes it.
func tacticWords(dst, packed []uint64) {
	var layers [TahlLayers]uint64
	unpackPieces(&layers, packed)
	var t tactics
	for i, plane := range layers {
		t.pieces[i/6][i%6+1] = board.Bitboard(plane)
		t.of[i/6] |= board.Bitboard(plane)
	}
	clear(dst[:LynxTactics])
	occupied := t.of[0] | t.of[1]
	for side := range 2 {
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
		dst[4] |= uint64(t.pinned(side, occupied))
		dst[5+side] = uint64(t.checks(side, occupied))
		dst[7+side] = uint64(t.behind(side, occupied))
	}
}

// won is what a side wins by capturing what stands on a square, in pawns, if both sides keep capturing there with the
// least valuable piece that can (of several the one on the first square), and stop when it pays. A slider may stand
// behind another piece that captures. Pins do not count, but no king captures what is defended.
func (t *tactics) won(side int, square board.Square, captured int, occupied board.Bitboard) int {
	from, kind := t.least(side, t.attackers(square, occupied)&t.of[side])
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

// pinned are the pieces of a side that stand alone between its king and an opponent's slider.
func (t *tactics) pinned(side int, occupied board.Bitboard) (pins board.Bitboard) {
	king := t.pieces[side][board.King].First()
	for _, kind := range [2]board.PieceType{board.Bishop, board.Rook} {
		reach := func(from board.Square, occupied board.Bitboard) board.Bitboard {
			return board.Attacks(board.White, kind, from, occupied)
		}
		near := reach(king, occupied)
		own := near & t.of[side]
		sliders := t.pieces[1-side][kind] | t.pieces[1-side][board.Queen]
		for left := reach(king, occupied&^own) &^ near & sliders; left != 0; left &= left - 1 {
			pins |= own & reach(left.First(), occupied)
		}
	}
	return pins
}

// checks are the squares on which a piece of a side, but for pawns, would attack the opponent's king after its move
// there.
func (t *tactics) checks(side int, occupied board.Bitboard) (squares board.Bitboard) {
	king := t.pieces[1-side][board.King].First()
	for kind := board.Knight; kind <= board.Queen; kind++ {
		to := board.Attacks(board.White, kind, king, occupied) &^ t.of[side]
		for left := t.pieces[side][kind]; left != 0; left &= left - 1 {
			squares |= to & board.Attacks(board.White, kind, left.First(), occupied)
		}
	}
	return squares
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
