package mates

import "talbot/board"

// table has the distances of one piece type and king against king. The side with the piece is White.
type table struct {
	piece board.PieceType
	// plies to mate by side to move: White mates, Black is mated; none for draws and for what is not a position
	plies [2][64 * 64 * 64]uint8
	// replies is how many legal moves of Black, by position, are not known to lose.
	replies []uint8
	levels  [][]int32 // positions found, by distance, those with White to move at odd ones
}

const none = 255

// at is the index of a position.
func at(wk, bk, s board.Square) int32 { return int32(wk)<<12 | int32(bk)<<6 | int32(s) }

// squares are those of an index.
func squares(i int32) (wk, bk, s board.Square) {
	return board.Square(i >> 12), board.Square(i >> 6 & 63), board.Square(i & 63)
}

func kingMoves(s board.Square) board.Bitboard { return board.Attacks(board.White, board.King, s, 0) }

// attacks are the squares that the piece attacks.
func (t *table) attacks(s board.Square, occupied board.Bitboard) board.Bitboard {
	return board.Attacks(board.White, t.piece, s, occupied)
}

// build computes a table. A pawn's needs those of the queen and the rook that it becomes; bishops and knights draw.
func build(piece board.PieceType, promoted ...*table) *table {
	t := &table{piece: piece, replies: make([]uint8, 64*64*64)}
	for turn := range t.plies {
		for i := range t.plies[turn] {
			t.plies[turn][i] = none
		}
	}
	for i := range int32(len(t.replies)) {
		if t.isPlacement(squares(i)) {
			t.begin(i, promoted)
		}
	}
	for n := 0; n < len(t.levels); n++ {
		for _, i := range t.levels[n] {
			switch turn := board.Color(1 - n&1); {
			case turn == board.White && t.plies[turn][i] == none: // of several promotions the fastest is first
				t.plies[turn][i] = uint8(n)
				t.beforeBlack(i, n+1)
			case turn == board.Black:
				t.plies[turn][i] = uint8(n)
				t.beforeWhite(i, n+1)
			}
		}
	}
	t.replies, t.levels = nil, nil
	return t
}

// isPlacement reports whether the pieces may stand so with Black to move.
func (t *table) isPlacement(wk, bk, s board.Square) bool {
	return wk != bk && s != wk && s != bk && !kingMoves(wk).Has(bk) &&
		(t.piece != board.Pawn || s.Rank() > 0 && s.Rank() < 7)
}

// found notes a distance. White's may be noted again.
func (t *table) found(i int32, plies int) {
	for len(t.levels) <= plies {
		t.levels = append(t.levels, nil)
	}
	t.levels[plies] = append(t.levels[plies], i)
}

// begin counts the replies of a placement with Black to move, and finds mates and promotions.
func (t *table) begin(i int32, promoted []*table) {
	wk, bk, s := squares(i)
	kings := wk.Bitboard() | bk.Bitboard()
	check := t.attacks(s, kings).Has(bk)
	attacked := kingMoves(wk) | t.attacks(s, wk.Bitboard()) // through the king that steps back
	replies := kingMoves(bk) &^ attacked
	t.replies[i] = uint8(replies.Len())
	if replies == 0 && check {
		t.found(i, 0)
	}
	if to := s + 8; t.piece == board.Pawn && s.Rank() == 6 && !check && !kings.Has(to) {
		for _, q := range promoted {
			if n := q.plies[board.Black][at(wk, bk, to)]; n != none {
				t.found(i, int(n)+1)
			}
		}
	}
}

// beforeWhite finds the positions from which White moves to one where Black is lost.
func (t *table) beforeWhite(i int32, plies int) {
	wk, bk, s := squares(i)
	from := func(wk, s board.Square) {
		kings := wk.Bitboard() | bk.Bitboard()
		i := at(wk, bk, s)
		if t.plies[board.White][i] == none && t.isPlacement(wk, bk, s) && !t.attacks(s, kings).Has(bk) {
			t.found(i, plies)
		}
	}
	kings := wk.Bitboard() | bk.Bitboard()
	for b := kingMoves(wk) &^ (bk.Bitboard() | s.Bitboard()); b != 0; b &= b - 1 {
		from(b.First(), s)
	}
	if t.piece != board.Pawn {
		for b := t.attacks(s, kings) &^ kings; b != 0; b &= b - 1 {
			from(wk, b.First())
		}
		return
	}
	if back := s - 8; s.Rank() > 1 && !kings.Has(back) {
		from(wk, back)
		if s.Rank() == 3 && !kings.Has(back-8) {
			from(wk, back-8)
		}
	}
}

// beforeBlack finds the positions in which Black has no move left that does not lose.
func (t *table) beforeBlack(i int32, plies int) {
	wk, bk, s := squares(i)
	for b := kingMoves(bk); b != 0; b &= b - 1 {
		from := b.First()
		if !t.isPlacement(wk, from, s) {
			continue
		}
		before := at(wk, from, s)
		if t.replies[before]--; t.replies[before] == 0 {
			t.found(before, plies)
		}
	}
}
