package board

import "math/bits"

// Attack tables, filled once at start: about 40 KiB. Sliding attacks use the
// o^(o-2r) trick (hyperbola quintessence) with byte reversal along files and
// diagonals and a table along ranks.
var (
	knightAttacks [64]Bitboard
	kingAttacks   [64]Bitboard
	pawnAttacks   [2][64]Bitboard
	fileMask      [64]Bitboard // the square's file without the square
	diagMask      [64]Bitboard // a1-h8 direction, without the square
	antiMask      [64]Bitboard // h1-a8 direction, without the square
	rankAttacks   [8][64]uint8 // [file][inner six bits of the rank's occupancy]
	between       [64][64]Bitboard
	lineThrough   [64][64]Bitboard // the whole line through two squares, 0 if none
)

func fillAttacks() {
	step := func(s, df, dr int) Bitboard {
		f, r := s&7+df, s>>3+dr
		if f < 0 || f > 7 || r < 0 || r > 7 {
			return 0
		}
		return 1 << (r<<3 | f)
	}
	ray := func(s, df, dr int) (b Bitboard) {
		for i := 1; i < 8; i++ {
			b |= step(s, df*i, dr*i)
		}
		return b
	}
	for s := range 64 {
		for _, d := range [8][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}} {
			knightAttacks[s] |= step(s, d[0], d[1])
		}
		for _, d := range [8][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}} {
			kingAttacks[s] |= step(s, d[0], d[1])
			for i := 1; i < 8; i++ {
				t := step(s, d[0]*i, d[1]*i)
				if t == 0 {
					break
				}
				to := t.First()
				lineThrough[s][to] = ray(s, d[0], d[1]) | ray(s, -d[0], -d[1]) | 1<<s
				for k := 1; k < i; k++ {
					between[s][to] |= step(s, d[0]*k, d[1]*k)
				}
			}
		}
		pawnAttacks[White][s] = step(s, -1, 1) | step(s, 1, 1)
		pawnAttacks[Black][s] = step(s, -1, -1) | step(s, 1, -1)
		fileMask[s] = ray(s, 0, 1) | ray(s, 0, -1)
		diagMask[s] = ray(s, 1, 1) | ray(s, -1, -1)
		antiMask[s] = ray(s, -1, 1) | ray(s, 1, -1)
	}
	for f := range 8 {
		for occ := range 64 {
			o := occ << 1
			var a int
			for i := f + 1; i < 8; i++ {
				a |= 1 << i
				if o>>i&1 != 0 {
					break
				}
			}
			for i := f - 1; i >= 0; i-- {
				a |= 1 << i
				if o>>i&1 != 0 {
					break
				}
			}
			rankAttacks[f][occ] = uint8(a)
		}
	}
}

// slide returns the attacks from s along the masked line given the occupancy.
func slide(s Square, occ, mask Bitboard) Bitboard {
	o := uint64(occ & mask)
	r := bits.ReverseBytes64(o)
	bit := uint64(1) << (s & 63)
	o -= bit << 1
	r -= bits.ReverseBytes64(bit) << 1
	return Bitboard(o^bits.ReverseBytes64(r)) & mask
}

func bishopAttacks(s Square, occ Bitboard) Bitboard {
	return slide(s, occ, diagMask[s&63]) | slide(s, occ, antiMask[s&63])
}

func rookAttacks(s Square, occ Bitboard) Bitboard {
	shift := s & 56
	rank := Bitboard(rankAttacks[s&7][occ>>shift>>1&63]) << shift
	return slide(s, occ, fileMask[s&63]) | rank
}

// Attacks returns the squares that a piece of type pt and side c on s attacks,
// given the occupied squares: pseudo-legal reach, pins ignored, first blockers
// of either side included, pawns diagonally only.
func Attacks(c Color, pt PieceType, s Square, occupied Bitboard) Bitboard {
	switch pt {
	case Pawn:
		return pawnAttacks[c][s]
	case Knight:
		return knightAttacks[s]
	case Bishop:
		return bishopAttacks(s, occupied)
	case Rook:
		return rookAttacks(s, occupied)
	case Queen:
		return bishopAttacks(s, occupied) | rookAttacks(s, occupied)
	case King:
		return kingAttacks[s]
	}
	return 0
}

// attackersTo returns the pieces of side c that attack s, given occ.
func (p *Position) attackersTo(s Square, c Color, occ Bitboard) Bitboard {
	a := pawnAttacks[c.Other()][s]&p.pieces[Pawn] |
		knightAttacks[s]&p.pieces[Knight] |
		kingAttacks[s]&p.pieces[King]
	if bq := (p.pieces[Bishop] | p.pieces[Queen]) & p.colors[c]; bq != 0 {
		a |= bishopAttacks(s, occ) & bq
	}
	if rq := (p.pieces[Rook] | p.pieces[Queen]) & p.colors[c]; rq != 0 {
		a |= rookAttacks(s, occ) & rq
	}
	return a & p.colors[c] & occ
}
