// Package durable keeps files whole: what a reader finds under a name was written to its end, is on the disk, and is
// what was written.
//
// A file is written whole or not at all ([AtomicFile], [WriteFile]), a folder has one writer at a time ([Lock]), a JSON
// file ends with its checksum ([Seal], [Unseal]), a journal grows by records that have theirs ([RecordWriter],
// [RecordReader]), and what is opened for reading is a regular file ([OpenRegular]). Tests can make every step of
// writing fail ([InjectFaults]).
//
// Only a RecordWriter starts goroutines, one at a time, which its Close waits for. Values belong to one goroutine;
// functions may be called from any.
package durable
