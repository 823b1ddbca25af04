package board

// Move is a move in 16 bits: from (bits 0-5), to (6-11), promotion piece type (12-14). Castling is the king's
// two-square move. A Move has a meaning only together with the position that it is played from.
type Move uint16

// NoMove is the absence of a move, written "0000".
const NoMove Move = 0

// NewMove returns the move between two squares.
func NewMove(from, to Square) Move { return Move(from) | Move(to)<<6 }

// NewPromotion returns the promotion to pt on to.
func NewPromotion(from, to Square, pt PieceType) Move {
	return Move(from) | Move(to)<<6 | Move(pt)<<12
}

// From returns the square that is left.
func (m Move) From() Square { return Square(m & 63) }

// To returns the square that is reached.
func (m Move) To() Square { return Square(m >> 6 & 63) }

// Promotion returns the piece type of a promotion, else [NoPieceType].
func (m Move) Promotion() PieceType { return PieceType(m >> 12 & 7) }

// Mirror returns the move with ranks mirrored; [NoMove] stays what it is.
func (m Move) Mirror() Move {
	if m == NoMove {
		return NoMove
	}
	return m ^ (56 | 56<<6)
}

// String returns the move in UCI form: e2e4, e7e8q, e1g1, "0000" for [NoMove].
func (m Move) String() string { return string(m.AppendUCI(nil)) }

// AppendUCI appends the move in UCI form to dst.
func (m Move) AppendUCI(dst []byte) []byte {
	if m == NoMove {
		return append(dst, "0000"...)
	}
	f, t := m.From(), m.To()
	dst = append(dst, 'a'+byte(f&7), '1'+byte(f>>3), 'a'+byte(t&7), '1'+byte(t>>3))
	if pt := m.Promotion(); pt != NoPieceType {
		dst = append(dst, "..nbrq.."[pt])
	}
	return dst
}

// LooksLikeUCI reports whether text begins with two squares, as moves in UCI notation do.
func LooksLikeUCI(text []byte) bool {
	if len(text) < 4 {
		return false
	}
	file := func(c byte) bool { return c >= 'a' && c <= 'h' }
	rank := func(c byte) bool { return c >= '1' && c <= '8' }
	return file(text[0]) && rank(text[1]) && file(text[2]) && rank(text[3])
}

// parseUCI reads the form of a UCI move without a position.
func parseUCI(s string) (m Move, ok bool) {
	if len(s) != 4 && len(s) != 5 {
		return NoMove, false
	}
	from, ok1 := ParseSquare(s[:2])
	to, ok2 := ParseSquare(s[2:4])
	if !ok1 || !ok2 || from == to {
		return NoMove, false
	}
	if len(s) == 4 {
		return NewMove(from, to), true
	}
	pt := pieceTypeOf(s[4] &^ 32)
	if pt < Knight || pt > Queen {
		return NoMove, false
	}
	return NewPromotion(from, to, pt), true
}

// pieceTypeOf returns the type that an upper-case English letter names.
func pieceTypeOf(c byte) PieceType {
	switch c {
	case 'P':
		return Pawn
	case 'N':
		return Knight
	case 'B':
		return Bishop
	case 'R':
		return Rook
	case 'Q':
		return Queen
	case 'K':
		return King
	}
	return NoPieceType
}
