// Package remake decides what a command does with an output that is there already.
//
// Commands that are repeated, by hand or by a build tool, ask the same question: is it done? Each kind of output says
// what it was made from and with, as a list of [Fact]s from the files that it has anyway: a dataset from its manifest,
// a run from run.json and data.json, a match from the header of its journal. What has no such files, a single file of
// another program's format, gets a [Record] beside it. [Wish.Place] compares that with what is asked for now and
// answers with the folder to work in: the output itself, to begin or to resume it, or one beside it, which [Swap] puts
// in its place when it is whole.
//
// The package starts no goroutines.
package remake
