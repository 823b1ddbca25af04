// Package polyglot reads and writes opening books of the format Polyglot (.bin), which GUIs, engines and bots read.
//
// A [Book] is read where it lies: memory does not depend on its size. A [Builder] counts moves and writes a book; it
// keeps its entries in memory. What is not in order in a file is an error when it is opened.
//
// The format (http://hgm.nubati.net/book_format.html). A file is a sequence of entries of 16 bytes, big-endian, in
// ascending order of their keys:
//
//	byte  0  key of the position (see [Key])
//	      8  move: to file, to rank, from file, from rank (three bits each, the lowest first), and what a pawn
//	         promotes to: 0 nothing, 1 knight, 2 bishop, 3 rook, 4 queen; castling goes from the king to its rook
//	     10  weight: how often the move should be played, relative to the other moves of the position
//	     12  used by programs that learn; 0 in books written here, and not read
package polyglot
