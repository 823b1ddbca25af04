// Package dataset holds the words of the data: a [Line] (a start position, the legal moves played from it and where
// it came from), its [Samples], its labels ([LabelColumn], [Label], [Fingerprint]), the [Split] it falls into, and
// the [Manifest] of a dataset folder.
//
// In go manifest files, out come manifests. [Keys] sorts the keys of positions and games that
// are too many for memory. The package starts no goroutines but those of [Keys.Each], which end before it returns;
// values are safe for concurrent reading.
package dataset
