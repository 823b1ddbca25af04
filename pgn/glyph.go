package pgn

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"talbot/dataset"
)

// Only characters without a meaning for the move are skipped: annotation glyphs and blanks of this list. Everything
// else that is not ASCII may be a piece letter in an alphabet or font that got lost on the way, and the move after it
// would be read as a pawn's.

// annotations are the signs of the Informant, of NAGs and of chess editors, beside the ASCII ones.
const annotations = "‼⁇⁈⁉±∓⩲⩱∞≈≃≅⯹↑⇑→⇒⇄⇆⇔↔⟳↻↺⊕⨁⨀⊙□☐○◯■" + "⊓⊔⌓⌒∆Δ△▽∇≤≥⊞⟪⟫«»⇗⇖↗↖⟂⊥∥†‡—–−‒‐‑"

// kind is the meaning of a character outside of ASCII in movetext.
type kind uint8

const (
	strange kind = iota
	annotation
	blank // no-break spaces, spaces and direction marks of typesetting, byte order marks
	ellipsis
	half
	chessman
)

var runeKinds = func() map[rune]kind {
	kinds := map[rune]kind{'…': ellipsis, '½': half}
	for _, r := range annotations {
		kinds[r] = annotation
	}
	for r := '♔'; r <= '♟'; r++ {
		kinds[r] = chessman
	}
	for _, r := range "\u00a0\u00ad\u1680\u2028\u2029\u202f\u205f\u2060\u3000\ufeff" {
		kinds[r] = blank
	}
	for r := rune(0x2000); r <= 0x200f; r++ {
		kinds[r] = blank
	}
	return kinds
}()

// byteKinds are the bytes that are no UTF-8 but mean the same in Latin-1 or Windows-1252, where no other code page of
// chess files has a piece letter. Except for the blank, none of them may stand directly before a pawn's move.
var byteKinds = map[byte]kind{0xb1: annotation, 0xbd: half, 0x85: ellipsis, 0xa0: blank, 0x96: annotation,
	0x97: annotation}

// kindAt returns what the character that text opens with is, and its length. The character is not ASCII.
func kindAt(text []byte) (kind, int) {
	r, size := utf8.DecodeRune(text)
	if r == utf8.RuneError && size <= 1 {
		return byteKinds[text[0]], 1
	}
	return runeKinds[r], size
}

// chessmanLetters are those of U+2654 to U+2659, and of the black ones after them.
const chessmanLetters = "KQRBNP"

// letterAt returns what the character that text opens with, which is not ASCII, stands for inside a move: the letter of
// a figurine, a hyphen for a dash, “x” for “×”, and 0 for characters without a meaning. ok is false if it is not part
// of a move.
func letterAt(text []byte) (letter byte, size int, ok bool) {
	r, size := utf8.DecodeRune(text)
	if r == utf8.RuneError && size <= 1 {
		switch text[0] {
		case 0x96, 0x97:
			r = '–'
		case 0xd7:
			r = '×'
		}
	}
	switch {
	case r >= '♔' && r <= '♟':
		return chessmanLetters[(r-'♔')%6], size, true
	case r == '\ufe0e' || r == '\ufe0f': // a figurine as text, or as a picture
		return 0, size, true
	case r == '×':
		return 'x', size, true
	case r >= '‐' && r <= '—' || r == '−':
		return '-', size, true
	}
	return 0, size, false
}

// nonASCII reads a character that is not ASCII and begins no move.
func (p *Parser) nonASCII() *dataset.Reject {
	k, size := kindAt(p.text[p.i:])
	switch k {
	case chessman:
		return p.word(p.i)
	case half:
		if result, n := resultAt(p.text[p.i:]); n > 0 {
			p.i += n
			p.result, p.ended = result, true
			return nil
		}
	case blank:
		p.i += size
		return nil
	case ellipsis:
		if size > 1 {
			p.i += size
			return nil
		}
		return p.skipGlyph(size)
	case annotation:
		return p.skipGlyph(size)
	}
	return p.reject(dataset.BadSyntax, p.i, p.i+size, errUnknownText)
}

// skipGlyph skips one character of an annotation glyph such as “!?”, “+-” or “±”, a zero byte, or another sign of no
// meaning. Directly before the move of a pawn it may be what is left of a piece letter, and the game is rejected.
func (p *Parser) skipGlyph(size int) *dataset.Reject {
	if opensPawnMove(p.text[p.i+size:]) {
		return p.reject(dataset.BadSyntax, p.i, p.i+size+4, errGlued)
	}
	p.i += size
	return nil
}

// opensPawnMove reports whether text opens with what would be read as a pawn's move, or with the rank or capture mark
// of a piece's move whose letter is missing.
func opensPawnMove(text []byte) bool {
	if len(text) > 1 && text[0] >= '1' && text[0] <= '8' && text[1] != '.' {
		text = text[1:] // 1f3
	}
	if len(text) < 2 || text[0] != 'x' && text[0] != ':' && (text[0] < 'a' || text[0] > 'h') {
		return false
	}
	text = text[:min(len(text), 16)]
	return looksLikeMove(text[:wordEnd(text, 1)])
}

// isKnightMove reports whether the word that text opens with is a legal move, or one of several, with a knight's letter
// in front of it.
func (p *Parser) isKnightMove(text []byte) bool {
	end := 0
	for end < len(text) && moveBytes[text[end]] {
		end++
	}
	p.spelt = append(append(p.spelt[:0], 'N'), text[:end]...)
	_, err := p.pos.ParseSAN(p.spelt)
	return err == nil || !strings.HasPrefix(err.Error(), "illegal move")
}

// hidesPiece reports whether the lone piece letter text[from:to] may belong to the next move: whether it touches
// anything but blanks and comments, or anything but a move number with its dot, a result or another piece comes next.
func (p *Parser) hidesPiece(from, to int) bool {
	touches := func(i int, others string) bool {
		return i >= 0 && i < len(p.text) && classes[p.text[i]] != blankByte && strings.IndexByte(others, p.text[i]) < 0
	}
	before := from
	for before > 0 && classes[p.text[before-1]] == blankByte {
		before--
	}
	if before > 0 && p.text[before-1] == '.' { // after a move number
		return true
	}
	if touches(from-1, ")}") || touches(to, "({;") {
		return true
	}
	defer func(i int) { p.i = i }(p.i)
	for p.i = to; p.i < len(p.text); {
		switch c := p.text[p.i]; {
		case c == '{' || c == ';':
			if _, ok := p.skipComment(); !ok {
				return false // rejected when its turn comes
			}
		case c == '(':
			if p.skipVariation() != nil {
				return false
			}
		case c == '*': // the rest of the move may have been lost
			return true
		case c >= 'A' && c <= 'Z':
			return false
		case c >= '0' && c <= '9':
			if bytes.HasPrefix(p.text[p.i:], []byte("0-0")) {
				return false
			}
			if _, n := resultAt(p.text[p.i:]); n > 0 {
				return true
			}
			p.i = digitsEnd(p.text, p.i)
			return p.i == len(p.text) || p.text[p.i] != '.'
		case c == '$':
			p.i = digitsEnd(p.text, p.i+1)
		case c >= 'a' && c <= 'z':
			return p.text[from] != 'N' || p.isKnightMove(p.text[p.i:])
		case c >= 0x80:
			k, size := kindAt(p.text[p.i:])
			if k == chessman {
				return false
			}
			p.i += size
		default:
			p.i++
		}
	}
	return false
}
