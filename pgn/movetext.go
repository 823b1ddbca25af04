package pgn

import (
	"bytes"
	"errors"
	"unicode/utf8"

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
)

var classes = func() (t [256]class) {
	for c := range t {
		switch {
		case isSpace(byte(c)):
			t[c] = blankByte
		case c >= 0x80 || bytes.IndexByte([]byte("!?+=#./<>~^,"), byte(c)) >= 0:
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
		t[c] = classes[c] == letterByte || classes[c] == digitByte || bytes.IndexByte([]byte("=-@/+#"), byte(c)) >= 0
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
			p.glyph()
		case digitByte:
			r = p.number()
		case letterByte:
			r = p.word(p.i)
		case otherByte:
			r = p.mark(c)
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
			if j < len(text) && text[j] == '.' && (j > i+1 || c != '1' || len(p.moves) < 2) {
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
		p.glyph()
	case '@':
		if bytes.HasPrefix(p.text[p.i:], []byte("@@@@")) {
			return p.reject(dataset.NullMove, p.i, p.i+4, nil)
		}
		return p.reject(dataset.Variant, p.i, p.i+3, errDrop)
	default: // a stray “}” or “)”
		p.i++
	}
	return nil
}

// glyph skips one character of an annotation glyph such as “!?”, “+-” or “±”. A “½”, in UTF-8 or Latin-1, begins
// a draw.
func (p *Parser) glyph() {
	r, size := utf8.DecodeRune(p.text[p.i:])
	if r == '½' || r == utf8.RuneError && p.text[p.i] == 0xbd {
		p.over, p.ended = dataset.Draw, true
	}
	p.i += size
}

// number reads what starts with a digit: a move number, a result, castling with zeros, or a null move.
func (p *Parser) number() *dataset.Reject {
	t := p.text[p.i:]
	n := 1
	for n < len(t) && classes[t[n]] == digitByte {
		n++
	}
	if n < len(t) && (t[n] == '-' || t[n] == '/') {
		if result, length := resultAt(t); length > 0 {
			p.i += length
			p.over, p.ended = result, true
			return nil
		}
		if t[0] == '0' && n == 1 {
			return p.word(p.i)
		}
		return p.reject(dataset.BadSyntax, p.i, p.i+n+1, errText)
	}
	if n == 4 && string(t[:4]) == "0000" && (n == len(t) || t[n] != '.') {
		return p.reject(dataset.NullMove, p.i, p.i+n, nil)
	}
	dots := n
	for dots < len(t) && t[dots] == '.' {
		dots++
	}
	if n == 1 && t[0] == '1' && dots <= n+1 && len(p.moves) > 1 && !bytes.HasPrefix(t[dots:], []byte("…")) {
		return p.reject(dataset.BadSyntax, p.i, p.i+dots, errAgain)
	}
	p.i += dots
	return nil
}

// resultAt returns the result that text opens with and its length, or 0. A longer word, such as castling
// “0-0-0”, is none.
func resultAt(text []byte) (dataset.Result, int) {
	for _, r := range [...]struct {
		text   string
		result dataset.Result
	}{
		{"1-0", dataset.WhiteWins}, {"0-1", dataset.BlackWins}, {"1/2-1/2", dataset.Draw}, {"1/2", dataset.Draw},
		{"*", dataset.ResultUnknown},
	} {
		n := len(r.text)
		if len(text) >= n && string(text[:n]) == r.text && (len(text) == n || !moveBytes[text[n]]) {
			return r.result, n
		}
	}
	return dataset.ResultUnknown, 0
}

// word reads the word at index from, a move as a rule, and plays it.
func (p *Parser) word(from int) *dataset.Reject {
	i := from + 1
	for i < len(p.text) && moveBytes[p.text[i]] {
		i++
	}
	// a promotion in parentheses, e8(Q), belongs to the move
	if t := p.text[i:]; len(t) >= 3 && t[0] == '(' && t[2] == ')' && classes[t[1]] == letterByte && i-from >= 2 {
		i += 3
	}
	token := p.text[from:i]
	p.i = i
	move, err := p.pos.ParseSAN(token)
	if err != nil {
		if token = p.trimWord(token); len(token) == 0 {
			return nil
		}
		if move, err = p.pos.ParseSAN(token); err != nil {
			return p.badWord(from, token, err)
		}
	}
	if len(p.moves) == MaxPlies {
		return p.reject(dataset.TooLong, from, i, errors.New("more moves than a game can have"))
	}
	p.pos.Play(move)
	p.moves = append(p.moves, move)
	return nil
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
	token = bytes.TrimRight(token, "=+-/#")
	switch string(token) {
	case "ep", "ch", "dbl", "dis", "mate", "N", "D": // N and D mark novelties and diagrams
		return nil
	}
	return token
}

// badWord says why a word is no move here.
func (p *Parser) badWord(from int, token []byte, err error) *dataset.Reject {
	to := from + len(token)
	switch {
	case bytes.IndexByte(token, '@') >= 0:
		return p.reject(dataset.Variant, from, to, errDrop)
	case string(token) == "Z0" || bytes.EqualFold(token, []byte("null")) || bytes.EqualFold(token, []byte("pass")):
		return p.reject(dataset.NullMove, from, to, nil)
	case looksLikeMove(token):
		return p.reject(dataset.IllegalMove, from, to, err)
	default:
		return p.reject(dataset.BadSyntax, from, to, errText)
	}
}

// looksLikeMove reports whether a word is castling or names a square.
func looksLikeMove(token []byte) bool {
	if token[0] == 'O' || token[0] == '0' || token[0] == 'o' {
		return true
	}
	for i := 0; i+1 < len(token); i++ {
		if token[i] >= 'a' && token[i] <= 'h' && token[i+1] >= '1' && token[i+1] <= '8' {
			return true
		}
	}
	return false
}
