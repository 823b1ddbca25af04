package pgn

import "bytes"

// scan reads every line that is whole.
func (s *Splitter) scan() {
	for {
		end, next, ok := s.line()
		if !ok {
			return
		}
		switch {
		case s.skipping:
			if s.state == inMoves {
				s.comments.advance(s.buf, next)
			}
			s.skipping = false
		case end-s.pos > s.maxGame:
			s.overlong()
			if s.state == inMoves {
				s.comments.advance(s.buf, next)
			}
			s.skipping = false
		default:
			s.step(end)
		}
		s.pos = next
	}
}

// line finds the line at pos: buf[pos:end], the next one starting at next. Lines end in a line feed, a carriage
// return, or both.
func (s *Splitter) line() (end, next int, ok bool) {
	if s.lf < s.pos {
		s.lf = s.pos + indexOrLen(s.buf[s.pos:s.n], '\n')
	}
	if s.cr < s.pos {
		s.cr = s.pos + indexOrLen(s.buf[s.pos:s.n], '\r')
	}
	switch {
	case s.lf < s.cr:
		return s.lf, s.lf + 1, true
	case s.cr == s.n:
		return s.n, s.n, s.eof && s.pos < s.n
	case s.cr+1 == s.n:
		return s.cr, s.n, s.eof // a line feed may follow
	case s.cr+1 == s.lf:
		return s.cr, s.lf + 1, true
	default:
		return s.cr, s.cr + 1, true
	}
}

func indexOrLen(text []byte, c byte) int {
	if i := bytes.IndexByte(text, c); i >= 0 {
		return i
	}
	return len(text)
}

// step reads the line buf[pos:end]. Almost every line takes one of its short ways out.
func (s *Splitter) step(end int) {
	line := s.buf[s.pos:end]
	if len(line) == 0 {
		s.blank = true
		return
	}
	c := line[0]
	switch {
	case s.state == inMoves && (c > '1' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '{'):
		s.movetext(s.pos, end)
	case s.state == inTags && c == '[' && !s.blank && line[len(line)-1] == ']' &&
		len(line) > 1 && line[1] != 'E' && bytes.IndexByte(line[1:], '[') < 0:
	default:
		s.anyLine(end)
	}
}

// anyLine reads a line of any kind.
func (s *Splitter) anyLine(end int) {
	at := skipSpace(s.buf[:end], s.pos)
	switch {
	case at == end:
		s.blank = true
	case s.buf[s.pos] == '%' || s.state != inMoves && (s.buf[at] == ';' || s.buf[at] == '%'):
		// no part of any game
	default:
		s.border(at, end)
		switch _, _, isTag := tagName(s.buf[at:end]); {
		case s.state == inMoves:
			s.movetext(at, end)
		case isTag:
			s.tagLine(at, end)
		case s.tags && s.buf[at] == '[':
			s.blank = false // a broken tag
		default:
			s.state = inMoves
			s.comments.reset(at, at == s.pos)
			s.movetext(at, end)
		}
	}
}

// border starts a new game at index at, the first byte that is not blank of a line that ends at end, if one
// starts there.
func (s *Splitter) border(at, end int) {
	name, _, isTag := tagName(s.buf[at:end])
	switch {
	case s.state == outside:
		s.startGame(at)
		return
	case isTag:
		if s.state == inMoves {
			s.comments.advance(s.buf, s.pos)
			if s.comments.brace && !s.blank {
				return
			}
			if s.comments.brace || s.comments.content {
				break
			}
			s.state = inTags // only comments so far: the tag block goes on
		}
		if isEvent(name) && (s.blank || s.event) {
			break
		}
		if s.blank && (s.tooLong(s.pos) || s.names.has(s.buf, s.start, s.pos, name)) {
			break
		}
		return
	case s.state == inMoves && isFirstMove(s.buf[at:end]) &&
		(s.blank || !s.tooLong(s.pos) && endsInResult(s.buf[s.start:s.pos])):
		s.comments.advance(s.buf, s.pos)
		if s.comments.brace || !s.comments.content {
			return
		}
	default:
		return
	}
	s.endGame(s.pos)
	s.startGame(at)
}

// isFirstMove reports whether a line starts with “1.” or “1 .”, but not with the “1...” of Black.
func isFirstMove(line []byte) bool {
	if len(line) < 3 || line[0] != '1' {
		return false
	}
	i := 1
	for i < len(line) && line[i] == ' ' {
		i++
	}
	return i+1 < len(line) && line[i] == '.' && line[i+1] != '.'
}

// endsInResult reports whether the last thing in text is the result of a game.
func endsInResult(text []byte) bool {
	i := len(text)
	for i > 0 && isSpace(text[i-1]) {
		i--
	}
	text = text[:i]
	return bytes.HasSuffix(text, []byte("1-0")) || bytes.HasSuffix(text, []byte("0-1")) ||
		bytes.HasSuffix(text, []byte("1/2-1/2")) || bytes.HasSuffix(text, []byte("*"))
}

// startGame starts a game at index at.
func (s *Splitter) startGame(at int) {
	s.state, s.start, s.offset = inTags, at, s.base+int64(at)
	s.tags, s.event, s.blank = false, false, false
	s.names.reset(at)
	s.comments.reset(at, true)
}

// endGame ends the present game before the index end. Comments alone are no game.
func (s *Splitter) endGame(end int) {
	if !s.tags {
		s.comments.advance(s.buf, end)
		if !s.comments.content {
			return
		}
	}
	sp := span{start: s.start, end: end, offset: s.offset, tooLong: s.tooLong(end)}
	if sp.tooLong {
		sp.end = sp.start
	}
	s.spans = append(s.spans, sp)
	s.pending += sp.end - sp.start
}

// tagLine reads a line that opens with a tag at index at: more tags and the first moves may follow on it.
func (s *Splitter) tagLine(at, end int) {
	if at = s.tagRun(at, end); at < end {
		s.movetext(at, end)
	}
}

// tagRun reads the tags that follow each other from index at, and returns the index of what stands behind them.
// If that is not the end of the line, movetext begins there.
func (s *Splitter) tagRun(at, end int) int {
	s.state, s.blank, s.tags = inTags, false, true
	for at < end {
		name, _, next, ok := scanTag(s.buf[at:end])
		if !ok {
			s.state = inMoves
			s.comments.reset(at, false)
			break
		}
		s.event = s.event || isEvent(name)
		at = skipSpace(s.buf[:end], at+next)
	}
	return at
}

// movetext reads movetext in buf[at:end], the rest of a line, and every game that starts on it behind a result.
func (s *Splitter) movetext(at, end int) {
	s.blank = false
	for at < end {
		from := s.gluedEvent(at, end)
		if from < 0 {
			return
		}
		s.endGame(from)
		s.startGame(from)
		at = s.tagRun(from, end)
	}
}

// gluedEvent returns the index in buf[at:end] of an Event tag that stands behind a result and in no comment, or −1.
func (s *Splitter) gluedEvent(at, end int) int {
	for from := at; ; from++ {
		i := bytes.IndexByte(s.buf[from:end], '[')
		if i < 0 {
			return -1
		}
		from += i
		if i = bytes.Index(s.buf[from:end], []byte(`[Event "`)); i < 0 {
			return -1
		}
		from += i
		if !endsInResult(s.buf[at:from]) {
			continue
		}
		if s.comments.advance(s.buf, from); !s.comments.brace && !s.comments.rest {
			return from
		}
	}
}

// overlong reads the start of a line that is longer than any game. The rest of it only goes through the comment
// scanner.
func (s *Splitter) overlong() {
	s.skipping = true
	head := min(s.pos+headSize, s.n)
	at := skipSpace(s.buf[:head], s.pos)
	if s.buf[s.pos] == '%' || s.state != inMoves && at < head && (s.buf[at] == ';' || s.buf[at] == '%') {
		return
	}
	s.border(at, head)
	s.blank = false
	switch name, _, isTag := tagName(s.buf[at:head]); {
	case s.state == inMoves:
	case isTag:
		s.tags, s.event = true, s.event || isEvent(name)
	default:
		s.state = inMoves
		s.comments.reset(at, at == s.pos)
	}
}
