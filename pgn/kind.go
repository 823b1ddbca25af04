package pgn

import (
	"bytes"

	"talbot/board"
)

// LooksLikeGames reports whether a text holds games, by its beginning; 64 KiB are plenty. Games are recognised by a
// line that starts with a tag, or else by a first move number or a first word in the form of a move.
func LooksLikeGames(head []byte) bool {
	head = head[skipSpace(head, 0):]
	for rest := head; len(rest) > 0; {
		if _, _, ok := tagName(rest); ok {
			return true
		}
		i := indexLineEnd(rest)
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		rest = rest[skipSpace(rest, 0):]
	}
	var moves scanner
	moves.reset(0, true)
	for moves.pos < len(head) { // find the first word outside comments
		if moves.open < 0 && !moves.inLineComment {
			at := skipSpace(head, moves.pos)
			if at < len(head) && head[at] != '{' && head[at] != ';' && head[at] != '%' {
				if _, n := resultAt(head[at:]); n > 0 { // of a game that is cut off
					at = skipSpace(head, at+n)
				}
				return isMoveStart(head[at:])
			}
		}
		moves.step(head, len(head))
	}
	return false
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
	if board.LooksLikeUCI(text) {
		return true
	}
	for i < len(text) && i < 6 && bytes.IndexByte([]byte("KQRBNPOabcdefghx-12345678"), text[i]) >= 0 {
		i++
	}
	return i >= 2 && (i == len(text) || isSpace(text[i]) || bytes.IndexByte([]byte("+#!?="), text[i]) >= 0)
}
