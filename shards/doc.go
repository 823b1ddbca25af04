// Package shards writes lines to zstd files and reads them back.
//
// A [Writer] takes lines and leaves one shard, whole or not at all; a [Reader] gives a shard's lines block by block,
// in any order; a [Dataset] is a folder of shards with its manifest; [Verify] reads all of it again and replays
// every line. docs/8-format.md specifies the bytes.
//
// Everything that is read is checked before it is used: the sizes that a file claims are bounded, and a cut or a
// flipped byte gives [dataset.ErrDamaged] with file and place.
//
// A Writer runs up to its number of workers goroutines while it compresses, none after Commit or Abort; [Verify]
// runs its workers until it returns; the rest starts none. Readers are safe for concurrent use, writers are not.
package shards
