package pgn

import "bytes"

// plain reports whether skipping ahead is allowed here.
func (c *scanner) plain() bool {
	return c.tagged && !c.suspect && c.content && !c.ended && c.depth == 0 && c.open < 0 &&
		!c.inLineComment && !c.inTagValue
}

// holdsOneGame reports whether it is plain that no game starts before the index to: there is no tag, and nothing that
// may be a result but the last thing.
func (c *scanner) holdsOneGame(buf []byte, to int) bool {
	if !c.plain() {
		return false
	}
	end := to
	for end > c.pos && isSpace(buf[end-1]) {
		end--
	}
	for end > c.pos && !isSpace(buf[end-1]) && to-end < 64 {
		end--
	}
	return plainEnd(buf[c.pos:end], true) == end-c.pos
}

// skipAhead moves over text in which no game can start, as all but the end of nearly every game is.
func (c *scanner) skipAhead(buf []byte, to int) {
	if !c.plain() {
		return
	}
	text := buf[c.pos:to]
	if bytes.IndexByte(text, ';') >= 0 || bytes.IndexByte(text, '"') >= 0 {
		return // what they mean depends on what is before them
	}
	at := plainEnd(text, false)
	if at < len(text) && (text[at] == '-' || text[at] == ':') { // 1 - 0
		for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
			at--
		}
	}
	for at > 0 && at < len(text) && !isSpace(text[at-1]) && text[at-1] != '}' {
		at--
	}
	c.jump(buf, c.pos+at)
}

// jump moves to the index at, between two things.
func (c *scanner) jump(buf []byte, at int) {
	i := at
	for i > c.pos && isSpace(buf[i-1]) {
		i--
	}
	if i > c.pos {
		c.lineEnds, c.lineStart, c.cr = 0, false, false
	}
	c.word, c.firstNumber, c.number, c.dotted, c.prose = -1, -1, false, false, false
	c.moves = 2
	for c.pos = i; c.pos < at; c.pos++ {
		if b := buf[c.pos]; b == '\n' || b == '\r' {
			c.endLine(b)
		} else {
			c.cr = false
		}
	}
}

// notable are the bytes that may belong to a result or a tag, or open a comment or variation.
var notable = func() (t [256]byte) {
	for c := range t {
		if c >= 0x80 || bytes.IndexByte([]byte("*/-:[{(;"), byte(c)) >= 0 {
			t[c] = 1
		}
	}
	return t
}()

// plainEnd returns the index of the first byte of text that may belong to a result or a tag, or open a comment that may
// not be closed, a variation, unless they are plain too, or a semicolon comment; or else the length of the text.
func plainEnd(text []byte, variations bool) int {
	for i := 0; i < len(text); i++ {
		for ; i+8 <= len(text); i += 8 {
			t := (*[8]byte)(text[i:])
			if notable[t[0]]|notable[t[1]]|notable[t[2]]|notable[t[3]]|notable[t[4]]|notable[t[5]]|notable[t[6]]|
				notable[t[7]] != 0 {
				break
			}
		}
		for i < len(text) && notable[text[i]] == 0 {
			i++
		}
		if i == len(text) {
			break
		}
		switch text[i] {
		case '-', ':', '/':
			if i > 0 && i+1 < len(text) && !isScore(text[i-1], text[i+1]) {
				continue
			}
		case '{':
			n := bytes.IndexByte(text[i:], '}')
			if n > 0 && n < maxUnclosed && bytes.IndexByte(text[i+1:i+n], '{') < 0 {
				i += n
				continue
			}
		case '(':
			if variations {
				continue
			}
		}
		return i
	}
	return len(text)
}

// isScore reports whether two characters around a mark can be those of a result, with blanks in it or not, and not
// those of castling.
func isScore(before, behind byte) bool {
	return before == ' ' || behind == ' ' ||
		(before == '0' || before == '1' || before == '5') && (behind >= '0' && behind <= '2') &&
			(before != '0' || behind != '0')
}
