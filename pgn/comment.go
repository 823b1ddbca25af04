package pgn

import (
	"bytes"

	"talbot/dataset"
)

// atLineStart reports whether the next byte is the first of its line.
func (p *Parser) atLineStart() bool {
	return p.i == 0 || p.text[p.i-1] == '\n' || p.text[p.i-1] == '\r'
}

// skipLine moves to the end of the line and returns what was skipped.
func (p *Parser) skipLine() []byte {
	from := p.i
	if n := bytes.IndexAny(p.text[from:], "\n\r"); n >= 0 {
		p.i += n
	} else {
		p.i = len(p.text)
	}
	return p.text[from:p.i]
}

// comment reads the comment that starts at the next byte.
func (p *Parser) comment() *dataset.Reject {
	from := p.i
	text, ok := p.skipComment()
	if !ok {
		return p.reject(dataset.BadSyntax, p.i, len(p.text), errComment)
	}
	if p.hidesMoves(p.text[from], text) {
		return p.reject(dataset.BadSyntax, from, p.i, errInside)
	}
	switch {
	case !p.playing:
		if p.ReadEvals {
			p.earlyComments = append(p.earlyComments, text)
		}
	case p.ReadEvals || p.ReadClocks:
		p.note(text)
	}
	return nil
}

// hidesMoves reports whether the text of a comment has moves before another opening brace: it was not closed, and what
// closes it is a later comment's brace. Or it stands after a semicolon, and may be a game.
func (p *Parser) hidesMoves(opens byte, text []byte) bool {
	if opens == ';' {
		return hidesGame(text, p.tags.any)
	}
	n := bytes.IndexByte(text, '{')
	return n >= 0 && hasMoves(text[:n])
}

// readsComments reports whether comments are looked at.
func (p *Parser) readsComments() bool { return p.ReadEvals || p.ReadClocks }

// skipComment moves after the comment that starts at the next byte. ok is false, and nothing moved, when it is
// not closed.
func (p *Parser) skipComment() (text []byte, ok bool) {
	if p.text[p.i] == ';' {
		text = p.skipLine()[1:]
	} else {
		n := bytes.IndexByte(p.text[p.i:], '}')
		if n < 0 {
			return nil, false
		}
		text = p.text[p.i+1 : p.i+n]
		p.i += n + 1
	}
	p.nested = p.nested || bytes.IndexByte(text, '{') >= 0
	return text, true
}

// skipVariation moves after the variation that starts at the next byte, whatever its depth.
func (p *Parser) skipVariation() *dataset.Reject {
	from, depth := p.i, 0
	for p.i < len(p.text) {
		switch c := p.text[p.i]; {
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				p.i++
				return nil
			}
		case c == '{' || c == ';':
			at := p.i
			text, ok := p.skipComment()
			if !ok {
				return p.reject(dataset.BadSyntax, p.i, len(p.text), errComment)
			}
			if p.hidesMoves(c, text) {
				return p.reject(dataset.BadSyntax, at, p.i, errInside)
			}
			continue
		case c == '%' && p.atLineStart():
			p.skipLine()
			continue
		}
		p.i++
	}
	return p.reject(dataset.BadSyntax, from, len(p.text), errVariation)
}
