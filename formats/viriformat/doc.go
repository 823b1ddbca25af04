// Package viriformat reads viriformat, in which engines that train with bullet keep the games that they played with
// themselves: whole games with a score for each move.
//
// A [Reader] reads an unpacked file and returns its games as lines with labels. A game with an illegal move is
// rejected, and reading goes on at the next game, as with games that have castling rights of other than standard chess.
// Memory is bounded by the longest game that is read and by 10,000 positions ahead.
//
// The format (crate viriformat 3.0.0; little-endian). A file is a sequence of games without anything between. A game is
// a header of 32 bytes, moves of 4, and 4 bytes of 0:
//
//	byte  0  occupied squares, bit s is square s, a1 = 0, b1 = 1 … h8 = 63
//	      8  four bits for each of them in ascending order, the lower four of a byte first: type (pawn, knight,
//	         bishop, rook, queen, king, 6 a rook with the right to castle), and 8 if it is black
//	     24  en passant square, 64 for none; 128 more if Black moves
//	     25  plies since the last capture or move of a pawn
//	     26  number of the full move, 2 bytes
//	     28  score, not of the game, 2 bytes
//	     30  result: 0 Black won, 1 drawn, 2 White won
//	     31  not used
//
// A move is 2 bytes (from, to, promoted to knight, bishop, rook or queen, type: 0 normal, 1 en passant, 2 castling to
// the rook's square, 3 promotion; 6, 6, 2 and 2 bits, the lowest first) and the score of the position before it, 2
// bytes, in centipawns from White's view. Engines have their own numbers for mates, so what is beyond ±30000 is read as
// that.
package viriformat
