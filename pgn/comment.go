package pgn

import "bytes"

// commentScanner follows the comments of one game's text, lazily: it is only moved to the few places where
// the splitter has to know whether it stands inside a comment. It knows brace comments, “;” comments to the
// end of the line and “%” lines.
type commentScanner struct {
	pos       int  // index in the buffer up to which the text has been read
	brace     bool // pos is inside a brace comment
	rest      bool // pos is inside a “;” comment or a “%” line
	lineStart bool // pos is at the start of a line
	content   bool // something other than comments and blanks has been seen
}

// reset starts over at pos, the start of a line or the text behind a tag.
func (c *commentScanner) reset(pos int, lineStart bool) {
	*c = commentScanner{pos: pos, lineStart: lineStart}
}

// advance reads buf up to the index to.
func (c *commentScanner) advance(buf []byte, to int) {
	if to <= c.pos {
		return
	}
	tried := false
	for c.pos < to {
		text := buf[c.pos:to]
		if c.content && !c.rest && !tried {
			if tried = true; c.onlyBraces(text) {
				c.pos = to
				break
			}
		}
		switch {
		case c.brace:
			i := bytes.IndexByte(text, '}')
			if i < 0 {
				c.pos = to
				break
			}
			c.brace, c.lineStart, c.pos = false, false, c.pos+i+1
		case c.rest:
			i := indexLineEnd(text)
			if i < 0 {
				c.pos = to
				break
			}
			c.rest, c.lineStart, c.pos = false, true, c.pos+i+1
		default:
			c.plain(text)
		}
	}
	c.lineStart = buf[to-1] == '\n' || buf[to-1] == '\r'
}

// onlyBraces reads all of text at once if braces are all that matters in it, as they nearly always are: no semicolon,
// no “%” line.
func (c *commentScanner) onlyBraces(text []byte) bool {
	if bytes.IndexByte(text, ';') >= 0 || c.lineStart && text[0] == '%' ||
		bytes.Contains(text, []byte("\n%")) || bytes.Contains(text, []byte("\r%")) {
		return false
	}
	last := bytes.LastIndexByte(text, '}')
	opened := bytes.IndexByte(text[last+1:], '{') >= 0
	c.brace = opened || c.brace && last < 0
	return true
}

// plain reads text up to the start of the next comment.
func (c *commentScanner) plain(text []byte) {
	end := bytes.IndexByte(text, '{')
	c.brace = end >= 0
	if end < 0 {
		end = len(text)
	}
	if i := bytes.IndexByte(text[:end], ';'); i >= 0 {
		end, c.brace, c.rest = i, false, true
	}
	if i := c.escapeLine(text[:end]); i >= 0 {
		end, c.brace, c.rest = i, false, true
	}
	if !c.content {
		c.content = skipSpace(text[:end], 0) < end
	}
	c.pos += end
	if c.brace || c.rest {
		c.pos++
	}
}

// escapeLine returns the index of the first “%” at the start of a line in text, or −1.
func (c *commentScanner) escapeLine(text []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], '%')
		if i < 0 {
			return -1
		}
		i += from
		if i == 0 && c.lineStart || i > 0 && (text[i-1] == '\n' || text[i-1] == '\r') {
			return i
		}
		from = i + 1
	}
}

// indexLineEnd returns the index of the first line feed or carriage return, or −1.
func indexLineEnd(text []byte) int {
	i := bytes.IndexByte(text, '\n')
	if i < 0 {
		return bytes.IndexByte(text, '\r')
	}
	if j := bytes.IndexByte(text[:i], '\r'); j >= 0 {
		return j
	}
	return i
}
