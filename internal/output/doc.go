// Package output makes datasets, runs, matches, loops and single files whole or not at all, and knows whether one is
// done.
//
// An output keeps what it was made from and with, as a list of [Fact]s or in files from which they follow: a dataset
// its manifest, a run run.json and data.json, a match the header of its journal, a single file a record beside it.
// [Existing.Resolve] compares the facts of an existing output with those that are asked for now, and returns the folder
// to work in: the output itself, to start or resume it, or one beside it, which [Swap] puts in its place.
//
// A [Folder] is a dataset being made. It takes lines, in order, and a verb's state, and becomes a finished dataset.
// Until then it holds finished shards and progress.json, which has a checksum and tells how far the work has come;
// repeating the command resumes there. Only a finished folder has a manifest.json. A verb that must see all lines
// before it knows which of them to keep first writes drafts of the shards, and writes them again at the end
// ([Folder.FinishDrafts]).
//
// Only [Folder.Blocks], [Folder.FinishDrafts] and the writers of shards start goroutines, which end before the calls
// return.
package output
