package board

import (
	"fmt"
	"strings"
)

// Material is what both sides have besides their kings: four bits for each
// colour and piece type, up to 15 of a kind. Values compare with ==.
type Material uint64

// materialBits is the length of a side's part; White's is the low one. Within it pawns are lowest and queens highest.
const materialBits = 20

func materialShift(c Color, pt PieceType) int { return materialBits*int(c) + 4*int(pt-Pawn) }

// Material returns the material of the position.
func (p *Position) Material() (m Material) {
	for c := White; c <= Black; c++ {
		for pt := Pawn; pt <= Queen; pt++ {
			m |= Material(p.Pieces(c, pt).Len()) << materialShift(c, pt)
		}
	}
	return m
}

// Count returns how many pieces of type pt, Pawn to Queen, side c has.
func (m Material) Count(c Color, pt PieceType) int { return int(m >> materialShift(c, pt) & 15) }

// With returns the material with one more piece, a pawn to queen of which side c has fewer than 15.
func (m Material) With(c Color, pt PieceType) Material { return m + 1<<materialShift(c, pt) }

// Pieces returns the number of pieces, kings included.
func (m Material) Pieces() int { return 2 + m.side(White).pieces() + m.side(Black).pieces() }

func (m Material) side(c Color) Material { return m >> (materialBits * int(c)) & (1<<materialBits - 1) }

func (m Material) pieces() (n int) {
	for ; m != 0; m >>= 4 {
		n += int(m & 15)
	}
	return n
}

// Mirror returns the material with colours swapped.
func (m Material) Mirror() Material { return m.side(Black) | m.side(White)<<materialBits }

// Fold returns the material with colours swapped if need be so that White is the side that the signature names first:
// that with more pieces, then the one with the greater ones.
func (m Material) Fold() Material {
	w, b := m.side(White), m.side(Black)
	if n := b.pieces() - w.pieces(); n > 0 || n == 0 && b > w {
		return m.Mirror()
	}
	return m
}

// Difference returns White's material less Black's, in pawns: knight and bishop 3, rook 5, queen 9.
func (m Material) Difference() (pawns int) {
	for pt := Pawn; pt <= Queen; pt++ {
		pawns += pawnsWorth[pt] * (m.Count(White, pt) - m.Count(Black, pt))
	}
	return pawns
}

// CanMate reports whether a mate is possible with the material, on some squares, however unlikely: not with bare kings
// or one minor piece. With bishops alone it depends on their squares (see [Position.IsDead]), unless a side has two,
// which are taken to be of different colours, or each has one.
func (m Material) CanMate() bool {
	minors := 0
	for c := White; c <= Black; c++ {
		if m.Count(c, Pawn)+m.Count(c, Rook)+m.Count(c, Queen) > 0 {
			return true
		}
		minors += m.Count(c, Knight) + m.Count(c, Bishop)
	}
	return minors > 1
}

// String returns the signature, White first, as tablebases are named: "KRPvKR".
func (m Material) String() string {
	b := make([]byte, 0, 16)
	for c := White; c <= Black; c++ {
		if c == Black {
			b = append(b, 'v')
		}
		b = append(b, 'K')
		for pt := Queen; pt >= Pawn; pt-- {
			for range m.Count(c, pt) {
				b = append(b, pieceLetters[pt])
			}
		}
	}
	return string(b)
}

// ParseMaterial reads a signature: "KRPvKR", the pieces of a side in any order,
// at most what a side can have in a game. Errors quote the text.
func ParseMaterial(s string) (m Material, err error) {
	white, black, ok := strings.Cut(s, "v")
	if !ok {
		return 0, fmt.Errorf("material %q must have the form KRPvKR", s)
	}
	for c, side := range [2]string{white, black} {
		if strings.Count(side, "K") != 1 || len(side) > 16 {
			return 0, fmt.Errorf("material %q: expected one K and at most 16 pieces on each side, for example KRPvKR",
				s)
		}
		pawns, promoted := 0, 0
		for i := range len(side) {
			pt := pieceTypeOf(side[i])
			if pt == NoPieceType {
				return 0, fmt.Errorf("material %q: %q must be K, Q, R, B, N or P", s, side[i])
			}
			if pt != King {
				m = m.With(Color(c), pt)
			}
		}
		for pt, start := range [...]int{Pawn: 0, Knight: 2, Bishop: 2, Rook: 2, Queen: 1} {
			if pt := PieceType(pt); pt > Pawn {
				promoted += max(m.Count(Color(c), pt)-start, 0)
			}
		}
		if pawns = m.Count(Color(c), Pawn); pawns+promoted > 8 {
			return 0, fmt.Errorf("material %q: %v has %d pawns and at least %d promoted pieces", s, Color(c), pawns,
				promoted)
		}
	}
	return m, nil
}
