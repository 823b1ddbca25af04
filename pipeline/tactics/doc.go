// Package tactics finds, in labelled games, the positions where one move alone holds the advantage.
//
// In goes a labelled dataset ([Request]), out comes another one of the games with such positions. It starts no
// goroutines.
package tactics
