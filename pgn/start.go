package pgn

import (
	"bytes"
	"errors"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// errCastling goes with rejects of Chess960 games that no tag calls so.
var errCastling = errors.New("castling rights without king or rook in place")

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
// Castling rights that do not fit the squares of king and rooks are dropped when the Variant tag says that
// the game is standard chess (sites export such positions); without that tag they mean Chess960 if there is a
// king and a rook they can belong to, and a malformed FEN otherwise.
func (p *Parser) start() (board.Position, *dataset.Reject) {
	variant := p.tags.get(tagVariant)
	if reason := variantOf(variant); reason != "" {
		return board.Position{}, p.rejectTag(reason, variant, nil)
	}
	if other := p.tags.otherFEN; other != nil {
		return board.Position{}, p.rejectTag(dataset.BadFEN, other, errTwoFENs)
	}
	value := p.tags.get(tagFEN)
	if len(value) == 0 || string(value) == "?" {
		setUp := p.tags.get(tagSetUp)
		switch {
		case p.tags.brokenFEN != nil:
			return board.Position{}, p.rejectTag(dataset.BadFEN, p.tags.brokenFEN, errNoFEN)
		case string(setUp) == "1":
			return board.Position{}, p.rejectTag(dataset.BadFEN, setUp, errNoFEN)
		}
		return board.StartPosition(), nil
	}
	fen := string(value)
	fitting, other := castlingRights(fen)
	switch {
	case len(variant) > 0:
		fen = fitting
	case other:
		return board.Position{}, p.rejectTag(dataset.Chess960, value, errCastling)
	}
	start, err := board.ParseFEN(fen)
	if err != nil {
		return board.Position{}, p.rejectTag(dataset.BadFEN, value, err)
	}
	return start, nil
}

// rejectTag describes what is wrong with the value of a tag.
func (p *Parser) rejectTag(reason dataset.Reason, value []byte, err error) *dataset.Reject {
	from := cap(p.text) - cap(value) // value is a part of text
	return p.reject(reason, from, from+len(value), err)
}

// castlingRights looks at the castling rights of a FEN. other is true if some ask for Chess960: they name files, or
// king or rook stand elsewhere on the back rank, the rook on its side of the king (X-FEN). fitting is the FEN
// with only the rights of a king and a rook on their own squares; all else in it is as it was.
func castlingRights(fen string) (fitting string, other bool) {
	fields := strings.Fields(fen)
	if len(fields) < 3 {
		return fen, false
	}
	ranks := strings.Split(fields[0], "/")
	if len(ranks) != 8 {
		return fen, false
	}
	var keep strings.Builder
	for _, c := range fields[2] {
		rank, king, rook := expandRank(ranks[7]), 'K', 'R'
		if c >= 'a' && c <= 'z' {
			rank, king, rook = expandRank(ranks[0]), 'k', 'r'
		}
		k := strings.IndexRune(rank, king)
		switch c {
		case 'K', 'k':
			r := strings.LastIndex(rank, string(rook))
			if k == 4 && r == 7 {
				keep.WriteRune(c)
			} else if k >= 1 && r > k {
				other = true
			}
		case 'Q', 'q':
			r := strings.Index(rank, string(rook))
			if k == 4 && r == 0 {
				keep.WriteRune(c)
			} else if k >= 0 && k <= 6 && r >= 0 && r < k {
				other = true
			}
		default:
			other = other || strings.ContainsRune("abcdefghABCDEFGH", c)
		}
	}
	if fields[2] = keep.String(); fields[2] == "" {
		fields[2] = "-"
	}
	return strings.Join(fields, " "), other
}

// expandRank writes out the empty squares of one rank of a FEN as dots.
func expandRank(rank string) string {
	var b strings.Builder
	for _, c := range rank {
		if c >= '1' && c <= '8' {
			b.WriteString("........"[:c-'0'])
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
