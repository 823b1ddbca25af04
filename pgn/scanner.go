package pgn

import "bytes"

// event is what a scanner has found.
type event uint8

const (
	noEvent   event = iota // the end of the text
	gameEvent              // another game starts
	moveEvent              // a move after a result that starts no game
)

// maxUnclosed is how far after an opening brace or a word the start of a game is looked for, in bytes.
const maxUnclosed = 64 << 10

// scanner follows the movetext of one game to where the next one starts, by the rules of [Splitter], and resolves no
// move. Words after a result that are no moves stay with the game that ended if their line has no move; otherwise they
// belong to the new game, as what they hide is not known. Comments of more than 64 KiB are looked at only as far as
// that.
//
// It is moved lazily. Where it comes to does not depend on the steps, as long as these end between lines, or at the
// breaks of an overlong one.
type scanner struct {
	pos       int // index in the buffer up to which the text has been read
	nextStart int // index of a game that is the next event, or −1

	open          int  // index of the brace of the comment that pos is in, or −1
	closedForSure bool // that comment is certainly one
	hasHiddenGame bool // moves stand in a comment, or after a result, that may be another game's
	inLineComment bool // pos is inside a “;” comment or a “%” line
	inTagValue    bool // pos is inside the value of a tag that the break of an overlong line has cut
	lineStart     bool // pos is at the start of a line, apart from blanks
	cr            bool // the last byte was a carriage return
	lineEnds      int  // line ends since the last byte that is not blank
	blankLine     bool // a blank line has been seen since the last move
	depth         int  // of variations
	first         bool // nothing stands between an opening parenthesis and pos

	lineHasMoves   bool // moves or a result have been seen on this line
	midline        bool // the game starts on this line, after another one
	tagged, event  bool // the game has tags, an Event tag
	free           bool // the rules of games without tags hold: it has none, or they stand after such a game
	content        bool // something other than tags, comments and blanks has been seen
	suspect        bool // skipping ahead is not allowed
	insideComment  bool // reading inside a comment: braces mean nothing
	strict         bool // White's number 1 starts a game at the start of a line only
	afterSign      bool // reading after a semicolon: another one means nothing
	moves          int  // of the main line
	variationMoves int  // moves of the outermost variation that pos is in, and of those inside it
	numbers        int  // of moves
	ended          bool // a result has been read after the last move of the main line
	result         int  // depth of the variation in which one was read last, or −1
	word           int  // index of the first thing of this line that is not understood, or −1
	prose          bool // that is the last thing that was read
	firstNumber    int  // index of White's number 1 that no move has followed yet, or −1
	number         bool // another number that no move has followed yet
	dotted         bool // the number has a dot
}

// reset starts over at pos, the start of a line or the text after a tag.
func (c *scanner) reset(pos int, lineStart bool) {
	*c = scanner{pos: pos, lineStart: lineStart, nextStart: -1, open: -1, result: -1, word: -1, firstNumber: -1}
}

// rebase moves every index by what was dropped from the front of the buffer.
func (c *scanner) rebase(dropped int) {
	c.pos -= dropped
	c.word, c.firstNumber = max(c.word-dropped, -1), max(c.firstNumber-dropped, -1)
	if c.open >= 0 {
		c.open = max(c.open-dropped, 0)
	}
}

// keepFrom returns the index of the first byte that is still needed.
func (c *scanner) keepFrom() int {
	keep := c.pos
	if c.open >= 0 && !c.closedForSure {
		keep = c.open
	}
	for _, i := range [...]int{c.word, c.firstNumber} {
		if i >= 0 && c.pos-i <= maxUnclosed {
			keep = min(keep, i)
		}
	}
	return keep
}

// next reads buf up to the index to, or to the next event, and returns the index that it stands at.
func (c *scanner) next(buf []byte, to int) (event, int) {
	if at := c.nextStart; at >= 0 {
		c.nextStart = -1
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

// nextGame is next, and reads on after moves that start no game.
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
	case c.inLineComment:
		c.skipRest(buf, to)
	case c.inTagValue:
		c.skipValue(buf, to)
	default:
		return c.token(buf, to)
	}
	return noEvent, to
}

// skipRest reads up to the end of the line.
func (c *scanner) skipRest(buf []byte, to int) {
	if i := indexLineEnd(buf[c.pos:to]); i >= 0 {
		c.pos, c.inLineComment = c.pos+i, false
	} else {
		c.pos = to
	}
}

// skipValue reads the rest of a tag's value.
func (c *scanner) skipValue(buf []byte, to int) {
	n, closed := valueEnd(buf[c.pos:to])
	c.pos += n
	c.inTagValue = !closed
}

// token reads what starts at pos, outside of comments.
func (c *scanner) token(buf []byte, to int) (event, int) {
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
	sign := b == ';' && !c.afterSign && (!c.insideComment || c.afterResult())
	if sign {
		e, at := c.semicolon(buf, to)
		if e != noEvent {
			return e, at
		}
		c.hasHiddenGame = c.hasHiddenGame || hidesGame(buf[i:at], !c.free)
	}
	if b == '%' && c.lineStart || sign {
		c.inLineComment, c.lineStart, c.cr, c.lineEnds = true, false, false, 0
		c.pos++
		return noEvent, i
	}
	if b == '{' && !c.insideComment {
		c.open, c.closedForSure, c.lineStart, c.cr, c.lineEnds = i, false, false, false, 0
		c.pos++
		return noEvent, i
	}
	if i-c.word > maxUnclosed { // too far to go back
		c.word = -1
	}
	if i-c.firstNumber > maxUnclosed {
		c.firstNumber = -1
	}
	var e event
	at := i
	if b == '[' {
		e, at = c.tag(buf, to)
	} else {
		e, at = c.text(buf, to, b)
		c.content = true
	}
	c.lineStart, c.cr, c.lineEnds = false, false, 0
	return e, at
}

// endLine reads a line end. Words of the line that ends are no part of the next one.
func (c *scanner) endLine(b byte) {
	if b == '\n' && c.cr {
		c.cr = false
		return
	}
	c.cr, c.lineStart, c.lineHasMoves, c.midline = b == '\r', true, false, false
	c.lineEnds++
	c.blankLine = c.blankLine || c.lineEnds > 1
	if c.ended && c.free && c.depth > 0 { // what a parenthesis after a result opens ends with its line
		c.depth, c.result, c.first, c.hasHiddenGame = 0, -1, false, true
		if c.variationMoves > 0 {
			c.missMoves()
		}
	}
	if c.prose || !c.dotted {
		c.number, c.firstNumber, c.dotted = false, -1, false
	}
	if c.firstNumber < 0 && !c.number {
		c.word = -1
	}
	c.prose = false
}

// missMoves notes that the first moves of a game may have been passed over, so that its rest is no game of its own.
func (c *scanner) missMoves() { c.ended, c.blankLine, c.moves = false, false, max(c.moves, 2) }

// tag reads what starts with a bracket.
func (c *scanner) tag(buf []byte, to int) (event, int) {
	i := c.pos
	name, _, n, ok, err := scanTag(buf[i:to])
	cut := i+n == to && buf[to-1] != ']'
	if !ok || err != nil && !cut || c.insideComment && buf[i+n-1] != ']' { // or it takes in another one
		c.content = true
		c.unknown()
		return noEvent, i
	}
	e := noEvent
	if c.content || c.event && isEvent(name) {
		c.start(true)
		e = gameEvent
	}
	c.tagged, c.event = true, c.event || isEvent(name)
	c.pos += n
	c.inTagValue = cut
	return e, i
}

// unknown reads one byte that begins no known token.
func (c *scanner) unknown() {
	if c.word < 0 {
		c.word = c.pos
	}
	c.prose, c.first = true, false
	c.pos++
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
