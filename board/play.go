package board

import "math"

// lostRights holds, for every square, the castling rights that are lost when a piece leaves or reaches it.
var lostRights = func() (r [64]uint8) {
	r[4], r[7], r[0] = whiteKingSide|whiteQueenSide, whiteKingSide, whiteQueenSide
	r[60], r[63], r[56] = blackKingSide|blackQueenSide, blackKingSide, blackQueenSide
	return r
}()

// Play plays m, which must be legal here (see [Position.IsLegal]); anything else leaves nonsense behind.
func (p *Position) Play(m Move) { p.play(p.TypeAt(m.From()), m) }

// PlayIfSafe plays the move of a piece of type pt if it leaves the mover's king out of check, and reports whether it
// did. That the piece gets there by its rules is not checked, and castling is not such a move.
func (p *Position) PlayIfSafe(pt PieceType, m Move) bool {
	from, to := m.From(), m.To()
	if pt == King {
		if p.attackersTo(to, p.turn.Other(), p.Occupied()&^from.Bitboard()) != 0 {
			return false
		}
	} else if !p.kingSafeAfter(from, to, pt == Pawn && to == p.ep && p.ep != NoSquare) {
		return false
	}
	p.play(pt, m)
	return true
}

// play plays the move of a piece of type pt.
func (p *Position) play(pt PieceType, m Move) {
	if pt == Pawn {
		p.playPawn(m.From(), m.To(), m.Promotion())
	} else {
		p.playPiece(pt, m.From(), m.To())
	}
}

// playPiece plays the move of a piece other than a pawn.
func (p *Position) playPiece(pt PieceType, from, to Square) {
	us := p.turn & 1
	// The counters stop at their limit instead of starting over.
	p.halfmove = min(p.halfmove, math.MaxUint16-1) + 1
	key := p.key ^ p.removePiece(to) ^ p.movePiece(us, pt, from, to)
	if p.ep != NoSquare {
		key ^= zobrist.file[p.ep&7]
		p.ep = NoSquare
	}
	if pt == King && (from == to+2 || to == from+2) { // castling; a king step never spans two files
		rookFrom, rookTo := to+1, to-1
		if to < from {
			rookFrom, rookTo = to-2, to+1
		}
		key ^= p.movePiece(us, Rook, rookFrom, rookTo)
	}
	if lost := p.castling & (lostRights[from&63] | lostRights[to&63]); lost != 0 {
		key ^= zobrist.castle[p.castling&15]
		p.castling &^= lost
		key ^= zobrist.castle[p.castling&15]
	}
	p.endTurn(key)
}

// playPawn plays the move of a pawn.
func (p *Position) playPawn(from, to Square, promotion PieceType) {
	us, them := p.turn&1, p.turn.Other()&1
	key := p.key ^ p.removePiece(to) ^ p.movePiece(us, Pawn, from, to)
	p.halfmove = 0
	oldEP := p.ep
	if oldEP != NoSquare {
		key ^= zobrist.file[oldEP&7]
		p.ep = NoSquare
	}
	switch {
	case promotion != NoPieceType:
		tb := to.Bitboard()
		p.pieces[Pawn] ^= tb
		p.pieces[promotion&7] |= tb
		key ^= zobrist.piece[us][Pawn][to&63] ^ zobrist.piece[us][promotion&7][to&63]
		if lost := p.castling & lostRights[to&63]; lost != 0 {
			key ^= zobrist.castle[p.castling&15]
			p.castling &^= lost
			key ^= zobrist.castle[p.castling&15]
		}
	case to == oldEP:
		victim := to ^ 8
		p.pieces[Pawn] ^= victim.Bitboard()
		p.colors[them] ^= victim.Bitboard()
		key ^= zobrist.piece[them][Pawn][victim&63]
	case from^to == 16:
		p.endTurn(key)
		if ep := (from + to) / 2; p.epCapturePossible(ep) {
			p.ep = ep
			p.key ^= zobrist.file[ep&7]
		}
		return
	}
	p.endTurn(key)
}

// removePiece removes what the other side has on a square, if anything, and returns the change of the key.
func (p *Position) removePiece(s Square) uint64 {
	them := p.turn.Other() & 1
	if !p.colors[them].Has(s & 63) {
		return 0
	}
	victim := p.TypeAt(s)
	b := (s & 63).Bitboard()
	p.pieces[victim] &^= b
	p.colors[them] &^= b
	p.halfmove = 0
	return zobrist.piece[them][victim][s&63]
}

// movePiece moves a piece from a square to an empty one and returns the change of the key.
func (p *Position) movePiece(c Color, pt PieceType, from, to Square) uint64 {
	b := (from & 63).Bitboard() | (to & 63).Bitboard()
	p.pieces[pt] ^= b
	p.colors[c] ^= b
	return zobrist.piece[c][pt][from&63] ^ zobrist.piece[c][pt][to&63]
}

// endTurn gives the turn to the other side.
func (p *Position) endTurn(key uint64) {
	if p.turn == Black {
		p.fullmove = min(p.fullmove, math.MaxUint16-1) + 1
	}
	p.turn ^= 1
	p.key = key ^ zobrist.black
}

// After returns the position after m, which must be legal.
func (p *Position) After(m Move) Position {
	q := *p
	q.Play(m)
	return q
}
