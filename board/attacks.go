package board

import "math/bits"

// Attack tables, about 70 KiB. They are variables with initialisers, not filled by init functions, so that other
// package variables (the start position) find them ready. Sliding attacks use the o^(o-2r) trick (hyperbola
// quintessence) with byte reversal along files and diagonals and a table along ranks.
var (
	knightAttacks = stepAttacks([][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}})
	kingAttacks   = stepAttacks(directions[:])
	pawnAttacks   = [2][64]Bitboard{stepAttacks([][2]int{{-1, 1}, {1, 1}}), stepAttacks([][2]int{{-1, -1}, {1, -1}})}

	// Lines through a square, without the square.
	fileMask = lineMasks(0, 1)
	diagMask = lineMasks(1, 1)  // a1-h8 direction
	antiMask = lineMasks(-1, 1) // h1-a8 direction

	rankAttacks = rankTable()      // [file][inner six bits of the rank's occupancy]
	between     = betweenTable()   // squares strictly between two on a line, else none
	lineThrough = lineThroughAll() // the whole line through two squares, else none
)

var directions = [8][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}

// offset returns the square df files and dr ranks from s, empty off the board.
func offset(s, df, dr int) Bitboard {
	f, r := s&7+df, s>>3+dr
	if f < 0 || f > 7 || r < 0 || r > 7 {
		return 0
	}
	return 1 << (r<<3 | f)
}

// ray returns the first n squares from s in a direction.
func ray(s, df, dr, n int) (b Bitboard) {
	for i := 1; i <= n; i++ {
		b |= offset(s, df*i, dr*i)
	}
	return b
}

func stepAttacks(steps [][2]int) (t [64]Bitboard) {
	for s := range t {
		for _, d := range steps {
			t[s] |= offset(s, d[0], d[1])
		}
	}
	return t
}

func lineMasks(df, dr int) (t [64]Bitboard) {
	for s := range t {
		t[s] = ray(s, df, dr, 7) | ray(s, -df, -dr, 7)
	}
	return t
}

func betweenTable() (t [64][64]Bitboard) {
	for s := range t {
		for _, d := range directions {
			for b := ray(s, d[0], d[1], 7); b != 0; b &= b - 1 {
				to := b.First()
				distance := max(abs(to.File()-s&7), abs(to.Rank()-s>>3))
				t[s][to] = ray(s, d[0], d[1], distance-1)
			}
		}
	}
	return t
}

func lineThroughAll() (t [64][64]Bitboard) {
	for s := range t {
		for _, d := range directions {
			line := ray(s, d[0], d[1], 7) | ray(s, -d[0], -d[1], 7) | 1<<s
			for b := ray(s, d[0], d[1], 7); b != 0; b &= b - 1 {
				t[s][b.First()] = line
			}
		}
	}
	return t
}

func rankTable() (t [8][64]uint8) {
	for file := range t {
		for inner := range t[file] {
			occ := inner << 1 // the outer squares never block anything behind them
			for f := file + 1; f < 8; f++ {
				t[file][inner] |= 1 << f
				if occ>>f&1 != 0 {
					break
				}
			}
			for f := file - 1; f >= 0; f-- {
				t[file][inner] |= 1 << f
				if occ>>f&1 != 0 {
					break
				}
			}
		}
	}
	return t
}

func abs(x int) int { return max(x, -x) }

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

// Attacks returns the squares that a piece of type pt and side c on s attacks, given the occupied squares: pseudo-legal
// reach, pins ignored, first blockers of either side included, pawns diagonally only.
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
	a := pawnAttacks[c.Other()][s]&p.pieces[Pawn] | knightAttacks[s]&p.pieces[Knight] | kingAttacks[s]&p.pieces[King]
	if bq := (p.pieces[Bishop] | p.pieces[Queen]) & p.colors[c]; bq != 0 {
		a |= bishopAttacks(s, occ) & bq
	}
	if rq := (p.pieces[Rook] | p.pieces[Queen]) & p.colors[c]; rq != 0 {
		a |= rookAttacks(s, occ) & rq
	}
	return a & p.colors[c] & occ
}
