// Package pgn reads chess games from PGN text.
//
// It turns a file or a stream, plain or compressed ([rows.Open]), into lines ([dataset.Line]) and rejects
// ([dataset.Reject]). The work is split so that it can run on several workers: a [Splitter] finds where games begin and
// hands out their raw text in batches, in one goroutine and at the speed of memory; each worker has a [Parser], which
// resolves and plays every move of a game. One bad game costs one game.
//
// The package starts no goroutines.
package pgn
