package pgn

import (
	"bytes"
	"errors"

	"talbot/board"
	"talbot/dataset"
)

// Conflict says which parts of a game contradict each other: sources of its result, or its text and its moves.
type Conflict struct {
	Movetext bool // the tag, and the result after the moves
	Board    bool // mate or stalemate on the board, and one of the two
	Moves    bool // the text and the moves; see [Parser.KeepConflicts]
}

var errConflict = errors.New("tag, movetext and board do not agree on the result")

// settleResult returns the result of a game whose moves are read, by the rule.
func (p *Parser) settleResult(tag dataset.Result) (dataset.Result, *dataset.Reject) {
	end := dataset.ResultUnknown // of the moves
	if !p.pos.HasLegalMove() {
		switch {
		case !p.pos.InCheck():
			end = dataset.Draw
		case p.pos.Turn() == board.White:
			end = dataset.BlackWins
		default:
			end = dataset.WhiteWins
		}
	}
	conflict := func(a, b dataset.Result) bool {
		return a != b && a != dataset.ResultUnknown && b != dataset.ResultUnknown
	}
	p.conflict = Conflict{Movetext: conflict(tag, p.result), Board: conflict(end, tag) || conflict(end, p.result),
		Moves: p.contradicts}
	first, second := tag, p.result
	switch {
	case !p.conflict.Movetext && !p.conflict.Board:
	case p.Results == dataset.DropConflicts:
		return 0, p.reject(dataset.ResultConflict, 0, 0, errConflict)
	case p.Results == dataset.MovetextResult:
		first, second = p.result, tag
	case p.Results == dataset.BoardResult && p.conflict.Board:
		return end, nil
	}
	if first == dataset.ResultUnknown {
		return second, nil
	}
	return first, nil
}

// Conflict returns what is contradictory about the result of the last game that was read to its end.
func (p *Parser) Conflict() Conflict { return p.conflict }

// resultAt returns the result that text opens with and its length, or 0. The two numbers are joined by a hyphen, a dash
// or a colon, with blanks around it or not; halves are “1/2”, “½”, “0.5” or “0,5”, and one half alone is a draw. A
// longer word, such as castling “0-0-0”, is not a result.
func resultAt(text []byte) (dataset.Result, int) {
	if len(text) > 0 && text[0] == '*' {
		return dataset.ResultUnknown, 1
	}
	white, n := halvesAt(text)
	if n == 0 {
		return dataset.ResultUnknown, 0
	}
	if join := wideJoinAt(text[n:]); join > 0 {
		if black, m := halvesAt(text[n+join:]); m > 0 && white+black == 2 && endsWord(text[n+join+m:]) {
			return [...]dataset.Result{dataset.BlackWins, dataset.Draw, dataset.WhiteWins}[white], n + join + m
		}
	}
	if white == 1 && (text[0] == '1' || text[0] >= 0x80) && joinAt(text[n:]) == 0 && endsWord(text[n:]) {
		return dataset.Draw, n
	}
	return dataset.ResultUnknown, 0
}

// halvesAt returns the score that text opens with in halves of a point, and its length.
func halvesAt(text []byte) (halves, length int) {
	for _, half := range [...]string{"1/2", "½", "0.5", "0,5", "\xbd"} {
		if bytes.HasPrefix(text, []byte(half)) {
			return 1, len(half)
		}
	}
	if len(text) > 0 && (text[0] == '0' || text[0] == '1') {
		return 2 * int(text[0]-'0'), 1
	}
	return 0, 0
}

// dashAt returns the length of the hyphen or dash that text opens with, or 0.
func dashAt(text []byte) int {
	if len(text) > 0 && text[0] == '-' {
		return 1
	}
	if len(text) > 0 && text[0] >= 0x80 {
		if letter, size, ok := letterAt(text); ok && letter == '-' {
			return size
		}
	}
	return 0
}

// joinAt is dashAt, and takes a colon too.
func joinAt(text []byte) int {
	if len(text) > 0 && text[0] == ':' {
		return 1
	}
	return dashAt(text)
}

// wideJoinAt is joinAt with the blanks of a line around it, which count.
func wideJoinAt(text []byte) int {
	i := skipWide(text, 0)
	n := joinAt(text[i:])
	if n == 0 {
		return 0
	}
	return skipWide(text, i+n)
}

// endsWord reports whether text goes on with anything but more of a word.
func endsWord(text []byte) bool {
	switch {
	case len(text) == 0:
		return true
	case text[0] >= 0x80:
		k, _ := kindAt(text)
		return dashAt(text) == 0 && (k == blank || k == annotation || k == ellipsis)
	}
	return !moveBytes[text[0]] || text[0] == ':'
}
