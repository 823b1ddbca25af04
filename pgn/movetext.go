package pgn

import (
	"bytes"

	"talbot/dataset"
)

// class is what a byte can begin in movetext.
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

// moveBytes are those that a move may have after its first one.
var moveBytes = func() (t [256]bool) {
	for c := range t {
		t[c] = classes[c] == letterByte || classes[c] == digitByte || bytes.IndexByte([]byte("=-@/+#:"), byte(c)) >= 0
	}
	return t
}()

// digitsEnd returns the index after the digits of text[i:].
func digitsEnd(text []byte, i int) int {
	for i < len(text) && classes[text[i]] == digitByte {
		i++
	}
	return i
}

// wordEnd returns the index after what may belong to a move in text[i:].
func wordEnd(text []byte, i int) int {
	for i < len(text) && (moveBytes[text[i]] || text[i] >= 0x80) {
		i++
	}
	return i
}

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
			r = p.nonASCII()
		default:
			r = p.reject(dataset.BadSyntax, p.i, p.i+1, errText)
		}
		if r != nil {
			return r
		}
	}
	return nil
}

// plainMoves reads blanks, move numbers with a dot, moves in plain form and comments that are not read, which most text
// of games consists of, up to the first byte that begins anything else.
func (p *Parser) plainMoves() {
	text, i := p.text, p.i
	half, settled := p.count.half+2*p.count.shift, p.count.settled
	for i < len(text) {
		switch c := text[i]; classes[c] {
		case blankByte:
			i++
			continue
		case digitByte:
			j, n := i+1, int(c-'0')
			for j < len(text) && text[j] >= '0' && text[j] <= '9' {
				n = 10*n + int(text[j]-'0')
				j++
			}
			// 0.5-0.5 is a result, and 1. after moves another game
			if j < len(text) && text[j] == '.' && c != '0' && (j > i+1 || c != '1' || len(p.moves) < 2) &&
				n == (half+len(p.moves))>>1 {
				dots := 1
				for j+dots < len(text) && text[j+dots] == '.' {
					dots++
				}
				if dots == 1 || (half+len(p.moves))&1 == 1 {
					i, settled = j+dots, true
					continue
				}
			}
		case otherByte:
			if c != '{' || p.readsComments() {
				break
			}
			if n := bytes.IndexByte(text[i:], '}'); n > 0 && bytes.IndexByte(text[i+1:i+n], '{') < 0 {
				i += n + 1
				continue
			}
		case letterByte:
			if len(p.moves) == MaxPlies || p.language != nil {
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
	p.i, p.count.settled = i, settled
}

// mark reads what starts with a punctuation mark that has a meaning.
func (p *Parser) mark(c byte) *dataset.Reject {
	switch c {
	case '{', ';':
		return p.comment()
	case '(':
		return p.skipVariation()
	case '$':
		p.i = digitsEnd(p.text, p.i+1)
		if opensPawnMove(p.text[p.i:]) {
			return p.reject(dataset.BadSyntax, p.i, p.i+4, errGlued)
		}
	case '%':
		if !p.atLineStart() {
			return p.reject(dataset.BadSyntax, p.i, p.i+1, errText)
		}
		p.skipLine()
	case '*':
		if p.i+1 < len(p.text) && moveBytes[p.text[p.i+1]] { // in the middle of a word
			return p.reject(dataset.BadSyntax, p.i, p.i+2, errText)
		}
		p.i++
		p.ended, p.isStar = true, true
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
		if c == '}' && p.nested {
			return p.reject(dataset.BadSyntax, p.i, p.i+1, errNested)
		}
		if c == ')' && !p.tags.any { // the game may have begun in another one's variation
			return p.reject(dataset.BadSyntax, p.i, p.i+1, errParenthesis)
		}
		return p.skipGlyph(1)
	}
	return nil
}

// glyph skips one character of an annotation glyph in ASCII, or a zero byte. A dot or comma belongs to what is before
// it.
func (p *Parser) glyph() *dataset.Reject {
	if c := p.text[p.i]; c == '.' || c == ',' {
		if opensPawnMove(p.text[p.i+1:]) && (p.i == 0 || classes[p.text[p.i-1]] == blankByte) {
			return p.reject(dataset.BadSyntax, p.i, p.i+3, errHidden)
		}
		p.i++
		return nil
	}
	return p.skipGlyph(1)
}

// number reads what starts with a digit: a move number, a result, castling with zeros, or a null move.
func (p *Parser) number() *dataset.Reject {
	t := p.text[p.i:]
	n := digitsEnd(t, 1)
	if result, length := resultAt(t); length > 0 {
		p.i += length
		p.result, p.ended = result, true
		return nil
	}
	if length := p.doubleLoss(); length > 0 {
		p.i += length
		p.ended = true
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
	if dots == n && opensPawnMove(t[n:]) { // the digit may stand in place of a piece
		return p.reject(dataset.BadSyntax, p.i, p.i+n+2, errHidden)
	}
	if n == 1 && t[0] == '1' && dots <= n+1 && len(p.moves) > 1 && !bytes.HasPrefix(t[dots:], []byte("…")) {
		return p.reject(dataset.BadSyntax, p.i, p.i+dots, errSecondGame)
	}
	if n > 1 && len(bytes.Trim(t[:n], "0")) == 0 {
		return p.reject(dataset.BadSyntax, p.i, p.i+n, errZeros)
	}
	if !p.count.accept(t[:n], len(p.moves)) || isBlackNumber(t[n:]) && !p.count.black(len(p.moves)) {
		if r := p.contradict(p.i, p.i+dots, errNumber); r != nil {
			return r
		}
	}
	p.i += dots
	return nil
}
