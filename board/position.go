package board

import (
	"errors"
	"fmt"
	"strings"
)

// Castling rights, as bits of Position.castling.
const (
	whiteKingSide uint8 = 1 << iota
	whiteQueenSide
	blackKingSide
	blackQueenSide
)

// Position is a legal chess position with its counters. It is a plain value; the zero value is not a position.
// Positions compare with ==, counters included; [Position.Key] leaves the counters out.
type Position struct {
	pieces   [7]Bitboard // by PieceType, both colours; [0] unused
	colors   [2]Bitboard
	key      uint64
	halfmove uint16 // plies since the last capture or pawn move
	fullmove uint16 // starts at 1, grows after Black's move
	castling uint8
	ep       Square // target square, only if a legal capture exists
	turn     Color
}

// StartFEN is the standard start position.
const StartFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

var startPosition, _ = ParseFEN(StartFEN) // a constant; the tests vouch for it

// StartPosition returns the standard start position.
func StartPosition() Position { return startPosition }

// Turn returns the side to move.
func (p *Position) Turn() Color { return p.turn }

// Pieces returns the squares of side c's pieces of type pt.
func (p *Position) Pieces(c Color, pt PieceType) Bitboard { return p.pieces[pt] & p.colors[c] }

// ByColor returns the squares of side c's pieces.
func (p *Position) ByColor(c Color) Bitboard { return p.colors[c] }

// Occupied returns the squares that hold a piece.
func (p *Position) Occupied() Bitboard { return p.colors[White] | p.colors[Black] }

// IsCapture reports whether a legal move takes something, en passant included.
func (p *Position) IsCapture(m Move) bool { return p.Captured(m) != NoPieceType }

// Captured returns the type of what a legal move takes, en passant included; [NoPieceType] if it takes nothing.
func (p *Position) Captured(m Move) PieceType {
	if p.IsEnPassant(m) {
		return Pawn
	}
	return p.TypeAt(m.To())
}

// IsEnPassant reports whether a legal move captures en passant.
func (p *Position) IsEnPassant(m Move) bool { return m.To() == p.ep && p.TypeAt(m.From()) == Pawn }

// IsCastling reports whether a legal move castles.
func (p *Position) IsCastling(m Move) bool {
	return p.TypeAt(m.From()) == King && (m.To() == m.From()+2 || m.To()+2 == m.From())
}

// PieceAt returns what stands on s.
func (p *Position) PieceAt(s Square) Piece {
	c := White
	if p.colors[Black].Has(s) {
		c = Black
	}
	pt := p.TypeAt(s)
	if pt == NoPieceType {
		return NoPiece
	}
	return NewPiece(c, pt)
}

// TypeBits returns bits 0, 1 and 2 of the [PieceType] of every square.
func (p *Position) TypeBits() (bit0, bit1, bit2 Bitboard) {
	return p.pieces[Pawn] | p.pieces[Bishop] | p.pieces[Queen],
		p.pieces[Knight] | p.pieces[Bishop] | p.pieces[King],
		p.pieces[Rook] | p.pieces[Queen] | p.pieces[King]
}

// TypeAt returns the type of what stands on s, [NoPieceType] for nothing. It gathers the three bits of the type without
// branches: which type it is is what a branch predictor cannot know.
func (p *Position) TypeAt(s Square) PieceType {
	bit0, bit1, bit2 := p.TypeBits()
	s &= 63
	return PieceType(bit0>>s&1 | bit1>>s&1<<1 | bit2>>s&1<<2)
}

// CanCastle reports whether side c has the right to castle on that wing.
func (p *Position) CanCastle(c Color, kingSide bool) bool {
	right := whiteKingSide
	if !kingSide {
		right = whiteQueenSide
	}
	return p.castling&(right<<(2*c)) != 0
}

// HasCastlingRights reports whether either side has the right to castle on either wing.
func (p *Position) HasCastlingRights() bool { return p.castling != 0 }

// EnPassant returns the en passant target square, [NoSquare] unless an en passant capture is legal.
func (p *Position) EnPassant() Square { return p.ep }

// HalfmoveClock returns the plies since the last capture or pawn move.
func (p *Position) HalfmoveClock() int { return int(p.halfmove) }

// FullmoveNumber returns the number of the move, 1 at the start of a game.
func (p *Position) FullmoveNumber() int { return int(p.fullmove) }

// Key returns a 64-bit hash of board, side to move, castling rights and en passant square. The counters are not part of
// it. Keys do not change between builds or machines.
func (p *Position) Key() uint64 { return p.key }

// Mirror returns the same position seen from the other side: ranks mirrored, colours swapped, the other side to move.
func (p *Position) Mirror() Position {
	q := *p
	for i := range p.pieces {
		q.pieces[i] = p.pieces[i].Mirror()
	}
	q.colors[White], q.colors[Black] = p.colors[Black].Mirror(), p.colors[White].Mirror()
	q.castling = p.castling>>2 | p.castling&3<<2
	if p.ep != NoSquare {
		q.ep = p.ep.Mirror()
	}
	q.turn = p.turn.Other()
	q.key = q.computeKey()
	return q
}

// String returns a diagram of eight lines, rank 8 first.
func (p *Position) String() string {
	var b strings.Builder
	for r := 7; r >= 0; r-- {
		for f := range 8 {
			if f > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(p.PieceAt(NewSquare(f, r)).String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *Position) put(c Color, pt PieceType, s Square) {
	p.pieces[pt] |= s.Bitboard()
	p.colors[c] |= s.Bitboard()
}

// Validate says why the position is not one that talbot works on, nil if it is: one king each, no pawn on the first or
// last rank, at most 16 pieces and 8 pawns a side, no more promoted pieces than pawns are missing (engines size their
// move lists by that), the side not to move not in check, no more than two checkers, castling rights only with king and
// rook at home. Positions made by this package are valid.
func (p *Position) Validate() error {
	if p.pieces[Pawn]&(rank1|rank8) != 0 {
		return errors.New("a pawn is on the first or last rank")
	}
	for c := White; c <= Black; c++ {
		if err := p.checkMaterial(c); err != nil {
			return err
		}
		for right := 2 * int(c); right < 2*int(c)+2; right++ {
			king, rook := castlers(right)
			if p.castling>>right&1 != 0 && (!p.Pieces(c, King).Has(king) || !p.Pieces(c, Rook).Has(rook)) {
				return errNotHome(right)
			}
		}
	}
	them := p.turn.Other()
	if p.attackersTo(p.king(them), p.turn, p.Occupied()) != 0 {
		return errInCheck[them]
	}
	if p.checkers().Len() > 2 {
		return errCheckers[p.turn]
	}
	return nil
}

// Errors that random positions often have are made beforehand.
var (
	errInCheck = [2]error{
		errors.New("white is in check, but black is to move"),
		errors.New("black is in check, but white is to move"),
	}
	errCheckers = [2]error{
		errors.New("white is in check from more than two pieces"),
		errors.New("black is in check from more than two pieces"),
	}
)

// checkMaterial says why side c cannot have its pieces, nil if it can.
func (p *Position) checkMaterial(c Color) error {
	if n := p.Pieces(c, King).Len(); n != 1 {
		return fmt.Errorf("%v has %d kings", c, n)
	}
	if n := p.ByColor(c).Len(); n > 16 {
		return fmt.Errorf("%v has %d pieces", c, n)
	}
	if n := p.Pieces(c, Pawn).Len(); n > 8 {
		return fmt.Errorf("%v has %d pawns", c, n)
	} else if promoted := p.promoted(c); n+promoted > 8 {
		return fmt.Errorf("%v has %d pawns and at least %d promoted pieces", c, n, promoted)
	}
	return nil
}

// promoted returns the least number of side c's pieces that must have been pawns once.
func (p *Position) promoted(c Color) int {
	light, dark := p.Pieces(c, Bishop)&lightSquares, p.Pieces(c, Bishop)&^lightSquares
	return max(p.Pieces(c, Queen).Len()-1, 0) + max(p.Pieces(c, Rook).Len()-2, 0) +
		max(p.Pieces(c, Knight).Len()-2, 0) + max(light.Len()-1, 0) + max(dark.Len()-1, 0)
}

func (p *Position) king(c Color) Square { return p.Pieces(c, King).First() }

// checkers returns the pieces that give check to the side to move.
func (p *Position) checkers() Bitboard {
	return p.attackersTo(p.king(p.turn), p.turn.Other(), p.Occupied())
}

// InCheck reports whether the side to move is in check.
func (p *Position) InCheck() bool { return p.checkers() != 0 }

// IsCheckmate reports whether the side to move is mated.
func (p *Position) IsCheckmate() bool { return p.InCheck() && !p.HasLegalMove() }

// IsStalemate reports whether the side to move is not in check and cannot move.
func (p *Position) IsStalemate() bool { return !p.InCheck() && !p.HasLegalMove() }

// IsDead reports insufficient material: no sequence of legal moves mates (bare kings, one minor piece, or bishops on
// squares of one colour only). Blocked positions that are dead for other reasons are not recognised.
func (p *Position) IsDead() bool {
	if p.pieces[Pawn]|p.pieces[Rook]|p.pieces[Queen] != 0 {
		return false
	}
	n, b := p.pieces[Knight], p.pieces[Bishop]
	if (n | b).Len() <= 1 {
		return true
	}
	return n == 0 && (b&lightSquares == 0 || b&^lightSquares == 0)
}
