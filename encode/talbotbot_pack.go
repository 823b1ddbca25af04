package encode

import (
	"math/bits"

	"talbot/board"
)

// TalbotBotWords is the number of 64-bit words of a packed input: 168 bytes.
const TalbotBotWords = boardWords*(1+historyFrames) + 1

const (
	boardWords = 4
	flagsWord  = TalbotBotWords - 1
)

// A pawn of the opponent's was passed on rank 6 of the mover's frame.
const (
	fileA = uint64(0x0101010101010101)
	rank6 = uint64(0xff) << 40
)

// Words returns 21.
func (TalbotBot) Words() int { return TalbotBotWords }

// Pack writes the present position of g and its past to dst[:21]:
//
//	words 4k, 4k+1, 4k+2  bits 0, 1 and 2 of what stood on each square k plies ago, k = 0 … 4:
//	                      0 nothing, 1 … 6 a P N B R Q K; bit s of a word is square s
//	word  4k+3            where the opponent's pieces stood
//	word  20              flags: bits 0 … 3 castling rights in the order of planes 12 … 15; bit 4 Black moves;
//	                      bits 5 and 6 the position occurred before, at least twice before; bits 40 … 47 (rank 6)
//	                      the en passant target square, only if an en passant capture is legal; the others are 0
//
// "The opponent" is that of the side that moves now, and squares are in its frame, as in the planes. A position before
// the start of the line is an empty board.
func (TalbotBot) Pack(dst []uint64, g *board.Game) {
	words := (*[TalbotBotWords]uint64)(dst)
	p := g.Position()
	us := p.Turn()
	them := us.Other()
	for k := range 1 + historyFrames {
		w := (*[boardWords]uint64)(words[boardWords*k:])
		q := g.Previous(k)
		if q == nil {
			*w = [boardWords]uint64{}
			continue
		}
		bit0, bit1, bit2 := q.TypeBits()
		theirs := q.ByColor(them)
		if us == board.Black {
			bit0, bit1, bit2, theirs = bit0.Mirror(), bit1.Mirror(), bit2.Mirror(), theirs.Mirror()
		}
		w[0], w[1], w[2], w[3] = uint64(bit0), uint64(bit1), uint64(bit2), uint64(theirs)
	}
	n := g.Repetitions()
	flags := bit(0, p.CanCastle(us, true)) | bit(1, p.CanCastle(us, false)) | bit(2, p.CanCastle(them, true)) |
		bit(3, p.CanCastle(them, false)) | bit(4, us == board.Black) | bit(5, n >= 1) | bit(6, n >= 2)
	if ep := p.EnPassant(); ep != board.NoSquare {
		flags |= rank6 & (fileA << ep.File())
	}
	words[flagsWord] = flags
}

// bit is bit i if on.
func bit(i int, on bool) uint64 {
	var b uint64
	if on { // compiled without a jump
		b = 1
	}
	return b << i
}

// Position returns the position that a packed input shows, without counters. It is in the mover's frame, that is with
// White to move, and so the mirrored one of a position with Black to move. An error says why the input shows none.
func (TalbotBot) Position(packed []uint64) (board.Position, error) {
	s := board.Setup{Turn: board.White}
	w := packed[:boardWords]
	kinds := [6]uint64{w[0] &^ (w[1] | w[2]), w[1] &^ (w[0] | w[2]), w[0] & w[1] &^ w[2], w[2] &^ (w[0] | w[1]),
		w[0] & w[2] &^ w[1], w[1] & w[2] &^ w[0]}
	for i, squares := range kinds {
		pt := board.Pawn + board.PieceType(i)
		s.PutAll(board.NewPiece(board.White, pt), board.Bitboard(squares&^w[3]))
		s.PutAll(board.NewPiece(board.Black, pt), board.Bitboard(squares&w[3]))
	}
	flags := packed[flagsWord]
	for i := range 4 {
		if flags>>i&1 != 0 {
			s.AllowCastling(board.Color(i/2), i%2 == 0)
		}
	}
	if ep := flags & rank6; ep != 0 {
		s.Passed(board.Square(bits.TrailingZeros64(ep)))
	}
	return s.Position()
}
