package rows

import (
	"bytes"

	"talbot/board"
)

// Kind is what a stream of text holds.
type Kind uint8

const (
	KindUnknown   Kind = iota // none of these, or empty
	KindGames                 // PGN, which package pgn knows and reads; KindOf never returns it
	KindPuzzles               // Lichess puzzle CSV, with or without header
	KindEPD                   // positions with operations
	KindTable                 // positions with evaluations
	KindEvalLines             // the same as Lichess's lines of JSON
)

// KindOf tells puzzles, EPD and tables of evaluations by their first line that is neither blank nor a remark; head is
// the beginning of the text. Puzzles are told by the name of their first column, or by a first row whose second field
// has the form of a FEN and whose third begins with a move in coordinates; lines of JSON by their keys; for the others
// see [LooksLikeTable] and [LooksLikeEPD].
func KindOf(head []byte) Kind {
	line := firstRow(head)
	switch {
	case looksLikeEvalLine(line):
		return KindEvalLines
	case isPuzzleRow(line):
		return KindPuzzles
	case LooksLikeTable(bytes.Trim(line, " \t\r\x00")):
		return KindTable
	case LooksLikeEPD(line):
		return KindEPD
	}
	return KindUnknown
}

// firstRow returns the first line of a text that is neither blank nor a remark; empty if there is none.
func firstRow(head []byte) []byte {
	rest := bytes.TrimPrefix(head, []byte("\ufeff"))
	for len(rest) > 0 {
		rest = bytes.TrimLeft(rest, " \t\r\n\v\f\x00")
		line := rest
		if i := bytes.IndexAny(rest, "\n\r"); i >= 0 {
			line = rest[:i]
		}
		if !isRemark(line) {
			return line
		}
		rest = rest[len(line):]
	}
	return nil
}

// isPuzzleRow reports whether line is the header or a row of a puzzle file.
func isPuzzleRow(line []byte) bool {
	fields := bytes.SplitN(line, []byte(","), 4)
	if len(fields) < 3 {
		return false
	}
	for i, f := range fields {
		fields[i] = bytes.Trim(f, `" `)
	}
	if string(fields[0]) == "PuzzleId" {
		return true
	}
	return bytes.Count(fields[1], []byte("/")) == 7 && board.LooksLikeUCI(fields[2])
}
