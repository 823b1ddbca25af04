package pgn

import "bytes"

// comment reads the rest of a brace comment.
func (c *scanner) comment(buf []byte, to int) (event, int) {
	window := min(to, c.open+maxUnclosed)
	end := -1
	if i := bytes.IndexByte(buf[c.pos:to], '}'); i >= 0 {
		end = c.pos + i
	}
	if !c.closedForSure {
		swallowed := false
		limit, nested := -1, end >= 0 && end <= window
		switch {
		case nested:
			if i := bytes.LastIndexByte(buf[c.open+1:end], '{'); i >= 0 {
				limit = c.open + 1 + i
				moves := hasMoves(buf[c.open+1 : limit])
				c.hasHiddenGame = c.hasHiddenGame || moves
				swallowed = moves && c.free
			}
		case window == c.open+maxUnclosed:
			limit = window
		}
		if limit >= 0 {
			if e, at := c.unclosed(buf, limit, nested); e != noEvent || c.open == limit {
				return e, at
			}
			c.closedForSure = true
			if swallowed && c.ended && c.depth == 0 { // the game that ended keeps clear of it
				at := c.open
				c.start(false)
				c.open, c.closedForSure, c.hasHiddenGame = at, true, true
				c.missMoves()
				return gameEvent, at
			}
			if swallowed {
				c.missMoves()
			}
		}
	}
	from := c.pos
	if end < 0 {
		c.pos = to
	} else {
		c.pos, c.open, c.lineStart, c.lineEnds = end+1, -1, false, 0
	}
	if (c.lineHasMoves || c.midline) && indexLineEnd(buf[from:c.pos]) >= 0 {
		c.lineHasMoves, c.midline = false, false
	}
	return noEvent, c.pos
}

// unclosed reports the game that starts in the comment at c.open before the index to, if one does: then the comment was
// not closed. With brace set there is an opening brace at to; then it is enough that a game ends before it, and c is
// left at that brace.
func (c *scanner) unclosed(buf []byte, to int, brace bool) (event, int) {
	inner := c.trial(c.open + 1)
	inner.insideComment, inner.strict, inner.hasHiddenGame = true, brace, c.hasHiddenGame
	e, at := inner.nextGame(buf, to)
	switch {
	case e == gameEvent && c.ended && c.depth == 0: // the game that ended keeps clear of the comment
		if inner.tagged || indexLineEnd(buf[c.open:at]) >= 0 {
			inner.nextStart = at
		} // else these may be moves of the comment, of no game
		at = c.open
		fallthrough
	case e == gameEvent:
		inner.insideComment, inner.strict = false, false
		*c = inner
		return e, at
	case brace && inner.afterResult():
		inner.insideComment, inner.strict, inner.inLineComment, inner.open = false, false, false, to
		*c = inner
	}
	return noEvent, to
}

// trial returns a scanner that reads a comment from pos on as if it were none.
func (c *scanner) trial(pos int) scanner {
	return scanner{pos: pos, nextStart: -1, open: -1, result: -1, word: -1, firstNumber: -1, tagged: c.tagged,
		free: c.free, suspect: true, content: true, moves: c.moves, numbers: c.numbers, ended: c.ended}
}

// semicolon reports the game that starts on the line after the semicolon at pos, if its line holds several games, or
// something before the semicolon that is not understood: then the semicolon begins no comment, which would hide them.
func (c *scanner) semicolon(buf []byte, to int) (event, int) {
	end := min(to, c.pos+maxUnclosed)
	if i := indexLineEnd(buf[c.pos:end]); i >= 0 {
		end = c.pos + i
	}
	line := c.trial(c.pos + 1)
	line.afterSign = true
	e, at := line.nextGame(buf, end)
	if e != gameEvent {
		return noEvent, end
	}
	first := line
	if !c.midline && (c.word < 0 || !c.prose) {
		if e, _ := line.nextGame(buf, end); e != gameEvent {
			if c.ended && c.free && !hasLetters(buf[c.pos+1:at]) {
				c.missMoves()
			}
			return noEvent, end
		}
	}
	first.afterSign = false
	*c = first
	return gameEvent, at
}

// hasLetters reports whether there are letters in text, outside of comments.
func hasLetters(text []byte) bool {
	inside := false
	for _, c := range text {
		inside = c == '{' || inside && c != '}'
		if !inside && classes[c] == letterByte {
			return true
		}
	}
	return false
}
