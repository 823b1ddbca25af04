package rows

import (
	"bytes"

	"talbot/board"
)

// The kinds of rows are recognised by the first line of a text that is neither blank nor a comment; the functions get
// the beginning of a text. A text is of one kind at most.

// firstRow returns the first line of a text that is neither blank nor a comment; empty if there is none.
func firstRow(head []byte) []byte {
	rest := bytes.TrimPrefix(head, []byte("\ufeff"))
	for len(rest) > 0 {
		rest = bytes.TrimLeft(rest, " \t\r\n\v\f\x00")
		line := rest
		if i := bytes.IndexAny(rest, "\n\r"); i >= 0 {
			line = rest[:i]
		}
		if !isCommentRow(line) {
			return line
		}
		rest = rest[len(line):]
	}
	return nil
}

// LooksLikePuzzles reports whether a text holds puzzles: by the name of its first column, or by a first row whose
// second field has the form of a FEN and whose third begins with a move in coordinates.
func LooksLikePuzzles(head []byte) bool {
	fields := bytes.SplitN(firstRow(head), []byte(","), 4)
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
