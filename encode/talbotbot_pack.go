package encode

import (
	"slices"

	"talbot/board"
)

// TalbotBotWords is the number of 64-bit words of a packed input: 168 bytes.
const TalbotBotWords = boardWords*(1+historyFrames) + 1

const flagsWord = TalbotBotWords - 1

// A pawn of the opponent's was passed on rank 6 of the mover's frame.
const (
	fileA = uint64(0x0101010101010101)
	rank6 = uint64(0xff) << 40
)

// Pack writes the present position and its past to dst[:21], and with LegalMask the legal moves after them:
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
func (e TalbotBot) Pack(dst []uint64, v *View) {
	g, words := v.Game, (*[TalbotBotWords]uint64)(dst)
	p := g.Position()
	us := p.Turn()
	for k := range 1 + historyFrames {
		w := (*[boardWords]uint64)(words[boardWords*k:])
		q := g.Previous(k)
		if q == nil {
			*w = [boardWords]uint64{}
			continue
		}
		packBoard(w[:], q, us)
	}
	n := g.Repetitions()
	flags := castling(p) | bit(4, us == board.Black) | bit(5, n >= 1) | bit(6, n >= 2)
	if ep := p.EnPassant(); ep != board.NoSquare {
		flags |= rank6 & (fileA << ep.File())
	}
	words[flagsWord] = flags
	if e.LegalMask {
		legalMask((*[LegalWords]uint64)(dst[TalbotBotWords:]), us, v.Legal())
	}
}

// The flags of what an input can be shown without, or as.
const (
	blackFlag       = 1 << 4
	repetitionFlags = 3 << 5
)

var talbotBotNoHistory, talbotBotOtherColour = func() (noPast, otherColour InputTransform) {
	all := make([]uint64, TalbotBotWords)
	for i := range all {
		all[i] = ^uint64(0)
	}
	noPast = InputTransform{slices.Clone(all), make([]uint64, TalbotBotWords)}
	clear(noPast.And[boardWords:flagsWord])
	noPast.And[flagsWord] &^= repetitionFlags
	otherColour = InputTransform{all, make([]uint64, TalbotBotWords)}
	otherColour.Xor[flagsWord] = blackFlag
	return noPast, otherColour
}()

// Unpack writes the 68 planes as 0 and 1, squares in the order of their numbers.
func (TalbotBot) Unpack(dst []float32, packed []uint64) {
	var planes [TalbotBotPlanes]uint64
	unpack(&planes, packed)
	spread(dst, planes[:])
}

// unpack writes the planes of a packed input.
func unpack(planes *[TalbotBotPlanes]uint64, packed []uint64) {
	for k := range 1 + historyFrames {
		w := packed[boardWords*k:]
		first := 0
		if k > 0 {
			first = historyPlane + 12*(k-1)
		}
		unpackPieces((*[12]uint64)(planes[first:]), w)
	}
	flags := packed[flagsWord]
	for i, plane := range [...]int{castlingPlane, castlingPlane + 1, castlingPlane + 2, castlingPlane + 3, blackPlane,
		repetitionPlane, repetitionPlane + 1} {
		planes[plane] = ones(flags>>i&1 != 0)
	}
	planes[enPassantPlane] = flags & rank6
}
