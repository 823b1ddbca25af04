package board

// notation is what the text of a move says, independent of the position.
type notation struct {
	piece     PieceType // NoPieceType: two squares and no piece letter, as in UCI
	from      Bitboard  // the origins that the text allows
	to        Square
	promotion PieceType
	push      bool // nothing but a target and maybe a rank: of a pawn, no capture
}

// scanNotation takes a move apart: the last file-rank pair is the target, what
// stands before it limits the origin, what stands after it is a promotion.
func scanNotation(s []byte) (n notation, ok bool) {
	n = notation{piece: Pawn, from: ^Bitboard(0), to: NoSquare, push: true}
	i, letter, origin := 0, false, false
	if s[0] >= 'A' && s[0] <= 'Z' {
		if n.piece = pieceTypeOf(s[0]); n.piece == NoPieceType {
			return n, false
		}
		i, letter = 1, true
	}
	limit := ^Bitboard(0) // a file or rank that stands alone
scan:
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'h' && i+1 < len(s) && s[i+1] >= '1' && s[i+1] <= '8':
			if n.to != NoSquare {
				if origin {
					return n, false
				}
				n.from, origin, n.push = n.to.Bitboard(), true, false
			}
			n.to = NewSquare(int(c-'a'), int(s[i+1]-'1'))
			i++
		case c == 'x' || c == ':':
			n.push = false
		case c == '-':
		case n.to != NoSquare:
			break scan
		case c >= 'a' && c <= 'h' && limit == ^Bitboard(0):
			limit &= fileA << (c - 'a')
			n.push = false
		case c >= '1' && c <= '8' && limit == ^Bitboard(0):
			limit &= rank1 << (8 * (c - '1'))
		default:
			return n, false
		}
	}
	if n.to == NoSquare {
		return n, false
	}
	if i < len(s) {
		if n.promotion, ok = parsePromotion(s[i:]); !ok {
			return n, false
		}
	}
	n.from &= limit
	if origin && !letter {
		n.piece = NoPieceType
	}
	return n, true
}

// parsePromotion reads what follows the target: =Q, Q, (Q) or /Q, in either case.
func parsePromotion(s []byte) (PieceType, bool) {
	switch {
	case len(s) == 2 && (s[0] == '=' || s[0] == '/'):
		s = s[1:]
	case len(s) == 3 && s[0] == '(' && s[2] == ')':
		s = s[1:2]
	}
	if len(s) != 1 {
		return NoPieceType, false
	}
	pt := pieceTypeOf(s[0] &^ 32)
	return pt, pt >= Knight && pt <= Queen
}

// isMark reports whether c is part of a check mark, a glyph or a draw offer.
func isMark(c byte) bool {
	switch c {
	case '+', '#', '!', '?', '=':
		return true
	}
	return false
}
