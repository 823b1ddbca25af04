// Package binpack reads and writes Stockfish's binpack files, in which most published training data of NNUE networks
// is: chains of consecutive positions with moves, scores and the result.
//
// A [Reader] reads a [Chain] at a time from an unpacked file, and a [Writer] writes them. A chain read and written
// again has the same bytes. Each move that is read is legal; what breaks the format or the rules of chess is a [Damage]
// with its place, and reading goes on at the next chunk. Memory is bounded by the size of a chunk, which is at most 100
// MiB and about 1 MiB in real files, whatever a header claims.
//
// The format (data_loader/cpp/lib/binpack.h of official-stockfish/nnue-pytorch). A file is a sequence of chunks, each
// the letters BINP, its size (four bytes, little-endian) and chains. A chain is a stem of 32 bytes, the number n of
// further positions (two bytes; all is big-endian within a chain), and n moves with scores:
//
//	byte  0  occupied squares, bit s is square s, a1 = 0, b1 = 1 … h8 = 63
//	      8  four bits for each of them in ascending order, the lower four of a byte first: pieces 2·type + colour
//	         (pawn, knight, bishop, rook, queen, king), 12 a pawn that can be taken en passant, 13 and 14 a white and
//	         a black rook with the right to castle, 15 the black king with Black to move
//	     24  move: type (0 normal, 1 promotion, 2 castling, 3 en passant; two bits), from, to (six each), promoted to
//	         knight, bishop, rook or queen (two); castling goes to the rook's square; 0 is none
//	     26  score, in zigzag
//	     28  result in zigzag (two bits), ply (14)
//	     30  plies since the last capture or move of a pawn
//
// The n moves are bits, the highest of a byte first, filled up with zeros to a byte. A number below k has as many bits
// as k-1. A move is the index of the piece among those of the side to move, and the index of the destination among its
// pseudo-legal ones, both in ascending order; a pawn that promotes has four indices for each destination, and the
// king's rights to castle follow his steps, queen side first. A score is the difference, in zigzag, to the negated
// score of the position before: groups of five bits, the first of which says whether another follows, the lowest four
// bits first.
//
// Scores are those of the side to move, in a unit that the file does not tell. [NoScore] stands for none.
package binpack
