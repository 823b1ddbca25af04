package encode

import "talbot/board"

// LegalWords is the number of 64-bit words that hold the legal moves of a position: [TalbotBot.Pack].
const LegalWords = 16

// legalMask writes the legal moves of side us by where they arrive, in the mover's frame. Bit s of words 0 … 7 is a
// move to square s towards N, NE, E, SE, S, SW, W or NW, bit s of words 8 … 15 a knight's move to square s by the steps
// of move planes 56 … 63.
//
// That is all there is to know: a piece that arrives by a knight's step has come from one square, and one that slides
// is the first piece behind the square it arrives at, castling kings and pawns on their double step included.
// Underpromotions are left out, for they are legal where the promotion to a queen is.
func legalMask(mask *[LegalWords]uint64, us board.Color, legal []board.Move) {
	*mask = [LegalWords]uint64{}
	for _, m := range legal {
		m = orientMove(us, m)
		plane := planeOf[board.NewMove(m.From(), m.To())]
		if plane < knightPlane {
			mask[plane/7] |= 1 << m.To()
		} else {
			mask[8+plane-knightPlane] |= 1 << m.To()
		}
	}
}
