package pgn

import (
	"bytes"
	"errors"

	"talbot/dataset"
)

// class says what a byte can begin in movetext.
type class uint8

const (
	badByte class = iota
	blankByte
	glyphByte
	digitByte
	letterByte
	otherByte // looked at one by one
	highByte  // not ASCII
)

var classes = func() (t [256]class) {
	for c := range t {
		switch {
		case c == 0 || c == 0x1a: // blanks elsewhere, but they may also stand where a letter was
			t[c] = glyphByte
		case isSpace(byte(c)):
			t[c] = blankByte
		case c >= 0x80:
			t[c] = highByte
		case bytes.IndexByte([]byte("!?+=#./<>~^,"), byte(c)) >= 0:
			t[c] = glyphByte
		case c >= '0' && c <= '9':
			t[c] = digitByte
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			t[c] = letterByte
		case bytes.IndexByte([]byte("{};()$%*-@"), byte(c)) >= 0:
			t[c] = otherByte
		}
	}
	return t
}()

// moveBytes are those that a move may have behind its first one.
var moveBytes = func() (t [256]bool) {
	for c := range t {
		t[c] = classes[c] == letterByte || classes[c] == digitByte || bytes.IndexByte([]byte("=-@/+#:"), byte(c)) >= 0
	}
	return t
}()

// readMoves reads movetext up to a result or the end of the text.
func (p *Parser) readMoves() *dataset.Reject {
	for !p.ended {
		if p.plainMoves(); p.i == len(p.text) {
			return nil
		}
		var r *dataset.Reject
		switch c := p.text[p.i]; classes[c] {
		case glyphByte:
			r = p.glyph()
		case digitByte:
			r = p.number()
		case letterByte:
			r = p.word(p.i)
		case otherByte:
			r = p.mark(c)
		case highByte:
			r = p.high()
		default:
			r = p.reject(dataset.BadSyntax, p.i, p.i+1, errText)
		}
		if r != nil {
			return r
		}
	}
	return nil
}

// plainMoves reads blanks, move numbers with a dot, moves in plain form and comments that nobody asks for, which most
// text of games consists of, up to the first byte that begins anything else.
func (p *Parser) plainMoves() {
	text, i := p.text, p.i
	for i < len(text) {
		switch c := text[i]; classes[c] {
		case blankByte:
			i++
			continue
		case digitByte:
			j := i + 1
			for j < len(text) && text[j] >= '0' && text[j] <= '9' {
				j++
			}
			// 0.5-0.5 is a result, and 1. behind moves another game
			if j < len(text) && text[j] == '.' && c != '0' && (j > i+1 || c != '1' || len(p.moves) < 2) {
				for i = j + 1; i < len(text) && text[i] == '.'; i++ {
				}
				continue
			}
		case otherByte:
			if c != '{' || p.noting() {
				break
			}
			if n := bytes.IndexByte(text[i:], '}'); n > 0 && bytes.IndexByte(text[i+1:i+n], '{') < 0 {
				i += n + 1
				continue
			}
		case letterByte:
			if len(p.moves) == MaxPlies {
				break
			}
			if m, n := p.pos.PlaySAN(text[i:]); n > 0 {
				p.moves = append(p.moves, m)
				i += n
				continue
			}
		}
		break
	}
	p.i = i
}

// mark reads what starts with a punctuation mark of its own meaning.
func (p *Parser) mark(c byte) *dataset.Reject {
	switch c {
	case '{', ';':
		return p.comment()
	case '(':
		return p.skipVariation()
	case '$':
		p.i++
		for p.i < len(p.text) && classes[p.text[p.i]] == digitByte {
			p.i++
		}
		if opensPawnMove(p.text[p.i:]) {
			return p.reject(dataset.BadSyntax, p.i, p.i+4, errGlued)
		}
	case '%':
		if !p.atLineStart() {
			return p.reject(dataset.BadSyntax, p.i, p.i+1, errText)
		}
		p.skipLine()
	case '*':
		p.i++
		p.ended = true
	case '-':
		if bytes.HasPrefix(p.text[p.i:], []byte("--")) {
			return p.reject(dataset.NullMove, p.i, p.i+2, nil)
		}
		return p.skipGlyph(1)
	case '@':
		if bytes.HasPrefix(p.text[p.i:], []byte("@@@@")) {
			return p.reject(dataset.NullMove, p.i, p.i+4, nil)
		}
		return p.reject(dataset.Variant, p.i, p.i+3, errDrop)
	default: // a stray “}” or “)”
		if c == '}' && p.nested() {
			return p.reject(dataset.BadSyntax, p.i, p.i+1, errNested)
		}
		return p.skipGlyph(1)
	}
	return nil
}

// glyph skips one character of an annotation glyph in ASCII, or a zero byte. A dot or comma belongs to what is before
// it.
func (p *Parser) glyph() *dataset.Reject {
	if c := p.text[p.i]; c == '.' || c == ',' {
		p.i++
		return nil
	}
	return p.skipGlyph(1)
}

// number reads what starts with a digit: a move number, a result, castling with zeros, or a null move.
func (p *Parser) number() *dataset.Reject {
	t := p.text[p.i:]
	n := 1
	for n < len(t) && classes[t[n]] == digitByte {
		n++
	}
	if result, length := resultAt(t); length > 0 {
		p.i += length
		p.over, p.ended = result, true
		return nil
	}
	if n < len(t) && (dashAt(t[n:]) > 0 || t[n] == '/') {
		if t[0] == '0' && n == 1 {
			return p.word(p.i)
		}
		return p.reject(dataset.BadSyntax, p.i, p.i+n+1, errText)
	}
	dots := n
	for dots < len(t) && t[dots] == '.' {
		dots++
	}
	switch {
	case n == 4 && string(t[:4]) == "0000" && dots == n:
		return p.reject(dataset.NullMove, p.i, p.i+n, nil)
	case n == 1 && t[0] == '0' && (dots == n || dashAt(t[dots:]) > 0): // of a castling or a result that was torn apart
		return p.reject(dataset.BadSyntax, p.i, p.i+n, errText)
	}
	if n == 1 && t[0] == '1' && dots <= 1 && len(p.moves) > 1 && !bytes.HasPrefix(t[dots:], []byte("…")) {
		return p.reject(dataset.BadSyntax, p.i, p.i+dots, errAgain)
	}
	p.i += dots
	return nil
}

// word reads the word at index from, a move as a rule, and plays it.
func (p *Parser) word(from int) *dataset.Reject {
	i, plain := from, true
	for i < len(p.text) && (i == from || moveBytes[p.text[i]] || p.text[i] >= 0x80) {
		size := 1
		if p.text[i] >= 0x80 {
			var ok bool
			if _, size, ok = letterAt(p.text[i:]); !ok {
				break
			}
			plain = false
		}
		i += size
	}
	// a promotion in parentheses, e8(Q), belongs to the move
	if t := p.text[i:]; len(t) >= 3 && t[0] == '(' && t[2] == ')' && classes[t[1]] == letterByte && i-from >= 2 {
		i += 3
	}
	token := p.text[from:i]
	if !plain {
		token = p.spell(token)
	}
	p.i = i
	move, err := p.pos.ParseSAN(token)
	if err != nil {
		if token = p.trimWord(token); len(token) == 0 {
			return nil
		}
		if len(token) == 1 && (token[0] == 'N' || token[0] == 'D') {
			if p.hidesPiece(from, p.i) {
				return p.reject(dataset.BadSyntax, from, i, errAlone)
			}
			return nil // marks of novelties and diagrams
		}
		if move, err = p.pos.ParseSAN(token); err != nil {
			return p.badWord(from, i, token, err)
		}
	}
	if len(p.moves) == MaxPlies {
		return p.reject(dataset.TooLong, from, i, errors.New("more moves than a game can have"))
	}
	p.pos.Play(move)
	p.moves = append(p.moves, move)
	return nil
}

// spell returns a word with its characters outside of ASCII in the spelling of SAN. It is valid until the next call.
func (p *Parser) spell(word []byte) []byte {
	p.spelt = p.spelt[:0]
	for i := 0; i < len(word); {
		letter, size := word[i], 1
		if letter >= 0x80 {
			letter, size, _ = letterAt(word[i:])
		}
		if letter != 0 {
			p.spelt = append(p.spelt, letter)
		}
		i += size
	}
	return p.spelt
}

// trimWord takes off a word what is no part of a move: a result glued to it, glyphs, “ep”, and the
// words of old books. It sets the result if there is one.
func (p *Parser) trimWord(token []byte) []byte {
	for i := range token {
		if result, n := resultAt(token[i:]); n > 0 && i+n == len(token) {
			p.over, p.ended = result, true
			token = token[:i]
			break
		}
	}
	if p.i < len(p.text) && p.text[p.i] == '.' && bytes.HasSuffix(token, []byte("e")) &&
		bytes.HasPrefix(p.text[p.i:], []byte(".p")) {
		token = token[:len(token)-1] // exd6e.p. or a word of its own
		p.i += 2
	}
	if len(token) > 4 {
		token = bytes.TrimSuffix(token, []byte("ep"))
	}
	for _, word := range [...]string{"ch", "mate", "dbl", "dis"} { // Nc6ch, Nc6dblch
		if n := len(token) - len(word); n >= 2 && string(token[n:]) == word {
			token = token[:n]
		}
	}
	if n := len(token); n >= 2 && token[n-1] == '-' && isCastlingByte(token[n-2]) {
		return token // half of O-O-O
	}
	token = bytes.TrimRight(token, "=+-/#")
	switch string(token) {
	case "ep", "ch", "dbl", "dis", "mate":
		return nil
	}
	return token
}

func isCastlingByte(c byte) bool { return c == 'O' || c == '0' || c == 'o' }

// badWord says why a word is no move here.
func (p *Parser) badWord(from, to int, token []byte, err error) *dataset.Reject {
	switch {
	case bytes.IndexByte(token, '@') >= 0:
		return p.reject(dataset.Variant, from, to, errDrop)
	case string(token) == "Z0" || bytes.EqualFold(token, []byte("null")) || bytes.EqualFold(token, []byte("pass")):
		return p.reject(dataset.NullMove, from, to, nil)
	case looksLikeMove(token):
		return p.reject(dataset.IllegalMove, from, to, err)
	case p.nested():
		return p.reject(dataset.BadSyntax, from, to, errNested)
	default:
		return p.reject(dataset.BadSyntax, from, to, errText)
	}
}

// nested reports whether a comment before the next byte has an opening brace in it. Comments end at the first closing
// brace, so the rest of a comment around another one stands among the moves.
func (p *Parser) nested() bool {
	for !p.nests {
		from := p.braces + indexOrLen(p.text[p.braces:p.i], '{') + 1
		if from > p.i {
			break
		}
		end := from + indexOrLen(p.text[from:p.i], '}')
		p.nests = bytes.IndexByte(p.text[from:end], '{') >= 0
		p.braces = end
	}
	return p.nests
}

// looksLikeMove reports whether a word is castling or names a square.
func looksLikeMove(token []byte) bool {
	if isCastlingByte(token[0]) {
		return true
	}
	for i := 0; i+1 < len(token); i++ {
		if token[i] >= 'a' && token[i] <= 'h' && token[i+1] >= '1' && token[i+1] <= '8' {
			return true
		}
	}
	return false
}
