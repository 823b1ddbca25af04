// Package tactics finds, in labelled games, the positions where only one move holds the advantage.
//
// [Request] reads a labelled dataset and writes another one of the games with such positions. It starts no goroutines.
package tactics
