// Package inspect contains the verbs that look at datasets and at files, one folder each:
//
//	stats    dataset → figures
//	verify   datasets → their damage, and whether splits leak
//	diff     two datasets → how they differ
//	samples  dataset → samples as training sees them
//	solve    puzzles and a player → which it solves
//	plan     files → what all of it would take
//	review   labelled games → what each move lost, as pages and PGN; puzzles and traps
//
// A request that reads lines does so by [talbot/shards.Dataset.EachLine], and [talbot/dataset.Line.Replay] gives a
// line's positions.
package inspect
