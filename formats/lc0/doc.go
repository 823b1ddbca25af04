// Package lc0 reads the training data of Leela Chess Zero: games with the visits of every legal move, and the search's
// value and chance of a draw.
//
// In: the unpacked bytes of a chunk, which is one game, or of a tar archive of packed chunks. Out: games as lines, with
// visits as policies and values as labels ([Reader]). The format has no moves: those that are not named are found by
// comparing a position with the next one, and every move must lead to the position that the next record has. A game
// that breaks the format is a reject, and reading goes on at the next chunk. Memory is bounded by the longest game that
// is read, 20,000 plies, whatever sizes a file claims.
//
// The layout is that of lc0's trainingdata_v6.h and encoder and of lczero-training's chunkparser, and files that lc0
// wrote are read in tests. A chunk is records of one size, one for each position from which a move was played,
// little-endian. All is in the frame of the side to move: for Black ranks are mirrored and colours swapped.
//
//	version  bytes  offsets
//	3        8276   0 version; 4 probabilities; 7436 planes; 8268 castling; 8272 Black moves; 8273 plies since a
//	                capture or move of a pawn; 8275 result
//	4        8292   as 3; 8276 root_q, best_q, root_d, best_d
//	5        8308   0 version; 4 input format; 8 probabilities; 7440 planes; 8272 castling; 8276 Black moves, or file
//	                of an en passant square; 8277 plies; 8278 transformations; 8279 result; 8280 as in 4 from 8276
//	6        8356   as 5 without 8279; 8308 result_q, result_d; 8340 visits, 8344 the index of the move played, 8346
//	                that of the best one
//
// Probabilities are 1858 floats: the share of the visits that each legal move has, −1 (0 in version 3) where it is
// illegal, by the numbers of Leela's moves: for each square in ascending order the targets of a queen and a knight
// there in ascending order (a promotion among them is one to a knight), then promotions to queen, rook and bishop from
// a7a8 to h7h8. Castling is the king's move to its rook's square; its own two squares are read too.
//
// Planes are 104 words of which only those of the position itself are read, and the pawns of the one before it where a
// square en passant is not stated: pawns, knights, bishops, rooks, queens and king of the mover, then of the other
// side. Byte r is rank r+1, and its highest bit is file a. Input formats 1 and 2 are classical, 3, 4, 5, 132 and 133
// turn positions: bits 0 to 2 of the transformations say if files were mirrored, then ranks, then squares on the
// diagonal from h1 to a8, and bit 7 if Black moves. The castling bytes (own queen side, own king side, theirs) are 0
// or 1 in format 1, else a bit for the rook's file.
package lc0
