package board

// retro is a search for the retro-moves of p. The side that moved is "us": it
// is the one to move in the position before.
type retro struct {
	p        *Position
	us, them Color
	occ      Bitboard
	theirs   Square     // king of them, which must not be in check before
	last     Bitboard   // the rank on which pawns of us promote
	victims  [2][6]bool // what us may have captured, by shade of the square and type
	unpromo  [2][6]bool // which pieces of us may have been pawns, alike
}

func newRetro(p *Position) retro {
	r := retro{p: p, us: p.turn.Other(), them: p.turn, occ: p.Occupied(), theirs: p.king(p.turn), last: rank8}
	if r.us == Black {
		r.last = rank1
	}
	r.fillMaterial()
	return r
}

// shade is 1 for a light square.
func shade(s Square) int { return int(lightSquares >> s & 1) }

// fillMaterial says which captures and promotions leave a number of pieces that a game can have.
func (r *retro) fillMaterial() {
	roomForUs, roomForThem := r.p.hasRoom(r.us), r.p.hasRoom(r.them) && r.p.colors[r.them].Len() < 16
	for sh := range 2 {
		shaded := lightSquares ^ (Bitboard(sh) - 1)
		free := shaded &^ r.occ
		for pt := Pawn; pt <= Queen; pt++ {
			r.victims[sh][pt], r.unpromo[sh][pt] = roomForThem, roomForUs && pt != Pawn
			if !roomForThem && free != 0 {
				q := *r.p
				q.put(r.them, pt, free.First())
				r.victims[sh][pt] = q.checkMaterial(r.them) == nil
			}
			if b := r.p.Pieces(r.us, pt) & shaded; !roomForUs && b != 0 && pt != Pawn {
				q := *r.p
				q.pieces[pt] ^= b.First().Bitboard()
				q.pieces[Pawn] ^= b.First().Bitboard()
				r.unpromo[sh][pt] = q.checkMaterial(r.us) == nil
			}
		}
	}
}

// hasRoom reports whether side c can have a pawn more, or a piece more that was one.
func (p *Position) hasRoom(c Color) bool { return p.Pieces(c, Pawn).Len()+p.promoted(c) < 8 }

// fixed returns the pieces of us that never moved: they have a castling right.
func (r *retro) fixed() (b Bitboard) {
	for i, rook := range [2]Bitboard{0x80, 0x01} {
		if r.p.CanCastle(r.us, i == 0) {
			b |= (0x10 | rook) << (56 * r.us)
		}
	}
	return b
}

// safe returns the squares that the piece on to can have come from, as a piece of type before, without their king being
// in check then: on which it blocks the check of another piece, if there is one, and gives none. occ is what was
// occupied besides.
func (r *retro) safe(before PieceType, to Square, occ Bitboard) Bitboard {
	squares := ^Attacks(r.them, before, r.theirs, occ) // pawns of us check from where those of them attack
	switch a := r.p.attackersTo(r.theirs, r.us, occ) &^ to.Bitboard(); a.Len() {
	case 0:
		return squares
	case 1:
		return squares & between[r.theirs][a.First()]
	}
	return 0
}

// unpawns appends the retro-moves of pawns.
func (r *retro) unpawns(dst []Unmove) []Unmove {
	for b := r.p.Pieces(r.us, Pawn); b != 0; b &= b - 1 {
		to := b.First()
		tb := to.Bitboard()
		one, two := tb>>8, tb>>16&(rank1<<8)
		passed := to - 8
		if r.us == Black {
			one, two, passed = tb<<8, tb<<16&(rank8>>8), to+8
		}
		one &^= r.occ | rank1 | rank8
		if two &^= r.occ; one == 0 || two != 0 && r.p.epCapturePossible(passed) {
			two = 0
		}
		plain := r.safe(Pawn, to, r.occ^tb)
		for from := (one | two) & plain; from != 0; from &= from - 1 {
			dst = append(dst, Unmove{Move: NewMove(from.First(), to)})
		}
		from := pawnAttacks[r.them][to] &^ (r.occ | rank1 | rank8)
		if from == 0 {
			continue
		}
		dst = r.uncaptures(dst, from&r.safe(Pawn, to, r.occ), to, NoPieceType)
		dst = r.unEnPassant(dst, from, to)
	}
	return dst
}

// uncaptures appends captures on to from each of the squares.
func (r *retro) uncaptures(dst []Unmove, from Bitboard, to Square, promotion PieceType) []Unmove {
	victims := &r.victims[shade(to)]
	least := Pawn
	if (rank1 | rank8).Has(to) {
		least = Knight
	}
	for ; from != 0; from &= from - 1 {
		m := NewPromotion(from.First(), to, promotion)
		for v := least; v <= Queen; v++ {
			if victims[v] {
				dst = append(dst, Unmove{Move: m, Captured: v})
			}
		}
	}
	return dst
}

// unEnPassant appends en passant captures on to from each of the squares.
func (r *retro) unEnPassant(dst []Unmove, from Bitboard, to Square) []Unmove {
	if to.Rank() != [2]int{5, 2}[r.us] || !r.victims[0][Pawn] || r.occ&((to^8).Bitboard()|(to^24).Bitboard()) != 0 {
		return dst
	}
	for ; from != 0; from &= from - 1 {
		u := Unmove{Move: NewMove(from.First(), to), Captured: Pawn, EnPassant: true}
		if q := r.p.Before(u); q.Validate() == nil {
			dst = append(dst, u)
		}
	}
	return dst
}

// unpiece appends the retro-moves of a piece that is no pawn, castling aside.
func (r *retro) unpiece(dst []Unmove, pt PieceType, to Square) []Unmove {
	tb := to.Bitboard()
	from := Attacks(r.us, pt, to, r.occ) &^ r.occ
	plain, capture := from&r.safe(pt, to, r.occ^tb), from&r.safe(pt, to, r.occ)
	if pt == King {
		return r.unking(dst, plain, capture, to)
	}
	for ; plain != 0; plain &= plain - 1 {
		dst = append(dst, Unmove{Move: NewMove(plain.First(), to)})
	}
	dst = r.uncaptures(dst, capture, to, NoPieceType)
	if r.last&tb == 0 || !r.unpromo[shade(to)][pt] {
		return dst
	}
	behind := to ^ 8 // the seventh or second rank
	if r.safe(Pawn, to, r.occ^tb)&^r.occ&behind.Bitboard() != 0 {
		dst = append(dst, Unmove{Move: NewPromotion(behind, to, pt)})
	}
	from = pawnAttacks[r.them][to] &^ r.occ
	return r.uncaptures(dst, from&r.safe(Pawn, to, r.occ), to, pt)
}

// unking appends the retro-moves of the king except castling. Only a king can have stepped out of more checks than the
// two that a position may have.
func (r *retro) unking(dst []Unmove, plain, capture Bitboard, to Square) []Unmove {
	for b := plain; b != 0; b &= b - 1 {
		if from := b.First(); r.p.attackersTo(from, r.them, r.occ^to.Bitboard()).Len() <= 2 {
			dst = append(dst, Unmove{Move: NewMove(from, to)})
		}
	}
	for b := capture; b != 0; b &= b - 1 {
		from := b.First()
		checkers := r.p.attackersTo(from, r.them, r.occ).Len()
		first := len(dst)
		dst = r.uncaptures(dst, from.Bitboard(), to, NoPieceType)
		kept := dst[:first]
		for _, u := range dst[first:] {
			n := checkers
			if Attacks(r.them, u.Captured, to, 0).Has(from) {
				n++
			}
			if n <= 2 {
				kept = append(kept, u)
			}
		}
		dst = kept
	}
	return dst
}

// uncastle appends castling on either wing.
func (r *retro) uncastle(dst []Unmove) []Unmove {
	home := Square(56 * r.us)
	for _, w := range [2]struct {
		to, rook Square
		empty    Bitboard
	}{{6, 5, 0x90}, {2, 3, 0x13}} {
		if !r.p.Pieces(r.us, King).Has(home+w.to) || !r.p.Pieces(r.us, Rook).Has(home+w.rook) ||
			r.occ&(w.empty<<home) != 0 {
			continue
		}
		u := Unmove{Move: NewMove(home+4, home+w.to)}
		if q := r.p.Before(u); q.Validate() == nil && q.IsLegal(u.Move) {
			dst = append(dst, u)
		}
	}
	return dst
}

// undoublePush appends the double push that leaves the en passant square of p.
func (p *Position) undoublePush(dst []Unmove) []Unmove {
	from, to := p.ep-8, p.ep+8
	if p.turn == White { // Black pushed
		from, to = to, from
	}
	u := Unmove{Move: NewMove(from, to)}
	if q := p.Before(u); q.Validate() == nil {
		dst = append(dst, u)
	}
	return dst
}
