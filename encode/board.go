package encode

import "talbot/board"

// boardWords are the words of a board in a packed input: [packBoard].
const boardWords = 4

// packBoard writes what stands on a board to dst[:4], in the frame of the side us:
//
//	words 0, 1, 2  bits 0, 1 and 2 of what stands on each square: 0 nothing, 1 … 6 a P N B R Q K; bit s is square s
//	word  3        where the opponent's pieces stand
func packBoard(dst []uint64, p *board.Position, us board.Color) {
	w := (*[boardWords]uint64)(dst)
	bit0, bit1, bit2 := p.TypeBits()
	theirs := p.ByColor(us.Other())
	if us == board.Black {
		bit0, bit1, bit2, theirs = bit0.Mirror(), bit1.Mirror(), bit2.Mirror(), theirs.Mirror()
	}
	w[0], w[1], w[2], w[3] = uint64(bit0), uint64(bit1), uint64(bit2), uint64(theirs)
}

// unpackPieces writes the own P N B R Q K of a board of four words, then the opponent's.
func unpackPieces(planes *[12]uint64, w []uint64) {
	for i := range 6 {
		kind := ^uint64(0)
		for bit := range 3 {
			if (i+1)>>bit&1 != 0 {
				kind &= w[bit]
			} else {
				kind &^= w[bit]
			}
		}
		planes[i], planes[6+i] = kind&^w[3], kind&w[3]
	}
}

// spread writes planes as 0 and 1.
func spread(dst []float32, planes []uint64) {
	for i, plane := range planes {
		for square := range 64 {
			dst[64*i+square] = float32(plane >> square & 1)
		}
	}
}

// ones is a plane of ones, or of zeros.
func ones(on bool) uint64 {
	if on {
		return ^uint64(0)
	}
	return 0
}

// bit is bit i if on.
func bit(i int, on bool) uint64 {
	var b uint64
	if on { // compiled without a jump
		b = 1
	}
	return b << i
}

// castling are the rights: the mover's by the king's side and by the queen's, then the opponent's.
func castling(p *board.Position) uint64 {
	us, them := p.Turn(), p.Turn().Other()
	return bit(0, p.CanCastle(us, true)) | bit(1, p.CanCastle(us, false)) | bit(2, p.CanCastle(them, true)) |
		bit(3, p.CanCastle(them, false))
}

// orientMove turns a move into the frame of the side to move, and back.
func orientMove(turn board.Color, m board.Move) board.Move {
	if turn == board.White {
		return m
	}
	return m.Mirror()
}
