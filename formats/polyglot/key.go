package polyglot

import "talbot/board"

// The places of the numbers that a key is made of.
const (
	castling  = 768 // four: White's king side and queen side, then Black's; before them 64 for each kind of piece
	enPassant = 772 // eight: the files
	turn      = 780 // White is to move
)

// numbers are what keys are made of.
var numbers = isaac()

// isaac returns the first numbers of the generator ISAAC-64 (Bob Jenkins 1996, in the public domain:
// https://burtleburtle.net/bob/rand/isaacafa.html) with a seed of zeros, each block of 256 from its end, as its rand()
// gives them. They are the 781 of the format.
func isaac() (out [turn + 1]uint64) {
	const size = 256
	var memory, results [size]uint64
	var s [8]uint64
	for i := range s {
		s[i] = 0x9e3779b97f4a7c13 // the golden ratio
	}
	shifts := [8]int{-9, 9, -23, 15, -14, 20, -17, 14} // below 0: to the right
	mix := func() {
		for i, n := range shifts {
			s[i] -= s[(i+4)%8]
			if n < 0 {
				s[(i+5)%8] ^= s[(i+7)%8] >> -n
			} else {
				s[(i+5)%8] ^= s[(i+7)%8] << n
			}
			s[(i+7)%8] += s[i]
		}
	}
	for range 4 {
		mix()
	}
	for pass := range 2 {
		for i := 0; i < size; i += len(s) {
			for k := range s {
				if pass > 0 {
					s[k] += memory[i+k]
				}
			}
			mix()
			copy(memory[i:], s[:])
		}
	}
	var a, b, c uint64
	for i := range out {
		if i%size == 0 {
			c++
			b += c
			for k, x := range memory {
				a = [4]uint64{^(a ^ a<<21), a ^ a>>5, a ^ a<<12, a ^ a>>33}[k%4] + memory[(k+size/2)%size]
				y := memory[x>>3%size] + a + b
				memory[k] = y
				b = memory[y>>11%size] + x
				results[k] = b
			}
		}
		out[i] = results[size-1-i%size]
	}
	return out
}

// Key returns the key of the present position. Its en passant file counts if a pawn of the side to move stands beside
// the one that has just made the double step, even if that pawn is pinned; a position without a past has such a file
// only if the capture is legal, as [board.Position] knows no other.
func Key(g *board.Game) (key uint64) {
	p := g.Position()
	for c := board.White; c <= board.Black; c++ {
		for pt := board.Pawn; pt <= board.King; pt++ {
			kind := 2 * int(pt-board.Pawn) // Black's pawn, White's, Black's knight …
			if c == board.White {
				kind++
			}
			for b := p.Pieces(c, pt); b != 0; b &= b - 1 {
				key ^= numbers[64*kind+int(b.First())]
			}
		}
		for wing, kingSide := range []bool{true, false} {
			if p.CanCastle(c, kingSide) {
				key ^= numbers[castling+2*int(c)+wing]
			}
		}
	}
	if file, ok := passed(g); ok {
		key ^= numbers[enPassant+file]
	}
	if p.Turn() == board.White {
		key ^= numbers[turn]
	}
	return key
}

// passed returns the file of a pawn that could be taken en passant if pins did not count.
func passed(g *board.Game) (file int, ok bool) {
	p, before := g.Position(), g.Previous(1)
	if s := p.EnPassant(); s != board.NoSquare {
		return s.File(), true
	}
	if before == nil {
		return 0, false
	}
	them := before.Turn()
	was, is := before.Pieces(them, board.Pawn), p.Pieces(them, board.Pawn)
	from, to := was&^is, is&^was // of a pawn that did not promote, one square each
	if from == 0 || to == 0 {
		return 0, false
	}
	s := to.First()
	if d := int(s) - int(from.First()); d != 16 && d != -16 {
		return 0, false
	}
	beside := (s.Bitboard()&^fileA>>1 | s.Bitboard()&^fileH<<1) & p.Pieces(them.Other(), board.Pawn)
	return s.File(), beside != 0
}

const (
	fileA board.Bitboard = 0x0101010101010101
	fileH                = fileA << 7
)
