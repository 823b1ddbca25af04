// Package output makes the folder of a dataset so that work on it can be interrupted at any moment and go on.
//
// In go lines, in order, and a verb's own state; out comes a finished dataset. Until then the [Folder] holds finished
// shards and progress.json, which is under a checksum and says how far the work has come; repeating the same command
// takes it up there. Only a finished folder has a manifest.json.
//
// A verb that must see all lines before it can say which of them stay writes drafts of the shards first and writes them
// again at the end ([Folder.FinishDrafts]).
//
// The package starts goroutines only in [Folder.Blocks], [Folder.FinishDrafts] and the writers of shards, and ends them
// before the calls return.
package output
