package board

// MaxMoves bounds the legal moves of a position. 218 is the maximum with the material that [Position.Validate] allows.
const MaxMoves = 256

// LegalMoves appends the legal moves to dst: pawns, knights, bishops, rooks, queens, king steps, then castling.
func (p *Position) LegalMoves(dst []Move) []Move {
	dst, checked := p.moves(dst, ^p.colors[p.turn], ^Bitboard(0))
	if checked {
		return dst
	}
	king := p.king(p.turn)
	if p.castleLegal(true) {
		dst = append(dst, NewMove(king, king+2))
	}
	if p.castleLegal(false) {
		dst = append(dst, NewMove(king, king-2))
	}
	return dst
}

// Captures appends those of the legal moves that capture or promote, in their order.
func (p *Position) Captures(dst []Move) []Move {
	theirs := p.colors[p.turn.Other()]
	dst, _ = p.moves(dst, theirs, theirs|rank1|rank8)
	return dst
}

// moves appends the legal moves of pieces and of pawns to some squares each, without castling but with captures en
// passant, and reports whether the king is in check.
func (p *Position) moves(dst []Move, pieces, pawns Bitboard) (moves []Move, checked bool) {
	us, them := p.turn, p.turn.Other()
	own, occ := p.colors[us], p.Occupied()
	ksq := p.king(us)
	checkers := p.attackersTo(ksq, them, occ)

	if checkers&(checkers-1) == 0 { // not a double check
		target := pieces
		if checkers != 0 {
			stops := checkers | between[ksq][checkers.First()]
			target &= stops
			pawns &= stops
		}
		pinned := p.pinned(us)
		dst = p.pawnMoves(dst, pawns, pinned, ksq)
		for b := p.pieces[Knight] & own &^ pinned; b != 0; b &= b - 1 {
			s := b.First()
			dst = appendMoves(dst, s, knightAttacks[s]&target)
		}
		for pt := Bishop; pt <= Queen; pt++ {
			for b := p.pieces[pt] & own; b != 0; b &= b - 1 {
				s := b.First()
				to := Attacks(us, pt, s, occ) & target
				if pinned.Has(s) {
					to &= lineThrough[ksq][s]
				}
				dst = appendMoves(dst, s, to)
			}
		}
	}
	without := occ &^ ksq.Bitboard()
	for b := kingAttacks[ksq] & pieces; b != 0; b &= b - 1 {
		if to := b.First(); p.attackersTo(to, them, without) == 0 {
			dst = append(dst, NewMove(ksq, to))
		}
	}
	return dst, checkers != 0
}

// HasLegalMove reports whether the side to move can move.
func (p *Position) HasLegalMove() bool {
	// nearly always some pawn can be pushed, which is quickly seen
	empty, step := ^p.Occupied(), Square(8)
	if p.turn == Black {
		empty, step = empty<<8, ^step+1
	} else {
		empty >>= 8
	}
	for b := p.Pieces(p.turn, Pawn) & empty; b != 0; b &= b - 1 {
		if from := b.First(); p.IsLegal(NewMove(from, from+step)) {
			return true
		}
	}
	var buf [MaxMoves]Move
	return len(p.LegalMoves(buf[:0])) > 0
}

// IsLegal reports whether m is a legal move. It generates no moves.
func (p *Position) IsLegal(m Move) bool {
	from, to, promo := m.From(), m.To(), m.Promotion()
	us := p.turn
	if m>>15 != 0 || !p.colors[us].Has(from) || p.colors[us].Has(to) {
		return false
	}
	pt := p.TypeAt(from)
	if promo != NoPieceType && (pt != Pawn || promo < Knight || promo > Queen) {
		return false
	}
	occ := p.Occupied()
	switch pt {
	case Pawn:
		if (promo != NoPieceType) != ((rank1 | rank8).Has(to)) || !p.pawnReaches(from, to, occ) {
			return false
		}
	case King:
		if to == from+2 || to+2 == from {
			return from == Square(4+56*us) && !p.InCheck() && p.castleLegal(to > from)
		}
		return kingAttacks[from].Has(to) && p.attackersTo(to, us.Other(), occ&^from.Bitboard()) == 0
	default:
		if !Attacks(us, pt, from, occ).Has(to) {
			return false
		}
	}
	return p.kingSafeAfter(from, to, pt == Pawn && to == p.ep && p.ep != NoSquare)
}

// pawnReaches reports whether a pawn of the side to move gets from a square to another by a push, double push, capture
// or en passant capture, king safety aside.
func (p *Position) pawnReaches(from, to Square, occ Bitboard) bool {
	us := p.turn
	if pawnAttacks[us][from].Has(to) {
		return p.colors[us.Other()].Has(to) || to == p.ep
	}
	forward := Square(8)
	if us == Black {
		forward = ^forward + 1
	}
	if to == from+forward {
		return !occ.Has(to)
	}
	home := [2]int{1, 6}[us]
	return from.Rank() == home && to == from+2*forward && !occ.Has(to) && !occ.Has(from+forward)
}

// kingSafeAfter reports whether the side to move's king, which does not move,
// is out of check once the piece has gone from a square to another.
func (p *Position) kingSafeAfter(from, to Square, enPassant bool) bool {
	us, them := p.turn&1, p.turn.Other()&1
	ksq := p.king(us) & 63
	t := (to & 63).Bitboard()
	occ := p.Occupied()&^(from&63).Bitboard() | t
	enemies := p.colors[them] &^ t // a captured piece no longer attacks
	if enPassant {
		gone := (to ^ 8).Bitboard()
		occ &^= gone
		enemies &^= gone
	}
	if p.leapers(us, ksq)&enemies != 0 {
		return false
	}
	for b := p.snipers(ksq) & enemies; b != 0; b &= b - 1 {
		if between[ksq][b.First()&63]&occ == 0 {
			return false
		}
	}
	return true
}

// leapers returns the knights and pawns that give check to side c's king on a square, if they are not its own.
func (p *Position) leapers(c Color, king Square) Bitboard {
	return knightAttacks[king&63]&p.pieces[Knight] | pawnAttacks[c&1][king&63]&p.pieces[Pawn]
}

// snipers returns the sliding pieces of both sides that attack a square on an empty board.
func (p *Position) snipers(s Square) Bitboard {
	return reach[Bishop][s&63]&(p.pieces[Bishop]|p.pieces[Queen]) | reach[Rook][s&63]&(p.pieces[Rook]|p.pieces[Queen])
}

// pinned returns side c's pieces that stand alone between its king and an enemy slider.
func (p *Position) pinned(c Color) (pinned Bitboard) {
	ksq := p.king(c)
	occ := p.Occupied()
	them := p.colors[c.Other()]
	snipers := them & (bishopAttacks(ksq, them)&(p.pieces[Bishop]|p.pieces[Queen]) |
		rookAttacks(ksq, them)&(p.pieces[Rook]|p.pieces[Queen]))
	for ; snipers != 0; snipers &= snipers - 1 {
		b := between[ksq][snipers.First()] & occ
		if b != 0 && b&(b-1) == 0 {
			pinned |= b & p.colors[c]
		}
	}
	return pinned
}

// castleLegal reports whether castling on that wing is legal, given that the king is not in check.
func (p *Position) castleLegal(kingSide bool) bool {
	if !p.CanCastle(p.turn, kingSide) {
		return false
	}
	home := Square(56 * p.turn)
	empty, path := Bitboard(0x60), Bitboard(0x60)
	if !kingSide {
		empty, path = 0x0e, 0x0c
	}
	if p.Occupied()&(empty<<home) != 0 {
		return false
	}
	for b := path << home; b != 0; b &= b - 1 {
		if p.attackersTo(b.First(), p.turn.Other(), p.Occupied()) != 0 {
			return false
		}
	}
	return true
}

func (p *Position) pawnMoves(dst []Move, target, pinned Bitboard, ksq Square) []Move {
	us := p.turn
	occ, enemy := p.Occupied(), p.colors[us.Other()]
	for b := p.Pieces(us, Pawn); b != 0; b &= b - 1 {
		from := b.First()
		to := pawnAttacks[us][from] & enemy
		if us == White {
			one := from.Bitboard() << 8 &^ occ
			to |= one | one&(rank1<<16)<<8&^occ
		} else {
			one := from.Bitboard() >> 8 &^ occ
			to |= one | one&(rank8>>16)>>8&^occ
		}
		to &= target
		if pinned.Has(from) {
			to &= lineThrough[ksq][from]
		}
		for ; to != 0; to &= to - 1 {
			t := to.First()
			if (rank1 | rank8).Has(t) {
				for pt := Queen; pt >= Knight; pt-- {
					dst = append(dst, NewPromotion(from, t, pt))
				}
			} else {
				dst = append(dst, NewMove(from, t))
			}
		}
	}
	if p.ep != NoSquare {
		for b := pawnAttacks[us.Other()][p.ep] & p.Pieces(us, Pawn); b != 0; b &= b - 1 {
			if p.kingSafeAfter(b.First(), p.ep, true) {
				dst = append(dst, NewMove(b.First(), p.ep))
			}
		}
	}
	return dst
}

func appendMoves(dst []Move, from Square, to Bitboard) []Move {
	for ; to != 0; to &= to - 1 {
		dst = append(dst, NewMove(from, to.First()))
	}
	return dst
}

// epCapturePossible reports whether the side to move has a legal en passant capture on ep.
func (p *Position) epCapturePossible(ep Square) bool {
	for b := pawnAttacks[p.turn.Other()][ep] & p.Pieces(p.turn, Pawn); b != 0; b &= b - 1 {
		if p.kingSafeAfter(b.First(), ep, true) {
			return true
		}
	}
	return false
}
