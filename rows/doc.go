// Package rows reads texts of one position a row: puzzles ([PuzzleReader]), EPD ([EPDReader]) and tables of evaluations
// ([TableReader]). It also opens any text that talbot reads, games included, packed or not ([Open]).
//
// In goes a file or a stream, out come lines ([dataset.Line]), evaluations ([dataset.Imported]) and rejects
// ([dataset.Reject]). The package starts no goroutines; readers belong to one goroutine each.
package rows
