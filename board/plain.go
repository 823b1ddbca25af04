package board

import (
	"encoding/binary"
	"math/bits"
)

// Moves of master games in their plain forms (e4, exd5, Nf3, Nbxd2+, R1a3, Kg1) take a short way through reading: the
// text is looked at as one word of eight bytes, candidates come from tables of what each piece reaches on an empty
// board, and the move is played where its piece is known. Everything else is left to [Position.ParseSAN].

// PlaySAN plays the move that text opens with, if it is a legal one in plain form, a capture if it has the mark of one,
// with a blank after it, and returns it with the length of its text. Otherwise it returns 0 and leaves the position as
// it was; that says nothing about the text, which [Position.ParseSAN] must then judge. A move that is read is the one
// that ParseSAN reads. The eight bytes that are looked at must be there, blank or not.
func (p *Position) PlaySAN(text []byte) (m Move, length int) {
	if len(text) < 8 {
		return NoMove, 0
	}
	w := binary.LittleEndian.Uint64(text)
	// the highest bit of the first byte below '!', that is of the blank after the move
	blank := (w - 0x2121212121212121) &^ w & 0x8080808080808080
	length = bits.TrailingZeros64(blank) >> 3
	n := length // without the check mark
	if mark := byte(w >> ((8*length - 8) & 63)); mark == '+' || mark == '#' {
		n--
	}
	if n < 2 || n > 5 {
		return NoMove, 0
	}
	// target is the last two bytes of the move
	target := w >> ((8*n - 16) & 63)
	file, rank := byte(target)-'a', byte(target>>8)-'1'
	if file|rank > 7 {
		return NoMove, 0
	}
	to := Square(rank<<3|file) & 63
	own := p.colors[p.turn&1]
	var from Square
	switch pt := plainPieces[byte(w)]; pt {
	case NoPieceType:
		return NoMove, 0
	case Pawn:
		switch {
		case n == 2:
			from = p.plainPush(to)
		case n == 4 && byte(w>>8) == 'x':
			from = p.plainCapture(to, fileA<<(byte(w)-'a'))
		default:
			return NoMove, 0
		}
		if from == NoSquare || (rank1 | rank8).Has(to) {
			return NoMove, 0
		}
		p.playPawn(from, to, NoPieceType)
	case King:
		from = p.king(p.turn)
		if n > 4 || n == 4 && (byte(w>>8) != 'x' || !p.colors[p.turn.Other()&1].Has(to)) ||
			!(kingAttacks[from&63] &^ own).Has(to) ||
			p.attackersTo(to, p.turn.Other(), p.Occupied()&^from.Bitboard()) != 0 {
			return NoMove, 0
		}
		p.playPiece(King, from, to)
	default:
		origin := w >> 8 & (1<<((8*n-24)&63) - 1) // what stands between piece and target, at most two bytes
		if n == 2 || own.Has(to) || n == 5 && !plainPair(byte(origin), byte(origin>>8)) {
			return NoMove, 0
		}
		if n > 3 && byte(origin>>((8*n-32)&63)) == 'x' && !p.colors[p.turn.Other()&1].Has(to) {
			return NoMove, 0
		}
		candidates := reach[pt][to] & p.pieces[pt] & own & plainOrigins[byte(origin)] & plainOrigins[byte(origin>>8)]
		if from = p.plainOrigin(candidates, to); from == NoSquare {
			return NoMove, 0
		}
		p.playPiece(pt, from, to)
	}
	return NewMove(from, to), length
}

// plainPair reports whether two bytes between piece and target are a capture mark after something, or a square.
func plainPair(a, b byte) bool { return b == 'x' || a >= 'a' && a <= 'h' && b >= '1' && b <= '8' }

// plainOrigin returns the one candidate that gets to the target legally.
func (p *Position) plainOrigin(candidates Bitboard, to Square) Square {
	from, occ := NoSquare, p.Occupied()
	ksq := p.king(p.turn) & 63
	t := (to & 63).Bitboard()
	enemies := p.colors[p.turn.Other()&1] &^ t // as in kingSafeAfter, once for all candidates
	if p.leapers(p.turn, ksq)&enemies != 0 {
		return NoSquare
	}
	snipers := p.snipers(ksq) & enemies
next:
	for ; candidates != 0; candidates &= candidates - 1 {
		s := candidates.First() & 63
		if between[s][to&63]&occ != 0 {
			continue
		}
		after := occ&^s.Bitboard() | t
		for b := snipers; b != 0; b &= b - 1 {
			if between[ksq][b.First()&63]&after == 0 {
				continue next
			}
		}
		if from != NoSquare {
			return NoSquare
		}
		from = s
	}
	return from
}

// plainPush returns the pawn that gets to the target by a push.
func (p *Position) plainPush(to Square) Square {
	occ := p.Occupied()
	back := Square(8)
	if p.turn == Black {
		back = ^back + 1
	}
	from := to - back
	if occ.Has(to) {
		return NoSquare
	}
	if !occ.Has(from) && to.Rank() == 3+int(p.turn&1) {
		from -= back
	}
	if from > 63 || !p.Pieces(p.turn, Pawn).Has(from) || !p.kingSafeAfter(from, to, false) {
		return NoSquare
	}
	return from
}

// plainCapture returns the pawn of the file that takes what stands on the target.
func (p *Position) plainCapture(to Square, file Bitboard) Square {
	them := p.turn.Other()
	from := pawnAttacks[them&1][to&63] & file & p.Pieces(p.turn, Pawn)
	if from == 0 || !p.colors[them&1].Has(to) || !p.kingSafeAfter(from.First(), to, false) {
		return NoSquare
	}
	return from.First()
}

// plainPieces is the piece that the first byte of a move names.
var plainPieces = func() (t [256]PieceType) {
	for pt := Knight; pt <= King; pt++ {
		t[pieceLetters[pt]] = pt
	}
	for c := 'a'; c <= 'h'; c++ {
		t[c] = Pawn
	}
	return t
}()

// plainOrigins is where a byte between piece and target lets the piece come from: a file, a rank, or anywhere for a
// capture mark and for no byte at all.
var plainOrigins = func() (t [256]Bitboard) {
	t[0], t['x'] = ^Bitboard(0), ^Bitboard(0)
	for i := range 8 {
		t['a'+i], t['1'+i] = fileA<<i, rank1<<(8*i)
	}
	return t
}()

// reach is what a piece attacks on an empty board, by type; empty for pawns.
var reach = func() (t [7][64]Bitboard) {
	for pt := Knight; pt <= King; pt++ {
		for s := range Square(64) {
			t[pt][s] = Attacks(White, pt, s, 0)
		}
	}
	return t
}()
