// Package parquet reads Parquet files in which others publish evaluations, games and puzzles (the columns of Lichess's
// datasets on Hugging Face), as lines.
//
// A file must allow reading at any place, since its directory is at its end. It is read row by row, as lines and labels
// ([Evaluations], [Puzzles]) or as the text of games ([Games]). Only the columns needed are read, page by page.
//
// It reads flat columns and lists of plain values, pages of version 1 and 2 that are not compressed or compressed with
// snappy, zstd or gzip, and the encodings PLAIN, RLE_DICTIONARY, DELTA_BINARY_PACKED and DELTA_LENGTH_BYTE_ARRAY;
// anything else is refused by name ([ErrUnsupported]).
//
// The structures of the format come from parquet-go, but pages are decoded here: a library trusts the counts and sizes
// that a file claims, and a hundred bytes can claim gigabytes. Here runs and differences are decoded value by value, so
// that memory is bounded by a page and a dictionary of each column that is read ([maxPage]), whatever a file says.
// Damage costs the rest of its row group, with its place; reading goes on at the next.
//
// The package starts no goroutines; a reader belongs to one.
package parquet
