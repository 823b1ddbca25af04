// Package board is the rules of chess on bitboards: positions, legal moves, FEN, SAN and UCI text, hash keys,
// repetitions, and the end of the game.
//
// It reads FEN, SAN and UCI text. A [Position] is plain data of 88 bytes, to be copied freely and compared with ==; a
// [Move] has 16 bits. The package starts no goroutines, keeps no mutable state, and is safe for concurrent use.
//
// Squares count a1 = 0, b1 = 1, … h8 = 63; bit i of a [Bitboard] is square i. A Position is always legal (see
// [Position.Validate]) and canonical: its en passant square is set only if an en passant capture is legal, so equal
// keys mean equal positions for repetition, hashing and encoding.
//
// Standard chess only: castling is one move with one encoding, the king's two squares, and rights imply king and rook
// on their home squares.
package board
