package encode

import (
	"fmt"
	"math/bits"

	"talbot/board"
)

// LegalWords is the number of 64-bit words of a [TalbotBot.LegalMask]: one for each move plane.
const LegalWords = movePlanes

// TalbotBotPast is the first of the planes that depend on more than the present position: repetitions and history.
const TalbotBotPast = repetitionPlane

// Position returns the position that the first 18 planes show, without counters. It is in the mover's frame, that is with
// White to move, and so the mirrored one of a position with Black to move. An error says why they show none.
func (TalbotBot) Position(planes []uint64) (board.Position, error) {
	s := board.Setup{Turn: board.White}
	for i, b := range planes[:castlingPlane] {
		piece := board.NewPiece(board.Color(i/6), board.Pawn+board.PieceType(i%6))
		for ; b != 0; b &= b - 1 {
			s.Put(piece, board.Square(bits.TrailingZeros64(b)))
		}
	}
	for i, right := range planes[castlingPlane:blackPlane] {
		if right != 0 {
			s.AllowCastling(board.Color(i/2), i%2 == 0)
		}
	}
	if ep := planes[enPassantPlane]; ep != 0 {
		s.Passed(board.Square(bits.TrailingZeros64(ep)))
	}
	return s.Position()
}

// LegalMask writes the legal moves of the position that the planes show to dst[:LegalWords]: bit s of word m is the move
// from square s with move plane m, index 73·s + m.
func (e TalbotBot) LegalMask(dst, planes []uint64) error {
	p, err := e.Position(planes)
	if err != nil {
		return fmt.Errorf("the planes show no position: %w", err)
	}
	clear(dst[:LegalWords])
	var buf [board.MaxMoves]board.Move
	for _, m := range p.LegalMoves(buf[:0]) {
		index := e.MoveIndex(&p, m)
		dst[index%movePlanes] |= 1 << (index / movePlanes)
	}
	return nil
}
