// Package rows reads texts of one position a row: puzzles ([PuzzleReader]), EPD ([EPDReader]), tables of evaluations
// ([TableReader]), lines of JSON ([EvalLineReader]) and “FEN | score | result” ([ScoreTextReader]). It also opens any
// input that talbot reads, games included, packed or not ([Open]).
//
// A LooksLike function gets the beginning of a text and recognises its kind by the first line that is neither blank nor
// a remark. At most one of them fits: each must exclude the others, because callers use some of them alone.
//
// Readers turn a file or a stream into lines ([dataset.Line]), evaluations ([dataset.Imported]) and rejects
// ([dataset.Reject]). The package starts no goroutines; each reader belongs to one goroutine.
package rows
