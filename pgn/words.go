package pgn

import "bytes"

// start begins another game.
func (c *scanner) start(tagged bool) {
	*c = scanner{pos: c.pos, cr: c.cr, nextStart: -1, open: -1, result: -1, word: -1, firstNumber: -1, suspect: true,
		insideComment: c.insideComment, afterSign: c.afterSign,
		tagged: tagged, free: true, content: !tagged, midline: c.lineHasMoves, lineHasMoves: c.lineHasMoves}
}

// text reads a parenthesis, mark, number, result or word.
func (c *scanner) text(buf []byte, to int, b byte) (event, int) {
	i := c.pos
	switch {
	case b == '(':
		if c.depth == 0 {
			c.variationMoves = 0
		}
		if c.moves > 0 || !c.free { // of no move there is no other one
			c.depth++
		}
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
		c.pos = digitsEnd(buf[:to], i+1)
	case b == '*' && (i+1 >= to || !moveBytes[buf[i+1]]):
		return c.readResult(1)
	case b == '*': // in the middle of a word
		c.unknown()
	case b >= '0' && b <= '9' || b >= 0x80:
		if n := c.resultAt(buf[i:to]); n > 0 {
			return c.readResult(n)
		} else if n := c.numberAt(buf[i:to]); n > 0 && (c.afterResult() || !opensPawnMove(buf[i+n:to])) {
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

// afterResult reports whether pos stands after a result.
func (c *scanner) afterResult() bool {
	if c.depth == 0 {
		return c.ended
	}
	return c.result == c.depth
}

// readResult reads a result of n bytes. After words that follow another result it ends a game of nothing but words.
func (c *scanner) readResult(n int) (event, int) {
	e, at := noEvent, c.word
	c.pos += n
	if c.depth == 0 && c.ended && at >= 0 {
		c.start(false)
		e = gameEvent
	}
	c.lineHasMoves = true
	if c.depth == 0 {
		c.ended = true
	} else {
		c.result = c.depth
	}
	c.word, c.firstNumber, c.number, c.dotted, c.prose, c.first = -1, -1, false, false, false, false
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
	n := digitsEnd(text, 0)
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
	if white && dots == 1 && c.lineStart && c.lineEnds > 1 && !c.afterResult() && c.content {
		c.start(false)
		c.number, c.dotted = true, true
		return gameEvent
	}
	if c.word < 0 {
		c.word = i
	}
	c.firstNumber, c.number, c.dotted = -1, true, dots > 0
	if white && (c.afterResult() || c.free && (c.moves >= 2 || c.depth > 0 && c.variationMoves >= 2) && !c.first &&
		(!c.strict || c.lineStart)) {
		c.firstNumber, c.number = i, false
	}
	c.first = false
	return noEvent
}

// skipWide is skipBlanks, and passes over no-break spaces too.
func skipWide(text []byte, i int) int {
	for {
		i = skipBlanks(text, i)
		if !hasNoBreak(text[i:]) {
			return i
		}
		i += 2
	}
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
		e, at = c.readMove(buf, i, to)
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
func (c *scanner) readMove(buf []byte, i, to int) (event, int) {
	e, at := noEvent, i
	if c.word >= 0 {
		at = c.word
	}
	switch {
	case c.firstNumber >= 0:
		e, at = gameEvent, c.firstNumber
	case c.afterResult() && (c.number || c.depth == 0 && continuesGame(buf[i:to])):
		e = moveEvent
		c.ended = false
	case c.afterResult() && c.depth > 0 && c.word >= 0: // words after a result in a variation
		c.result = -1
	case c.afterResult():
		e = gameEvent
	case c.ended: // a variation after a result
	case c.free && !c.number && c.moves > 0 && !c.numbered() && c.blankLine:
		e = gameEvent
	}
	if e == gameEvent {
		numbered := c.firstNumber >= 0
		c.start(false)
		if c.moves, c.lineHasMoves = 1, true; numbered {
			c.numbers = 1
		}
		return e, at
	}
	c.lineHasMoves = true
	if c.depth == 0 {
		c.moves++
		if c.number {
			c.numbers++
		}
	} else {
		c.variationMoves++
	}
	c.word, c.firstNumber, c.number, c.dotted, c.prose, c.blankLine = -1, -1, false, false, false, false
	return e, at
}

// continuesGame reports whether the first move in text, which has no number and stands after a result, is one of the
// game that ended: the number after it, or after two moves, is not that of a game that begins here. Only its line is
// looked at.
func continuesGame(text []byte) bool {
	i := 0
	for moves := 1; moves <= 2; moves++ {
		i = wordEnd(text, i)
		for i < len(text) && (classes[text[i]] == glyphByte || classes[text[i]] == blankByte) && text[i] != '\n' &&
			text[i] != '\r' {
			i++
		}
		n := digitsEnd(text[:min(len(text), i+4)], i) - i
		if n > 0 {
			return i+n < len(text) && text[i+n] == '.' && (moves == 1 || string(text[i:i+n]) != "2")
		}
	}
	return false
}

// hasMoves reports whether a word of text looks like a move.
func hasMoves(text []byte) bool { return behindMove(text) >= 0 }

// behindMove returns the index after the first word of text that looks like a move, or −1.
func behindMove(text []byte) int {
	for i := 0; i < len(text); i++ {
		if from := i; classes[text[i]] == letterByte || text[i] >= 0x80 {
			if i = wordEnd(text, i); isMove(text[from:i]) {
				return i
			}
		}
	}
	return -1
}

// hidesGame reports whether a comment after a semicolon has moves and after them a tag or, in text without tags, a
// result: the semicolon may be a damaged byte, and these a game.
func hidesGame(text []byte, tagged bool) bool {
	if i := indexLineEnd(text); i >= 0 {
		text = text[:i]
	}
	i := behindMove(text)
	for ; i >= 0 && i < len(text); i++ {
		n := 0
		if text[i] == '[' {
			_, n, _ = tagName(text[i:])
		} else if !tagged && !moveBytes[text[i-1]] {
			_, n = resultAt(text[i:])
		}
		if n > 0 {
			return true
		}
	}
	return false
}

// numbered reports whether the moves of the game have numbers, apart from a stray one.
func (c *scanner) numbered() bool {
	return 4*c.numbers >= c.moves && (c.numbers > 1 || c.moves <= 2)
}

// isMove reports whether a word looks like a move: castling, or a square after nothing but a piece's letter or sign,
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
		known := b >= 'a' && b <= 'h' || b >= '1' && b <= '8' || b == 'x' || b == 'X' || b == '-' || b == ':' ||
			b >= 0x80
		if !known && (i > 0 || b < 'A' || b > 'z') {
			return false
		}
	}
	return false
}
