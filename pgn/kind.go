package pgn

import (
	"bytes"
	"io"

	"talbot/dataset"
)

// Kind is what a stream of text holds.
type Kind uint8

const (
	KindUnknown Kind = iota // neither, or empty
	KindGames               // PGN
	KindPuzzles             // Lichess puzzle CSV, with or without header
	KindEPD                 // positions with operations
	KindTable               // positions with evaluations
)

// String returns "unknown", "games", "puzzles", "epd" or "table".
func (k Kind) String() string {
	return [...]string{"unknown", "games", "puzzles", "epd", "table"}[min(k, KindTable)]
}

// Kind looks at the start of the decompressed text, without consuming it. Call it before the first Read.
func (in *Input) Kind() (Kind, error) {
	head, err := in.text.Peek(peekSize)
	if kind := KindOf(head); kind != KindUnknown || err == nil || err == io.EOF {
		return kind, nil
	}
	return KindUnknown, in.explain(err)
}

// KindOf tells what a text holds by its first bytes; 64 KiB are plenty. Tables of evaluations and EPD are told by
// their first line, see [dataset.LooksLikeTable] and [dataset.LooksLikeEPD]. Puzzles are told by the name
// of their first column, or by a first row whose second field has the form of a FEN and whose third begins with a
// move in coordinates. Games are told by a line that starts with a tag, or else by a first move number
// or a first word in the form of a move.
func KindOf(head []byte) Kind {
	head = head[skipSpace(head, 0):]
	line := head
	if i := indexLineEnd(head); i >= 0 {
		line = head[:i]
	}
	switch {
	case isPuzzleRow(line):
		return KindPuzzles
	case dataset.LooksLikeTable(bytes.Trim(line, " \t\r\x00")):
		return KindTable
	case dataset.LooksLikeEPD(line):
		return KindEPD
	}
	for rest := head; len(rest) > 0; {
		if _, _, ok := tagName(rest); ok {
			return KindGames
		}
		i := indexLineEnd(rest)
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		rest = rest[skipSpace(rest, 0):]
	}
	var moves commentScanner
	moves.reset(0, true)
	for moves.pos < len(head) { // find the first word outside comments
		if !moves.brace && !moves.rest {
			at := skipSpace(head, moves.pos)
			if at < len(head) && head[at] != '{' && head[at] != ';' && head[at] != '%' {
				if isMoveStart(head[at:]) {
					return KindGames
				}
				break
			}
		}
		moves.advance(head, moves.pos+1)
	}
	return KindUnknown
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
	return bytes.Count(fields[1], []byte("/")) == 7 && isSquares(fields[2])
}

// isMoveStart reports whether text begins with a move number and a dot, or with a move.
func isMoveStart(text []byte) bool {
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	if i > 0 {
		return i < len(text) && text[i] == '.'
	}
	if isSquares(text) {
		return true
	}
	for i < len(text) && i < 6 && bytes.IndexByte([]byte("KQRBNPOabcdefghx-12345678"), text[i]) >= 0 {
		i++
	}
	return i >= 2 && (i == len(text) || isSpace(text[i]) || bytes.IndexByte([]byte("+#!?="), text[i]) >= 0)
}

// isSquares reports whether text begins with two squares, as in “e2e4”.
func isSquares(text []byte) bool {
	if len(text) < 4 {
		return false
	}
	file := func(c byte) bool { return c >= 'a' && c <= 'h' }
	rank := func(c byte) bool { return c >= '1' && c <= '8' }
	return file(text[0]) && rank(text[1]) && file(text[2]) && rank(text[3])
}
