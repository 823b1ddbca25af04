// Package loop lets a network learn from its own games: it plays, is trained on the games, plays again, and so on.
//
// A [Config], read from a file, gives the flags of the commands that do the work; a [Loop] runs them, one after the
// other, in a folder:
//
//	loop.yaml        the file
//	state.json       the step under way, with a checksum
//	gen-000/run      the first network, unless it lies elsewhere
//	gen-001/games    a dataset: games of the network before
//	gen-001/run      a training on the games of the last generations, from the network before
//
// Every step is a command that resumes, so a loop that is killed anywhere ends with the same bytes. The package
// starts no goroutines.
package loop
