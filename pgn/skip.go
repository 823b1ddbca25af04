package pgn

import (
	"bytes"
	"encoding/binary"
)

// plain reports whether skipping ahead is allowed here.
func (c *scanner) plain() bool {
	return c.tagged && !c.suspect && c.content && !c.ended && c.depth == 0 && c.open < 0 &&
		!c.inLineComment && !c.inTagValue
}

// holdsOneGame reports whether it is plain that no game starts before the index to, which needs no state of the
// scanner: there is no tag, and nothing that may be a result but the last thing.
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
	text := buf[c.pos:end]
	if bytes.IndexByte(text, '"') >= 0 {
		return false
	}
	marks := resultMarks{text: text}
	return marks.next(0) == len(text)
}

// skipAhead moves over text in which no game can start, as all but the end of nearly every game is.
func (c *scanner) skipAhead(buf []byte, to int) {
	if !c.plain() {
		return
	}
	text := buf[c.pos:to]
	if bytes.IndexByte(text, ';') >= 0 || bytes.IndexByte(text, '(') >= 0 || bytes.IndexByte(text, '"') >= 0 {
		return
	}
	brace := bytes.IndexByte(text, '{')
	marks := resultMarks{text: text}
	at := marks.next(0)
	for brace >= 0 && brace < at {
		last := brace // of an opening brace that is not closed before at, or −1
		if i := bytes.LastIndexByte(text[:at], '}'); i >= 0 {
			if last = bytes.IndexByte(text[i+1:at], '{'); last >= 0 {
				last += i + 1
			}
		}
		if last < 0 {
			break
		}
		end := bytes.IndexByte(text[last:], '}')
		if end < 0 {
			c.jump(buf, c.pos+last)
			return
		}
		at = marks.next(last + end + 1)
	}
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

// nextMark returns the index in text, at or after from, of the next mark between characters of a result, or the length
// of the text.
func nextMark(text []byte, from int, mark byte) int {
	for i := from; i < len(text); i++ {
		n := bytes.IndexByte(text[i:], mark)
		if n < 0 {
			break
		}
		if i += n; i == 0 || i+1 == len(text) || isScore(text[i-1], text[i+1]) {
			return i
		}
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

// indexHigh returns the index of the first byte that is not ASCII, or the length of the text.
func indexHigh(text []byte) int {
	const high = 0x8080808080808080
	i := 0
	for ; i+32 <= len(text); i += 32 {
		t := text[i : i+32]
		if (binary.LittleEndian.Uint64(t)|binary.LittleEndian.Uint64(t[8:])|binary.LittleEndian.Uint64(t[16:])|
			binary.LittleEndian.Uint64(t[24:]))&high != 0 {
			break
		}
	}
	for i < len(text) && text[i] < 0x80 {
		i++
	}
	return i
}

// resultMarks finds bytes that stand in results and in little else.
type resultMarks struct {
	text                            []byte
	dash, slash, star, colon, other int // next one of each kind, where it has been looked for
}

// next returns the index of the next byte at or after from that may belong to a result, or the length of the text.
func (r *resultMarks) next(from int) int {
	t := r.text
	if from == 0 || r.star < from {
		r.star = from + indexOrLen(t[from:], '*')
	}
	if from == 0 || r.other < from {
		r.other = from + indexHigh(t[from:])
	}
	if from == 0 || r.slash < from {
		r.slash = nextMark(t, from, '/')
	}
	if from == 0 || r.colon < from {
		r.colon = nextMark(t, from, ':')
	}
	if from == 0 || r.dash < from {
		r.dash = nextMark(t, from, '-')
	}
	return min(r.dash, r.slash, r.star, r.colon, r.other)
}
