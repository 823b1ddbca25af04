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

// ParseSAN reads a move in Standard Algebraic Notation and resolves it to a legal move. It tolerates missing,
// superfluous and wrong check marks, glyphs (!?), a missing or superfluous capture mark, promotions written e8=Q, e8Q,
// e8(Q) or e8/Q, castling with O or 0 or as a king move (Kg1), too much disambiguation and too little as long as one
// legal move fits, long algebraic notation (e2-e4, Ng1xf3) and UCI (e2e4, e7e8q, e1g1, e1h1). A bare target like d5 is
// a pawn push and never a capture. It generates no move lists.
//
// Errors quote the text and say "illegal move", "ambiguous move" or "not a move".
func (p *Position) ParseSAN(s []byte) (Move, error) {
	m, err := p.parseSAN(s)
	if err != nil {
		return NoMove, fmt.Errorf("%w %q", err, s[:min(len(s), maxQuoted)])
	}
	return m, nil
}

// maxQuoted bounds what an error repeats of a text that is not a move.
const maxQuoted = 40

func (p *Position) parseSAN(s []byte) (Move, error) {
	for len(s) > 0 && isMark(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	if len(s) < 2 {
		return NoMove, errSyntax
	}
	if s[0] == 'O' || s[0] == '0' || s[0] == 'o' {
		return p.parseCastling(s)
	}
	n, ok := scanNotation(s)
	switch {
	case !ok:
		return NoMove, errSyntax
	case n.from == 0:
		return NoMove, errIllegal
	case n.piece == NoPieceType:
		return p.resolveUCI(n.from.First(), n.to, n.promotion)
	case n.piece == Pawn:
		return p.resolvePawn(n)
	case n.promotion != NoPieceType:
		return NoMove, errSyntax
	}
	return p.resolvePiece(n)
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

// resolvePiece finds the one legal move of a piece other than a pawn.
func (p *Position) resolvePiece(n notation) (Move, error) {
	if n.piece == King {
		if m := NewMove(p.king(p.turn), n.to); n.from.Has(m.From()) && p.IsLegal(m) {
			return m, nil
		}
		return NoMove, errIllegal
	}
	if p.colors[p.turn].Has(n.to) {
		return NoMove, errIllegal
	}
	found := NoMove
	reach := Attacks(p.turn, n.piece, n.to, p.Occupied())
	for b := reach & p.Pieces(p.turn, n.piece) & n.from; b != 0; b &= b - 1 {
		if from := b.First(); p.kingSafeAfter(from, n.to, false) {
			if found != NoMove {
				return NoMove, errAmbiguous
			}
			found = NewMove(from, n.to)
		}
	}
	if found == NoMove {
		return NoMove, errIllegal
	}
	return found, nil
}

// resolvePawn finds the one legal move of a pawn.
func (p *Position) resolvePawn(n notation) (Move, error) {
	them := p.turn.Other()
	var reach Bitboard
	switch to := n.to.Bitboard(); {
	case !n.push && (p.colors[them]&to != 0 || n.to == p.ep):
		reach = pawnAttacks[them][n.to]
	case p.turn == White:
		reach = to>>8 | to>>16
	default:
		reach = to<<8 | to<<16
	}
	found := NoMove
	for b := reach & p.Pieces(p.turn, Pawn) & n.from; b != 0; b &= b - 1 {
		m := NewPromotion(b.First(), n.to, n.promotion)
		if p.IsLegal(m) {
			if found != NoMove {
				return NoMove, errAmbiguous
			}
			found = m
		}
	}
	if found == NoMove {
		return NoMove, errIllegal
	}
	return found, nil
}

// resolveUCI takes from-to moves of any piece, king-takes-rook castling included.
func (p *Position) resolveUCI(from, to Square, promo PieceType) (Move, error) {
	m := NewPromotion(from, to, promo)
	if p.IsLegal(m) {
		return m, nil
	}
	ksq := p.king(p.turn)
	if promo == NoPieceType && from == ksq && p.Pieces(p.turn, Rook).Has(to) && !p.InCheck() {
		home := Square(56 * p.turn)
		if to == home+7 && p.castleLegal(true) {
			return NewMove(ksq, ksq+2), nil
		}
		if to == home && p.castleLegal(false) {
			return NewMove(ksq, ksq-2), nil
		}
	}
	return NoMove, errIllegal
}

// ParseUCI reads a legal move in UCI form. Castling may be written e1g1 or e1h1. Errors quote the text.
func (p *Position) ParseUCI(s string) (Move, error) {
	err := errSyntax
	if m, ok := parseUCI(s); ok {
		if m, err = p.resolveUCI(m.From(), m.To(), m.Promotion()); err == nil {
			return m, nil
		}
	}
	return NoMove, fmt.Errorf("%w %q", err, s[:min(len(s), maxQuoted)])
}

// PlayUCI plays moves in UCI notation. At one that is not legal it stops, with the moves before it and an error.
func (p *Position) PlayUCI(texts ...string) (moves []Move, err error) {
	for _, text := range texts {
		m, err := p.ParseUCI(text)
		if err != nil {
			return moves, err
		}
		moves = append(moves, m)
		p.Play(m)
	}
	return moves, nil
}

// SAN returns a legal move in Standard Algebraic Notation, with check and mate marks.
func (p *Position) SAN(m Move) string {
	from, to := m.From(), m.To()
	pt := p.TypeAt(from)
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
