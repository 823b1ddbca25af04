package pgn

import (
	"bytes"
	"errors"
	"slices"

	"talbot/board"
	"talbot/dataset"
)

// A language says what the letters N, B, R, Q, K and P of SAN mean in the moves of another language, as letters of
// SAN; those that it does not have are dots. Its other letters are no SAN.
type language struct{ name, letters string }

// sanLetters are those that languages give another meaning.
const sanLetters = "NBRQKP"

// languages are those in which a letter of SAN is another piece, by the table of the PGN standard, with Lithuanian and
// Turkish. One entry stands for all whose letters it has. Letters for pawns that are those of pieces, as the German B,
// are not among them: a game begins with moves of pawns.
var languages = [...]language{
	{"Dutch", "....KN"},
	{"Finnish", ".BN.KP"},  // Estonian, Icelandic
	{"French", ".BK..P"},   // Spanish, Catalan, Italian, Portuguese
	{"Romanian", "B.K..P"}, // the king is an R, too
	{"Hungarian", ".R..K."},
	{"Lithuanian", ".RB.KP"},
	{"Turkish", "....RP"},
}

// english are the letters of SAN. P is none in the moves of games that programs write.
var english = language{"English", "NBRQK."}

// anyEnglish has a P for pawns as well.
var anyEnglish = language{"English", sanLetters}

var errLetters = errors.New("the piece letters may be those of another language")

// checkLanguage rejects a game whose moves are legal, and other ones, by the letters of another language, if the text
// speaks against English: a check mark where English letters give no check, a P, or a move after the game by a letter
// that English does not have, as games next to each other are of one language. Nothing else does: short games in
// English, as those of a book of openings, are many, and those in other languages few.
//
// No language but English has a Q, or both N and B.
func (p *Parser) checkLanguage(start *board.Position) *dataset.Reject {
	if p.contradicts || isEnglish(start, p.moves) || hasQueenMove(p.game.Next) {
		return nil
	}
	if !showsForeign(p.game.Next) && p.fits(start, &english) != nil {
		return nil
	}
	for i := range languages {
		if q := p.fits(start, &languages[i]); q != nil && !slices.Equal(p.moves, q.moves) {
			return p.contradict(q.firstForeign, q.firstForeign+3, errLetters)
		}
	}
	return nil
}

// fits reads the game by the letters of a language. It returns nil if a move is not legal or a check mark wrong.
func (p *Parser) fits(start *board.Position, l *language) *Parser {
	q := p.rereader(p.text)
	q.language = l
	if q.readTags() != nil {
		return nil
	}
	q.place(*start, newNumbering(start))
	if q.readGame() != nil {
		return nil
	}
	return q
}

// isEnglish reports whether a queen, or both a knight and a bishop, have moved from where they stood at the start.
func isEnglish(start *board.Position, moves []board.Move) bool {
	var touched board.Bitboard
	var knight, bishop bool
	for _, m := range moves {
		if !touched.Has(m.From()) {
			switch start.PieceAt(m.From()).Type() {
			case board.Queen:
				return true
			case board.Knight:
				knight = true
			case board.Bishop:
				bishop = true
			}
			if knight && bishop {
				return true
			}
		}
		touched |= m.To().Bitboard()
	}
	return false
}

// hasQueenMove reports whether text has the beginning of a move by a queen in English letters.
func hasQueenMove(text []byte) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(text[i:], 'Q')
		if i += n; n < 0 || i+2 >= len(text) {
			return false
		}
		if a, b := text[i+1], text[i+2]; (i == 0 || classes[text[i-1]] != letterByte) &&
			(a == 'x' && b >= 'a' && b <= 'h' || a >= 'a' && a <= 'h' && b >= '1' && b <= '8') {
			return true
		}
	}
}

// showsForeign reports whether text has a move by a piece whose letter English does not have, outside of tags and
// comments: they may be in another language than the moves.
func showsForeign(text []byte) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{':
			i += indexOrLen(text[i:], '}')
		case c == ';' || c == '[':
			i += indexOrLen(text[i:], '\n')
		case c >= 'A' && c <= 'Z' && bytes.IndexByte([]byte(sanLetters+"O"), c) < 0:
			begins := i == 0 || classes[text[i-1]] == blankByte || text[i-1] == '.' || text[i-1] == '('
			if begins && showsSquare(bytes.TrimPrefix(text[i+1:], []byte("x"))) {
				return true
			}
		}
	}
	return false
}

// showsSquare reports whether text begins with a square after which a word may end.
func showsSquare(text []byte) bool {
	return len(text) >= 2 && text[0] >= 'a' && text[0] <= 'h' && text[1] >= '1' && text[1] <= '8' &&
		(len(text) == 2 || classes[text[2]] != letterByte && classes[text[2]] != digitByte)
}

// agreesWithMarks reports whether the last move gives check and mate as far as its text says so.
func (p *Parser) agreesWithMarks(word []byte) bool {
	mate := bytes.IndexByte(word, '#') >= 0
	return !mate && bytes.IndexByte(word, '+') < 0 || p.pos.InCheck() && !(mate && p.pos.HasLegalMove())
}

// translate returns a word at index from of the text with the letters of SAN in place of the language's. Figurines are
// the same in all. It is valid until the next call.
func (p *Parser) translate(word []byte, from int, plain bool) []byte {
	if len(word) == 0 || isCastlingByte(word[0]) {
		return word
	}
	if plain {
		p.spelt = append(p.spelt[:0], word...)
	}
	for i, c := range p.spelt {
		k := bytes.IndexByte([]byte(sanLetters), c)
		if k < 0 || p.text[from] >= 0x80 || i > 0 && !plain {
			continue
		}
		if p.spelt[i] = p.language.letters[k]; p.spelt[i] != c && p.firstForeign < 0 {
			p.firstForeign = from
		}
	}
	return p.spelt
}
