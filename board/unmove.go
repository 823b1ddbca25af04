package board

// Unmove is a retro-move: the move that led to a position, and what the position before had that the move does not say.
// It has a meaning only together with the position that it is taken back in (see [Position.Unplay]).
type Unmove struct {
	Move      Move      // as it was played, in the position before
	Captured  PieceType // what it captured, [NoPieceType] for nothing
	EnPassant bool      // the captured pawn stood beside the target square
}

// Irreversible reports whether the move, which led to p, was a capture or a
// pawn move, after which the halfmove clock is 0.
func (u Unmove) Irreversible(p *Position) bool {
	return u.Captured != NoPieceType || u.Move.Promotion() != NoPieceType || p.pieces[Pawn].Has(u.Move.To())
}

// Unmoves appends the legal retro-moves of p to dst: all ways in which a legal position (see [Position.Validate])
// becomes p by one legal move. Of each position before p, one is meant that has the castling rights of p and no en
// passant square, but for what the move itself needs: castling the one right to it, an en passant capture its square.
// Counters are not looked at: which retro-moves fit a halfmove clock is for the caller to say (see
// [Unmove.Irreversible]).
//
// So for legal positions q with the rights of p and no en passant square: p is among the positions after q's moves that
// do not capture en passant or castle if and only if q is p with one of these retro-moves taken back.
func (p *Position) Unmoves(dst []Unmove) []Unmove {
	if p.ep != NoSquare { // the double push is the only move that leaves it
		return p.undoublePush(dst)
	}
	r := newRetro(p)
	fixed := r.fixed()
	dst = r.unpawns(dst)
	for pt := Knight; pt <= King; pt++ {
		for b := p.Pieces(r.us, pt) &^ fixed; b != 0; b &= b - 1 {
			dst = r.unpiece(dst, pt, b.First())
		}
	}
	return r.uncastle(dst)
}

// Unplay takes back u, which must be a retro-move of p (see [Position.Unmoves]). The halfmove clock becomes what it
// was, where p tells, else 0; the number of the move never falls below 1.
func (p *Position) Unplay(u Unmove) {
	us, them := p.turn.Other(), p.turn
	from, to := u.Move.From(), u.Move.To()
	if u.Irreversible(p) {
		p.halfmove = 0
	} else {
		p.halfmove = max(p.halfmove, 1) - 1
	}
	if us == Black {
		p.fullmove = max(p.fullmove, 2) - 1
	}
	now := p.TypeAt(to)
	before := now
	if u.Move.Promotion() != NoPieceType {
		before = Pawn
	}
	key := p.key ^ zobrist.black
	p.pieces[now] ^= to.Bitboard()
	p.pieces[before] ^= from.Bitboard()
	p.colors[us] ^= from.Bitboard() | to.Bitboard()
	key ^= zobrist.piece[us][now][to] ^ zobrist.piece[us][before][from]
	if p.ep != NoSquare {
		key ^= zobrist.file[p.ep&7]
		p.ep = NoSquare
	}
	if u.Captured != NoPieceType {
		on := to
		if u.EnPassant {
			on = to ^ 8
			p.ep = to
			key ^= zobrist.file[to&7]
		}
		p.put(them, u.Captured, on)
		key ^= zobrist.piece[them][u.Captured][on]
	}
	if now == King && (from == to+2 || to == from+2) {
		home, stands, right := to+1, to-1, whiteKingSide
		if to < from {
			home, stands, right = to-2, to+1, whiteQueenSide
		}
		rb := home.Bitboard() | stands.Bitboard()
		p.pieces[Rook] ^= rb
		p.colors[us] ^= rb
		key ^= zobrist.piece[us][Rook][home] ^ zobrist.piece[us][Rook][stands] ^ zobrist.castle[p.castling]
		p.castling |= right << (2 * us)
		key ^= zobrist.castle[p.castling]
	}
	p.turn = us
	p.key = key
}

// Before returns the position before u.
func (p *Position) Before(u Unmove) Position {
	q := *p
	q.Unplay(u)
	return q
}
