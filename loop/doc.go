// Package loop has a network learn by itself: it plays games, is trained on them, plays the next ones, and so on.
//
// A [Config], as a file says it, gives the flags of the commands that do the work; a [Loop] runs them, one after the
// other, in a folder:
//
//	loop.yaml        the file
//	state.json       the step under way, with a checksum
//	gen-000/run      the first network, unless it lies elsewhere
//	gen-001/games    a dataset: games of the network before
//	gen-001/run      a training on the games of the last generations, from the network before
//
// Every step is a command that resumes, so a loop that was killed anywhere goes on to the same bytes. The package
// starts no goroutines.
package loop
