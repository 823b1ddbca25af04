package board

import "math/bits"

// Color is a side.
type Color uint8

// The sides.
const (
	White Color = iota
	Black
)

// Other returns the opposing side.
func (c Color) Other() Color { return c ^ 1 }

// String returns "white" or "black".
func (c Color) String() string {
	if c == White {
		return "white"
	}
	return "black"
}

// PieceType is a kind of piece without its colour.
type PieceType uint8

// The piece types, in the order of the encoding's planes.
const (
	NoPieceType PieceType = iota
	Pawn
	Knight
	Bishop
	Rook
	Queen
	King
)

// Piece is a coloured piece; [NoPiece] is an empty square.
type Piece uint8

// NoPiece is the content of an empty square.
const NoPiece Piece = 0

// NewPiece returns the piece of type pt of side c.
func NewPiece(c Color, pt PieceType) Piece { return Piece(c)<<3 | Piece(pt) }

// Color returns the side of a piece other than [NoPiece].
func (p Piece) Color() Color { return Color(p >> 3) }

// Type returns the piece's type, [NoPieceType] for [NoPiece].
func (p Piece) Type() PieceType { return PieceType(p & 7) }

const pieceLetters = ".PNBRQK..pnbrqk"

// String returns the FEN letter of a piece, "." for an empty square.
func (p Piece) String() string { return pieceLetters[p : p+1] }

// Square is a square of the board: a1 = 0, b1 = 1, … h8 = 63.
type Square uint8

// NoSquare is the absence of a square.
const NoSquare Square = 64

// NewSquare returns the square on file and rank, both 0 to 7.
func NewSquare(file, rank int) Square { return Square(rank<<3 | file) }

// File returns the file, 0 (a) to 7 (h).
func (s Square) File() int { return int(s & 7) }

// Rank returns the rank, 0 (first) to 7 (eighth).
func (s Square) Rank() int { return int(s >> 3) }

// Mirror returns the square with ranks mirrored: a1 becomes a8.
func (s Square) Mirror() Square { return s ^ 56 }

// Bitboard returns the set of the one square s.
func (s Square) Bitboard() Bitboard { return 1 << s }

// String returns the name of the square, "-" for [NoSquare].
func (s Square) String() string {
	if s >= NoSquare {
		return "-"
	}
	return string([]byte{'a' + byte(s&7), '1' + byte(s>>3)})
}

// ParseSquare reads a name like "e4".
func ParseSquare(s string) (Square, bool) {
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return NoSquare, false
	}
	return NewSquare(int(s[0]-'a'), int(s[1]-'1')), true
}

// Bitboard is a set of squares: bit i is square i.
type Bitboard uint64

// Len returns the number of squares in the set.
func (b Bitboard) Len() int { return bits.OnesCount64(uint64(b)) }

// First returns the lowest square of a set that is not empty.
func (b Bitboard) First() Square { return Square(bits.TrailingZeros64(uint64(b))) }

// Has reports whether s is in the set.
func (b Bitboard) Has(s Square) bool { return b>>s&1 != 0 }

// Mirror returns the set with ranks mirrored.
func (b Bitboard) Mirror() Bitboard { return Bitboard(bits.ReverseBytes64(uint64(b))) }

const (
	fileA Bitboard = 0x0101010101010101
	fileH Bitboard = fileA << 7
	rank1 Bitboard = 0xff
	rank8 Bitboard = rank1 << 56
	// lightSquares holds b1, d1, … (h1 is light).
	lightSquares Bitboard = 0x55aa55aa55aa55aa
)
