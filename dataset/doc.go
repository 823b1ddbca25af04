// Package dataset holds the words of the data: a [Line] (a start position, the legal moves played from it and where
// it came from), its [Samples], its labels ([LabelColumn], [Label], [Fingerprint]), the [Split] it falls into, and
// the [Manifest] of a dataset folder.
//
// The package reads and writes manifests; lines are stored by package shards. [Keys] sorts more keys of positions and
// games than fit into memory. Only [Keys.Each] starts goroutines, which end before it returns. Values are safe for
// concurrent reading.
package dataset
