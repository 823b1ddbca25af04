package board

import "math"

// lostRights holds, for every square, the castling rights that end when a
// piece leaves or reaches it.
var lostRights = func() (r [64]uint8) {
	r[4], r[7], r[0] = whiteKingSide|whiteQueenSide, whiteKingSide, whiteQueenSide
	r[60], r[63], r[56] = blackKingSide|blackQueenSide, blackKingSide, blackQueenSide
	return r
}()

// Play plays m, which must be legal here (see [Position.IsLegal]); anything
// else leaves nonsense behind.
func (p *Position) Play(m Move) {
	us, them := p.turn, p.turn.Other()
	from, to := m.From(), m.To()
	pt := p.typeAt(from)
	fb, tb := from.Bitboard(), to.Bitboard()
	key := p.key

	// The counters stop at their limit instead of starting over.
	p.halfmove = min(p.halfmove, math.MaxUint16-1) + 1
	if p.colors[them]&tb != 0 {
		victim := p.typeAt(to)
		p.pieces[victim] &^= tb
		p.colors[them] &^= tb
		key ^= zobrist.piece[them][victim][to]
		p.halfmove = 0
	}
	p.pieces[pt] ^= fb | tb
	p.colors[us] ^= fb | tb
	key ^= zobrist.piece[us][pt][from] ^ zobrist.piece[us][pt][to]

	oldEP := p.ep
	if oldEP != NoSquare {
		key ^= zobrist.file[oldEP&7]
		p.ep = NoSquare
	}
	newEP := NoSquare
	switch pt {
	case Pawn:
		p.halfmove = 0
		if promo := m.Promotion(); promo != NoPieceType {
			p.pieces[Pawn] ^= tb
			p.pieces[promo] |= tb
			key ^= zobrist.piece[us][Pawn][to] ^ zobrist.piece[us][promo][to]
		} else if to == oldEP {
			victim := to ^ 8
			p.pieces[Pawn] ^= victim.Bitboard()
			p.colors[them] ^= victim.Bitboard()
			key ^= zobrist.piece[them][Pawn][victim]
		} else if from^to == 16 {
			newEP = (from + to) / 2
		}
	case King:
		if from == to+2 || to == from+2 { // castling; a king step never spans two files
			rookFrom, rookTo := to+1, to-1
			if to < from {
				rookFrom, rookTo = to-2, to+1
			}
			rb := rookFrom.Bitboard() | rookTo.Bitboard()
			p.pieces[Rook] ^= rb
			p.colors[us] ^= rb
			key ^= zobrist.piece[us][Rook][rookFrom] ^ zobrist.piece[us][Rook][rookTo]
		}
	}
	if lost := p.castling & (lostRights[from] | lostRights[to]); lost != 0 {
		key ^= zobrist.castle[p.castling]
		p.castling &^= lost
		key ^= zobrist.castle[p.castling]
	}
	p.turn = them
	if us == Black {
		p.fullmove = min(p.fullmove, math.MaxUint16-1) + 1
	}
	if newEP != NoSquare && p.epCapturePossible(newEP) {
		p.ep = newEP
		key ^= zobrist.file[newEP&7]
	}
	p.key = key ^ zobrist.black
}

// After returns the position after m, which must be legal.
func (p *Position) After(m Move) Position {
	q := *p
	q.Play(m)
	return q
}
