package board

import (
	"errors"
	"fmt"
)

var (
	errIllegal   = errors.New("illegal move")
	errAmbiguous = errors.New("ambiguous move")
	errSyntax    = errors.New("not a move")
)

// ParseSAN reads a move in Standard Algebraic Notation and resolves it to a
// legal move. It tolerates missing, superfluous and wrong check marks, glyphs
// (!?), a missing or superfluous capture mark, promotions written e8=Q, e8Q,
// e8(Q) or e8/Q, castling with O or 0, too much disambiguation and too little
// as long as one legal move fits, long algebraic notation (e2-e4, Ng1xf3) and
// UCI (e2e4, e7e8q, e1g1, e1h1). It generates no move lists.
//
// Errors quote the text and say "illegal move", "ambiguous move" or "not a
// move".
func (p *Position) ParseSAN(s []byte) (Move, error) {
	m, err := p.parseSAN(s)
	if err != nil {
		if len(s) > 40 {
			s = s[:40]
		}
		return NoMove, fmt.Errorf("%w %q", err, s)
	}
	return m, nil
}

func (p *Position) parseSAN(s []byte) (Move, error) {
	for len(s) > 0 {
		switch s[len(s)-1] {
		case '+', '#', '!', '?', '=':
			s = s[:len(s)-1]
			continue
		}
		break
	}
	if len(s) < 2 {
		return NoMove, errSyntax
	}
	if s[0] == 'O' || s[0] == '0' || s[0] == 'o' {
		return p.parseCastling(s)
	}
	pt := Pawn
	i := 0
	if s[0] >= 'A' && s[0] <= 'Z' {
		if pt = pieceTypeOf(s[0]); pt == NoPieceType {
			return NoMove, errSyntax
		}
		i = 1
	}
	// The last file-rank pair is the target, what stands before it limits the
	// origin, what stands behind it is a promotion.
	from, to := ^Bitboard(0), NoSquare
	file, rank := -1, -1
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'h':
			if i+1 < len(s) && s[i+1] >= '1' && s[i+1] <= '8' {
				if to != NoSquare {
					from &= to.Bitboard()
				}
				if file >= 0 {
					from &= fileA << file
					file = -1
				}
				if rank >= 0 {
					from &= rank1 << (8 * rank)
					rank = -1
				}
				to = NewSquare(int(c-'a'), int(s[i+1]-'1'))
				i++
			} else if c == 'b' && i == len(s)-1 && to != NoSquare {
				return p.resolve(pt, from, to, Bishop) // e7e8b
			} else if file >= 0 || to != NoSquare {
				return NoMove, errSyntax
			} else {
				file = int(c - 'a')
			}
		case c >= '1' && c <= '8':
			if rank >= 0 || to != NoSquare {
				return NoMove, errSyntax
			}
			rank = int(c - '1')
		case c == 'x' || c == '-' || c == ':':
		case to != NoSquare:
			promo, ok := parsePromotion(s[i:])
			if !ok {
				return NoMove, errSyntax
			}
			return p.resolve(pt, from, to, promo)
		default:
			return NoMove, errSyntax
		}
	}
	if to == NoSquare || file >= 0 || rank >= 0 {
		return NoMove, errSyntax
	}
	return p.resolve(pt, from, to, NoPieceType)
}

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

func (p *Position) parseCastling(s []byte) (Move, error) {
	wings := 0
	for i, c := range s {
		if i%2 == 0 && (c == 'O' || c == '0' || c == 'o') {
			wings++
		} else if i%2 == 0 || c != '-' {
			return NoMove, errSyntax
		}
	}
	if len(s)%2 == 0 || wings < 2 || wings > 3 {
		return NoMove, errSyntax
	}
	if p.InCheck() || !p.castleLegal(wings == 2) {
		return NoMove, errIllegal
	}
	ksq := p.king(p.turn)
	if wings == 2 {
		return NewMove(ksq, ksq+2), nil
	}
	return NewMove(ksq, ksq-2), nil
}

// resolve finds the one legal move of a piece of type pt from one of the
// squares of from to to.
func (p *Position) resolve(pt PieceType, from Bitboard, to Square, promo PieceType) (Move, error) {
	us := p.turn
	own := p.Pieces(us, pt) & from
	var candidates Bitboard
	switch pt {
	case Pawn:
		// A full origin square may be a UCI move of any piece.
		if from&(from-1) == 0 {
			return p.resolveUCI(from, to, promo)
		}
		last := (rank1 | rank8).Has(to)
		if last != (promo != NoPieceType) {
			return NoMove, errIllegal
		}
		if p.colors[us.Other()].Has(to) || to == p.ep {
			candidates = pawnAttacks[us.Other()][to]
		} else if us == White {
			candidates = to.Bitboard()>>8 | to.Bitboard()>>16
		} else {
			candidates = to.Bitboard()<<8 | to.Bitboard()<<16
		}
	case King:
		if promo != NoPieceType {
			return NoMove, errSyntax
		}
		ksq := p.king(us)
		if m := NewMove(ksq, to); from.Has(ksq) && p.IsLegal(m) {
			return m, nil
		}
		return NoMove, errIllegal
	default:
		if promo != NoPieceType {
			return NoMove, errSyntax
		}
		candidates = Attacks(us, pt, to, p.Occupied())
	}
	found := NoMove
	for b := candidates & own; b != 0; b &= b - 1 {
		m := NewPromotion(b.First(), to, promo)
		if !p.IsLegal(m) {
			continue
		}
		if found != NoMove {
			return NoMove, errAmbiguous
		}
		found = m
	}
	if found == NoMove {
		return NoMove, errIllegal
	}
	return found, nil
}

// resolveUCI takes from-to moves of any piece, king-takes-rook castling
// included.
func (p *Position) resolveUCI(from Bitboard, to Square, promo PieceType) (Move, error) {
	if from == 0 {
		return NoMove, errIllegal
	}
	m := NewPromotion(from.First(), to, promo)
	if p.IsLegal(m) {
		return m, nil
	}
	home := Square(56 * p.turn)
	if promo == NoPieceType && m.From() == home+4 && p.Pieces(p.turn, King).Has(m.From()) && p.Pieces(p.turn, Rook).Has(to) {
		if to == home+7 || to == home {
			kingSide := to == home+7
			if !p.InCheck() && p.castleLegal(kingSide) {
				if kingSide {
					return NewMove(home+4, home+6), nil
				}
				return NewMove(home+4, home+2), nil
			}
		}
	}
	return NoMove, errIllegal
}

// ParseUCI reads a legal move in UCI form. Castling may be written e1g1 or
// e1h1. Errors quote the text.
func (p *Position) ParseUCI(s string) (Move, error) {
	m, ok := parseUCI(s)
	if !ok {
		return NoMove, fmt.Errorf("%w %q", errSyntax, s)
	}
	m, err := p.resolveUCI(m.From().Bitboard(), m.To(), m.Promotion())
	if err != nil {
		return NoMove, fmt.Errorf("%w %q", err, s)
	}
	return m, nil
}

// SAN returns a legal move in Standard Algebraic Notation, with check and mate
// marks.
func (p *Position) SAN(m Move) string {
	from, to := m.From(), m.To()
	pt := p.typeAt(from)
	dst := make([]byte, 0, 8)
	switch {
	case pt == King && to == from+2:
		dst = append(dst, "O-O"...)
	case pt == King && to+2 == from:
		dst = append(dst, "O-O-O"...)
	default:
		capture := p.Occupied().Has(to)
		if pt == Pawn {
			if capture = capture || from.File() != to.File(); capture {
				dst = append(dst, 'a'+byte(from.File()))
			}
		} else {
			dst = append(dst, pieceLetters[pt])
			dst = p.appendDisambiguation(dst, pt, from, to)
		}
		if capture {
			dst = append(dst, 'x')
		}
		dst = append(dst, to.String()...)
		if promo := m.Promotion(); promo != NoPieceType {
			dst = append(dst, '=', pieceLetters[promo])
		}
	}
	q := p.After(m)
	if q.InCheck() {
		if q.HasLegalMove() {
			dst = append(dst, '+')
		} else {
			dst = append(dst, '#')
		}
	}
	return string(dst)
}

func (p *Position) appendDisambiguation(dst []byte, pt PieceType, from, to Square) []byte {
	var others Bitboard
	for b := Attacks(p.turn, pt, to, p.Occupied()) & p.Pieces(p.turn, pt) &^ from.Bitboard(); b != 0; b &= b - 1 {
		if p.IsLegal(NewMove(b.First(), to)) {
			others |= b.First().Bitboard()
		}
	}
	if others == 0 {
		return dst
	}
	sameFile := others&(fileA<<from.File()) != 0
	sameRank := others&(rank1<<(8*from.Rank())) != 0
	if !sameFile {
		return append(dst, 'a'+byte(from.File()))
	}
	if !sameRank {
		return append(dst, '1'+byte(from.Rank()))
	}
	return append(dst, from.String()...)
}
