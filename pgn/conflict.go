package pgn

import (
	"bytes"
	"errors"

	"talbot/board"
	"talbot/dataset"
)

// A text that contradicts its moves has lost or gained some, or means others by their letters, though every one is
// legal. Such a game is rejected as [dataset.MoveConflict], or kept and counted (see [Parser.KeepConflicts]):
//
//   - A move number of the main line is not the board's. Numbers are those of the FEN tag, or begin at 1; what the
//     first one says holds for all. Without a FEN tag they begin at 1, or with a number 0. Two dots or more after a
//     number are Black's.
//   - A capture mark where nothing is taken, as Nxf3 to an empty square.
//   - Letters of pieces that make other legal moves in another language, where something speaks against English (see
//     language.go).
//   - Moves that go on after “*”, or after a tag among them (see sequel.go).

var (
	errNumber  = errors.New("the move number does not agree with the board")
	errCapture = errors.New("nothing is captured there")
	errBetween = errors.New("moves behind *")
	errTagged  = errors.New("the game goes on behind a tag")
)

// contradict notes that text[from:to] contradicts the moves: it returns a reject, or nil if such games are kept.
func (p *Parser) contradict(from, to int, err error) *dataset.Reject {
	if p.KeepConflicts {
		p.contradicts = true
		return nil
	}
	return p.reject(dataset.MoveConflict, from, to, err)
}

// numbering compares move numbers with the board.
type numbering struct {
	half    int  // twice the number of the start position's move, plus 1 if Black is to move
	shift   int  // of the numbers in the text against the board's
	settled bool // the shift is known from a number
}

func newNumbering(start *board.Position) numbering {
	return numbering{half: 2*start.FullmoveNumber() + int(start.Turn())}
}

// black reports whether Black is to move after that many plies.
func (c *numbering) black(plies int) bool { return (c.half+plies)&1 == 1 }

// agrees reports whether n is the number of the move after that many plies.
func (c *numbering) agrees(n, plies int) bool {
	ok := n == (c.half+plies)>>1+c.shift
	c.settled = c.settled || ok
	return ok
}

// accept is agrees for a number's digits. The first number sets where the numbers begin.
func (c *numbering) accept(digits []byte, plies int) bool {
	n := wholeNumber(digits, 1<<20)
	if c.agrees(n, plies) {
		return true
	}
	if c.settled {
		return false
	}
	c.settled = true
	if c.shift = min(n, 1) - c.half>>1; c.agrees(n, plies) {
		return true
	}
	c.shift = 0
	return false
}

// isBlackNumber reports whether the text after the digits of a move number makes it Black's.
func isBlackNumber(behind []byte) bool {
	return bytes.HasPrefix(behind, []byte("..")) || bytes.HasPrefix(behind, []byte("…"))
}

// doubleLoss returns the length of a “0-0” that ends the text where the Result tag says the same: no castling, but a
// game that both lost.
func (p *Parser) doubleLoss() int {
	value := p.tags.get(tagResult)
	if n := zerosAt(value); n == 0 || n != len(value) {
		return 0
	}
	n := zerosAt(p.text[p.i:])
	if n > 0 && skipSpace(p.text, p.i+n) == len(p.text) {
		return n
	}
	return 0
}

// zerosAt returns the length of the “0-0” or “0 - 0” that text opens with, or 0.
func zerosAt(text []byte) int {
	if len(text) == 0 || text[0] != '0' {
		return 0
	}
	join := wideJoinAt(text[1:])
	if n := 1 + join; join > 0 && n < len(text) && text[n] == '0' {
		return n + 1
	}
	return 0
}
