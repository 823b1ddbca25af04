// Package mates knows the result and the distance to mate of every position of three pieces: queen, rook or pawn
// against a lone king.
//
// [Find] answers for a position. The answers are computed by retrograde analysis when the first one is asked for, in a
// fraction of a second, and take 1.5 MB of memory; nothing is read from disk. The package starts no goroutines and is
// safe for concurrent use.
//
// Distances are those of Gaviota's and Nalimov's tables: plies to mate with best play of both sides, whatever the
// 50-move rule says. [Answer.Within] tells whether that rule leaves enough plies.
package mates
