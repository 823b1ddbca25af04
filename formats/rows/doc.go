// Package rows reads texts of one position a row: puzzles ([PuzzleReader]), EPD ([EPDReader]), tables of evaluations
// ([TableReader]) and “FEN | score | result” ([ScoreTextReader]). It also opens any input that
// talbot reads, games included, packed or not ([Open]).
//
// Readers turn a file or a stream into lines ([dataset.Line]), evaluations ([dataset.Imported]) and rejects
// ([dataset.Reject]). The package starts no goroutines; each reader belongs to one goroutine.
package rows
