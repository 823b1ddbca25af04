package pgn

import (
	"bytes"
	"encoding/binary"
)

// event is what a scanner has met.
type event uint8

const (
	noEvent   event = iota // the end of the text
	gameEvent              // another game starts
	moveEvent              // a move behind a result that starts no game
)

// maxUnclosed is how far behind an opening brace or a word the start of a game is looked for, in bytes.
const maxUnclosed = 64 << 10

// scanner follows the movetext of one game to where the next one starts, and resolves no move. A game starts in movetext
//   - behind a result, comments, variations and marks between them or not, at a tag or at a first move: one without a
//     number or with White's number 1. Words before it that are no moves stay with the game that ended if their line
//     has no move, otherwise they belong to the new game, as what they hide is not known;
//   - at a tag, wherever it stands outside of comments;
//   - at White's number 1 at the start of a line, behind a blank line;
//   - in games without tags, at White's number 1 once the game has two moves, and at a move behind a blank line if the
//     game has no numbers.
//
// A brace comment, or a variation, in which a game ends and another one starts was not closed, if its brace is never
// closed or only behind another opening one. Comments of more than 64 KiB are looked at only as far as that.
//
// It is moved lazily. Where it comes to does not depend on the steps, as long as these end between lines, or at the
// breaks of an overlong one.
type scanner struct {
	pos   int // index in the buffer up to which the text has been read
	later int // index of a game that is the next event, or −1

	open      int  // index of the brace of the comment that pos is in, or −1
	sure      bool // that comment is one, whatever follows
	hidden    bool // a comment with another opening brace has moves before that
	rest      bool // pos is inside a “;” comment or a “%” line
	value     bool // pos is inside the value of a tag that the break of an overlong line has cut
	lineStart bool // pos is at the start of a line, but for blanks
	cr        bool // the last byte was a carriage return
	ends      int  // line ends since the last byte that is not blank
	gap       bool // a blank line has been seen since the last move
	depth     int  // of variations
	first     bool // nothing stands between an opening parenthesis and pos

	begun         bool // moves or a result have been seen on this line
	midline       bool // the game starts on this line, behind another one
	tagged, event bool // the game has tags, an Event tag
	free          bool // the rules of games without tags hold: it has none, or they stand behind moves on a line
	content       bool // something other than tags, comments and blanks has been seen
	suspect       bool // skipping ahead is not allowed
	inner         bool // reading inside a comment: braces mean nothing
	strict        bool // White's number 1 starts a game at the start of a line only
	behindSign    bool // reading behind a semicolon: another one means nothing
	moves         int  // of the main line
	numbers       int  // of moves
	over          bool // a result has been read behind the last move of the main line
	result        int  // depth of the variation in which one was read last, or −1
	word          int  // index of the first thing of this line that is not understood, or −1
	prose         bool // that is the last thing that was read
	one           int  // index of White's number 1 that no move has followed yet, or −1
	number        bool // another number that no move has followed yet
	dotted        bool // the number has a dot
}

// reset starts over at pos, the start of a line or the text behind a tag.
func (c *scanner) reset(pos int, lineStart bool) {
	*c = scanner{pos: pos, lineStart: lineStart, later: -1, open: -1, result: -1, word: -1, one: -1}
}

// rebase moves every index by what was dropped from the front of the buffer.
func (c *scanner) rebase(dropped int) {
	c.pos -= dropped
	c.word, c.one = max(c.word-dropped, -1), max(c.one-dropped, -1)
	if c.open >= 0 {
		c.open = max(c.open-dropped, 0)
	}
}

// keepFrom returns the index of the first byte that is still needed.
func (c *scanner) keepFrom() int {
	keep := c.pos
	if c.open >= 0 && !c.sure {
		keep = c.open
	}
	for _, i := range [...]int{c.word, c.one} {
		if i >= 0 && c.pos-i <= maxUnclosed {
			keep = min(keep, i)
		}
	}
	return keep
}

// next reads buf up to the index to, or to the next event, and returns the index that it stands at.
func (c *scanner) next(buf []byte, to int) (event, int) {
	if at := c.later; at >= 0 {
		c.later = -1
		return gameEvent, at
	}
	tried := c.suspect || !c.tagged
	for c.pos < to {
		if !tried && c.content {
			tried = true
			c.skipAhead(buf, to)
			continue
		}
		if e, at := c.step(buf, to); e != noEvent {
			return e, at
		}
	}
	return noEvent, to
}

// nextGame is next, and reads on behind moves that start no game.
func (c *scanner) nextGame(buf []byte, to int) (event, int) {
	for {
		if e, at := c.next(buf, to); e != moveEvent {
			return e, at
		}
	}
}

// step reads one thing.
func (c *scanner) step(buf []byte, to int) (event, int) {
	switch {
	case c.open >= 0:
		return c.comment(buf, to)
	case c.rest:
		c.skipRest(buf, to)
	case c.value:
		c.skipValue(buf, to)
	default:
		return c.thing(buf, to)
	}
	return noEvent, to
}

// skipRest reads up to the end of the line.
func (c *scanner) skipRest(buf []byte, to int) {
	if i := indexLineEnd(buf[c.pos:to]); i >= 0 {
		c.pos, c.rest = c.pos+i, false
	} else {
		c.pos = to
	}
}

// skipValue reads the rest of a tag's value.
func (c *scanner) skipValue(buf []byte, to int) {
	n, closed := valueEnd(buf[c.pos:to])
	c.pos += n
	c.value = !closed
}

// comment reads the rest of a brace comment.
func (c *scanner) comment(buf []byte, to int) (event, int) {
	window := min(to, c.open+maxUnclosed)
	end := -1
	if i := bytes.IndexByte(buf[c.pos:to], '}'); i >= 0 {
		end = c.pos + i
	}
	if !c.sure {
		limit, nested := -1, end >= 0 && end <= window
		switch {
		case nested:
			if i := bytes.LastIndexByte(buf[c.open+1:end], '{'); i >= 0 {
				limit = c.open + 1 + i
				c.hidden = c.hidden || hasMoves(buf[c.open+1:limit])
			}
		case window == c.open+maxUnclosed:
			limit = window
		}
		if limit >= 0 {
			if e, at := c.unclosed(buf, limit, nested); e != noEvent || c.open == limit {
				return e, at
			}
			c.sure = true
		}
	}
	if end < 0 {
		c.pos = to
	} else {
		c.pos, c.open, c.lineStart, c.ends = end+1, -1, false, 0
	}
	return noEvent, c.pos
}

// unclosed reports the game that starts in the comment at c.open before the index to, if one does: then the comment was
// not closed. With brace set there is an opening brace at to; then it is enough that a game ends before it, and c is
// left at that brace.
func (c *scanner) unclosed(buf []byte, to int, brace bool) (event, int) {
	inner := scanner{pos: c.open + 1, later: -1, open: -1, result: -1, word: -1, one: -1, tagged: c.tagged, free: c.free, suspect: true,
		inner: true, content: true, moves: c.moves, numbers: c.numbers, over: c.over}
	inner.strict = brace
	e, at := inner.nextGame(buf, to)
	switch {
	case e == gameEvent && c.over && c.depth == 0: // the game that ended keeps clear of the comment
		inner.later, at = at, c.open
		fallthrough
	case e == gameEvent:
		inner.inner, inner.strict = false, false
		*c = inner
		return e, at
	case brace && inner.behind():
		inner.inner, inner.strict, inner.open = false, false, to
		*c = inner
	}
	return noEvent, to
}

// semicolon reports the game that starts on the line behind the semicolon at pos, if its line holds several games: then
// the semicolon begins no comment, which would hide them all.
func (c *scanner) semicolon(buf []byte, to int) (event, int) {
	end := min(to, c.pos+maxUnclosed)
	if i := indexLineEnd(buf[c.pos:end]); i >= 0 {
		end = c.pos + i
	}
	line := scanner{pos: c.pos + 1, later: -1, open: -1, result: -1, word: -1, one: -1, tagged: c.tagged, free: c.free, suspect: true,
		behindSign: true, content: true, moves: c.moves, numbers: c.numbers, over: c.over}
	e, at := line.nextGame(buf, end)
	if e != gameEvent {
		return noEvent, end
	}
	first := line
	if !c.midline {
		if e, _ := line.nextGame(buf, end); e != gameEvent {
			return noEvent, end
		}
	}
	first.behindSign = false
	*c = first
	return gameEvent, at
}

// thing reads what starts at pos, outside of comments.
func (c *scanner) thing(buf []byte, to int) (event, int) {
	i := c.pos
	b := buf[i]
	switch {
	case b == '\n' || b == '\r':
		c.endLine(b)
		c.pos++
		return noEvent, i
	case isSpace(b) && b != 0 && b != 0x1a:
		c.cr = false
		c.pos++
		return noEvent, i
	case hasMark(buf[i:to]):
		c.pos += 3
		return noEvent, i
	}
	if b == ';' && !c.inner && !c.behindSign {
		if e, at := c.semicolon(buf, to); e != noEvent {
			return e, at
		}
	}
	if b == '%' && c.lineStart || b == ';' && !c.inner && !c.behindSign {
		c.rest, c.lineStart, c.cr, c.ends = true, false, false, 0
		c.pos++
		return noEvent, i
	}
	if b == '{' && !c.inner {
		c.open, c.sure, c.lineStart, c.cr, c.ends = i, false, false, false, 0
		c.pos++
		return noEvent, i
	}
	if i-c.word > maxUnclosed { // too far to go back
		c.word = -1
	}
	if i-c.one > maxUnclosed {
		c.one = -1
	}
	var e event
	at := i
	if b == '[' {
		e, at = c.tag(buf, to)
	} else {
		e, at = c.text(buf, to, b)
		c.content = true
	}
	c.lineStart, c.cr, c.ends = false, false, 0
	return e, at
}

// endLine reads a line end. Words of the line that ends are no part of the next one.
func (c *scanner) endLine(b byte) {
	if b == '\n' && c.cr {
		c.cr = false
		return
	}
	c.cr, c.lineStart, c.begun, c.midline = b == '\r', true, false, false
	c.ends++
	c.gap = c.gap || c.ends > 1
	if c.prose || !c.dotted {
		c.number, c.one, c.dotted = false, -1, false
	}
	if c.one < 0 && !c.number {
		c.word = -1
	}
	c.prose = false
}

// tag reads what starts with a bracket.
func (c *scanner) tag(buf []byte, to int) (event, int) {
	i := c.pos
	name, _, n, ok, _ := scanTag(buf[i:to])
	if !ok {
		c.content = true
		c.unknown()
		return noEvent, i
	}
	e := noEvent
	if c.content {
		c.start(true)
		e = gameEvent
	}
	c.tagged, c.event = true, c.event || isEvent(name)
	c.pos += n
	c.value = i+n == to && buf[to-1] != ']'
	return e, i
}

// start begins another game.
func (c *scanner) start(tagged bool) {
	*c = scanner{pos: c.pos, cr: c.cr, later: -1, open: -1, result: -1, word: -1, one: -1, suspect: true, inner: c.inner, behindSign: c.behindSign,
		tagged: tagged, free: true, content: !tagged, midline: c.begun, begun: c.begun}
}

// unknown reads one byte that begins nothing known.
func (c *scanner) unknown() {
	if c.word < 0 {
		c.word = c.pos
	}
	c.prose, c.first = true, false
	c.pos++
}

// text reads a parenthesis, mark, number, result or word.
func (c *scanner) text(buf []byte, to int, b byte) (event, int) {
	i := c.pos
	switch {
	case b == '(':
		c.depth++
		c.pos, c.first = i+1, true
		return noEvent, i
	case b == ')':
		if c.depth > 0 {
			c.depth--
		}
		if c.result > c.depth {
			c.result = -1
		}
		c.pos++
	case b == '$':
		for c.pos = i + 1; c.pos < to && classes[buf[c.pos]] == digitByte; c.pos++ {
		}
	case b == '*':
		return c.readResult(1)
	case b >= '0' && b <= '9' || b >= 0x80:
		if n := c.resultAt(buf[i:to]); n > 0 {
			return c.readResult(n)
		} else if n := c.numberAt(buf[i:to]); n > 0 {
			return c.readNumber(buf[:to], n), i
		} else {
			return c.readWord(buf, to)
		}
	case classes[b] == letterByte || b == '@':
		return c.readWord(buf, to)
	case b == 0 || b == 0x1a || classes[b] == badByte:
		c.unknown()
	default: // marks
		c.pos++
	}
	c.first = false
	return noEvent, i
}

// behind reports whether pos stands behind a result.
func (c *scanner) behind() bool {
	if c.depth == 0 {
		return c.over
	}
	return c.result == c.depth
}

// readResult reads a result of n bytes. Behind words behind another result it ends a game of nothing but words.
func (c *scanner) readResult(n int) (event, int) {
	e, at := noEvent, c.word
	c.pos += n
	if c.depth == 0 && c.over && at >= 0 {
		c.start(false)
		e = gameEvent
	}
	c.begun = true
	if c.depth == 0 {
		c.over = true
	} else {
		c.result = c.depth
	}
	c.word, c.one, c.number, c.dotted, c.prose, c.first = -1, -1, false, false, false, false
	return e, at
}

// resultAt returns the length of the result that text opens with, or 0.
func (c *scanner) resultAt(text []byte) int {
	if _, n := resultAt(text); n > 0 {
		return n
	}
	if text[0] == 0xbd {
		return 1
	}
	if bytes.HasPrefix(text, []byte("½")) {
		return len("½")
	}
	return 0
}

// numberAt returns the number of digits of the move number that text opens with, or 0.
func (c *scanner) numberAt(text []byte) int {
	n := 0
	for n < len(text) && classes[text[n]] == digitByte {
		n++
	}
	switch {
	case n == 0 || n > 3 || text[0] == '0':
		return 0
	case n == len(text) || text[n] == '.' || isSpace(text[n]) || text[n] >= 0x80:
		return n
	case classes[text[n]] == letterByte || text[n] == '{' || text[n] == '(' || text[n] == '$':
		return n
	}
	return 0
}

// readNumber reads a move number of n digits.
func (c *scanner) readNumber(buf []byte, n int) event {
	i := c.pos
	j := skipBlanks(buf, i+n)
	dots := 0
	for ; j < len(buf) && buf[j] == '.'; j++ {
		dots++
	}
	if dots == 0 {
		j = i + n
	}
	white := n == 1 && buf[i] == '1' && dots <= 1 && !bytes.HasPrefix(buf[j:], []byte("…"))
	c.pos, c.prose = j, false
	if white && dots == 1 && c.lineStart && c.ends > 1 && !c.behind() && c.content {
		c.start(false)
		c.number, c.dotted = true, true
		return gameEvent
	}
	if c.word < 0 {
		c.word = i
	}
	c.one, c.number, c.dotted = -1, true, dots > 0
	if white && (c.behind() || c.free && c.moves >= 2 && !c.first && (!c.strict || c.lineStart)) {
		c.one, c.number = i, false
	}
	c.first = false
	return noEvent
}

// skipBlanks returns the first index in text[i:] that is no blank of its line.
func skipBlanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

// readWord reads a word, a move as a rule.
func (c *scanner) readWord(buf []byte, to int) (event, int) {
	i := c.pos
	j, dash := i+1, false
	for j < to && (moveBytes[buf[j]] || buf[j] >= 0x80) {
		dash = dash || buf[j] == '-' || buf[j] == '/' || buf[j] >= 0x80
		j++
	}
	word, over := buf[i:j], false
	if dash {
		for k := 1; k < len(word) && len(word) < 32; k++ {
			if n := c.resultAt(word[k:]); n > 0 && k+n == len(word) {
				word, over = word[:k], true
				break
			}
		}
	}
	c.pos = j
	e, at := noEvent, i
	if isMove(word) {
		e, at = c.readMove(i)
	} else {
		if c.word < 0 {
			c.word = i
		}
		c.prose = true
	}
	c.first = false
	if over { // glued to the word
		if e2, at2 := c.readResult(0); e == noEvent {
			e, at = e2, at2
		}
	}
	return e, at
}

// readMove reads a move that starts at index i.
func (c *scanner) readMove(i int) (event, int) {
	e, at := noEvent, i
	if c.word >= 0 {
		at = c.word
	}
	switch {
	case c.one >= 0:
		e, at = gameEvent, c.one
	case c.behind() && c.number:
		e = moveEvent
		c.over = false
	case c.behind() && c.depth > 0 && c.word >= 0: // words behind a result in a variation
		c.result = -1
	case c.behind():
		e = gameEvent
	case c.over: // a variation behind a result
	case c.free && !c.number && c.moves > 0 && !c.numbered() && c.gap:
		e = gameEvent
	}
	if e == gameEvent {
		numbered := c.one >= 0
		c.start(false)
		if c.moves, c.begun = 1, true; numbered {
			c.numbers = 1
		}
		return e, at
	}
	c.begun = true
	if c.depth == 0 {
		c.moves++
		if c.number {
			c.numbers++
		}
	}
	c.word, c.one, c.number, c.dotted, c.prose, c.gap = -1, -1, false, false, false, false
	return e, at
}

// hasMoves reports whether a word of text looks like a move.
func hasMoves(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if from := i; classes[text[i]] == letterByte || text[i] >= 0x80 {
			for i < len(text) && (moveBytes[text[i]] || text[i] >= 0x80) {
				i++
			}
			if isMove(text[from:i]) {
				return true
			}
		}
	}
	return false
}

// numbered reports whether the moves of the game have numbers, but for a stray one.
func (c *scanner) numbered() bool {
	return 4*c.numbers >= c.moves && (c.numbers > 1 || c.moves <= 2)
}

// isMove reports whether a word looks like a move: castling, or a square behind nothing but a piece's letter or sign,
// files, ranks and the signs of captures.
func isMove(word []byte) bool {
	if len(word) >= 3 && (word[0] == 'O' || word[0] == '0' || word[0] == 'o') && word[1] != word[0] {
		k := 1
		for k < len(word) && (word[k] == '-' || word[k] >= 0x80) {
			k++
		}
		return k > 1 && k < len(word) && word[k] == word[0]
	}
	for i := 0; i+1 < len(word) && i < 16; i++ {
		b, file := word[i], word[i]|0x20
		if file >= 'a' && file <= 'h' && word[i+1] >= '1' && word[i+1] <= '8' {
			return true
		}
		known := b >= 'a' && b <= 'h' || b >= '1' && b <= '8' || b == 'x' || b == 'X' || b == '-' || b == ':' || b >= 0x80
		if !known && (i > 0 || b < 'A' || b > 'z') {
			return false
		}
	}
	return false
}

// plain reports whether skipping ahead is allowed here.
func (c *scanner) plain() bool {
	return c.tagged && !c.suspect && c.content && !c.over && c.depth == 0 && c.open < 0 && !c.rest && !c.value
}

// single reports whether it is plain that no game starts before the index to, which needs no state of the scanner:
// there is no tag, and nothing that may be a result but the last thing.
func (c *scanner) single(buf []byte, to int) bool {
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
		c.ends, c.lineStart, c.cr = 0, false, false
	}
	c.word, c.one, c.number, c.dotted, c.prose = -1, -1, false, false, false
	c.moves = 2
	for c.pos = i; c.pos < at; c.pos++ {
		if b := buf[c.pos]; b == '\n' || b == '\r' {
			c.endLine(b)
		} else {
			c.cr = false
		}
	}
}

// resultMarks finds bytes that stand in results and in little else.
type resultMarks struct {
	text                            []byte
	dash, slash, star, colon, other int // next one of each kind, where it has been looked for
}

// next returns the index of the next byte at or behind from that may belong to a result, or the length of the text.
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

// nextMark returns the index in text, at or behind from, of the next mark between characters of a result, or the length
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

// isScore reports whether two characters around a mark can be those of a result, and not those of castling.
func isScore(before, behind byte) bool {
	return (before == '0' || before == '1' || before == '5') && (behind >= '0' && behind <= '2') &&
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
