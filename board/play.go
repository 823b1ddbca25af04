package board

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

	p.halfmove++
	if p.colors[them]&tb != 0 {
		victim := p.typeAt(to)
		p.pieces[victim] &^= tb
		p.colors[them] &^= tb
		key ^= zobristPiece[them][victim][to]
		p.halfmove = 0
	}
	p.pieces[pt] ^= fb | tb
	p.colors[us] ^= fb | tb
	key ^= zobristPiece[us][pt][from] ^ zobristPiece[us][pt][to]

	oldEP := p.ep
	if oldEP != NoSquare {
		key ^= zobristFile[oldEP&7]
		p.ep = NoSquare
	}
	newEP := NoSquare
	switch pt {
	case Pawn:
		p.halfmove = 0
		if promo := m.Promotion(); promo != NoPieceType {
			p.pieces[Pawn] ^= tb
			p.pieces[promo] |= tb
			key ^= zobristPiece[us][Pawn][to] ^ zobristPiece[us][promo][to]
		} else if to == oldEP {
			victim := to ^ 8
			p.pieces[Pawn] ^= victim.Bitboard()
			p.colors[them] ^= victim.Bitboard()
			key ^= zobristPiece[them][Pawn][victim]
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
			key ^= zobristPiece[us][Rook][rookFrom] ^ zobristPiece[us][Rook][rookTo]
		}
	}
	if lost := p.castling & (lostRights[from] | lostRights[to]); lost != 0 {
		key ^= zobristCastle[p.castling]
		p.castling &^= lost
		key ^= zobristCastle[p.castling]
	}
	p.turn = them
	if us == Black {
		p.fullmove++
	}
	if newEP != NoSquare && p.epCapturePossible(newEP) {
		p.ep = newEP
		key ^= zobristFile[newEP&7]
	}
	p.key = key ^ zobristBlack
}

// After returns the position after m, which must be legal.
func (p *Position) After(m Move) Position {
	q := *p
	q.Play(m)
	return q
}
