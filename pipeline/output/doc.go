// Package output writes the folder of a dataset so that the work can be interrupted at any moment and resumed.
//
// A [Folder] takes lines, in order, and a verb's own state, and becomes a finished dataset. Until then it holds
// finished shards and progress.json, which has a checksum and says how far the work has come; repeating the same
// command resumes there. Only a finished folder has a manifest.json.
//
// A verb that must see all lines before it knows which of them to keep first writes drafts of the shards, and writes
// them again at the end ([Folder.FinishDrafts]).
//
// Only [Folder.Blocks], [Folder.FinishDrafts] and the writers of shards start goroutines, which end before the calls
// return.
package output
