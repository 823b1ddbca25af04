package pgn

import (
	"bytes"
	"errors"

	"talbot/board"
	"talbot/dataset"
)

// errNoFEN goes with rejects of games that start from a position that no tag gives.
var errNoFEN = errors.New("SetUp tag without a readable FEN tag")

// errTwoFENs goes with rejects of games with FEN tags that differ.
var errTwoFENs = errors.New("two FEN tags that differ")

// opensFEN reports whether a line opens with a tag of a start position, quoted or not.
func opensFEN(line []byte) bool {
	return len(line) > 4 && line[0] == '[' && bytes.EqualFold(line[1:4], []byte("FEN")) && !isNameByte(line[4])
}

// start returns the position that the tags let the game start from. A SetUp tag that says "1" without one that gives
// the position, and a FEN tag that is misspelt or not quoted, are rejected: the moves may well be legal from the usual
// start too.
//
// Castling rights are read as [board.ReadFEN] says; a Variant tag that is read says that the game is standard chess.
// left is true if some were left out.
func (p *Parser) start() (start board.Position, left bool, reject *dataset.Reject) {
	variant := p.tags.get(tagVariant)
	if reason := variantOf(variant); reason != "" {
		return start, false, p.rejectTag(reason, variant, nil)
	}
	if other := p.tags.otherFEN; other != nil {
		return start, false, p.rejectTag(dataset.BadFEN, other, errTwoFENs)
	}
	value := p.tags.get(tagFEN)
	if len(value) == 0 || string(value) == "?" {
		setUp := p.tags.get(tagSetUp)
		switch {
		case p.tags.brokenFEN != nil:
			return start, false, p.rejectTag(dataset.BadFEN, p.tags.brokenFEN, errNoFEN)
		case string(setUp) == "1":
			return start, false, p.rejectTag(dataset.BadFEN, setUp, errNoFEN)
		}
		return board.StartPosition(), false, nil
	}
	start, rights, err := board.ReadFEN(string(value), len(variant) > 0)
	switch {
	case errors.Is(err, board.ErrChess960):
		return start, false, p.rejectTag(dataset.Chess960, value, err)
	case err != nil:
		return start, false, p.rejectTag(dataset.BadFEN, value, err)
	}
	return start, rights != "", nil
}

// rejectTag describes what is wrong with the value of a tag.
func (p *Parser) rejectTag(reason dataset.Reason, value []byte, err error) *dataset.Reject {
	from := cap(p.text) - cap(value) // value is a part of text
	return p.reject(reason, from, from+len(value), err)
}
