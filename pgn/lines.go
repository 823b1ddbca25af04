package pgn

import "bytes"

// scan reads every line that is whole.
func (s *Splitter) scan() {
	for {
		goesOn := s.broken
		end, next, ok := s.line()
		if !ok {
			s.broken = goesOn
			return
		}
		if !goesOn {
			s.step(end)
		}
		s.pos = next
		if s.broken && s.state == inMoves {
			s.advance(next)
		}
	}
}

// line finds the line at pos: buf[pos:end], the next one starting at next. Lines end in a line feed, a carriage
// return, or both. Of an overlong line it finds a piece, and sets broken.
func (s *Splitter) line() (end, next int, ok bool) {
	if s.lf < s.pos {
		s.lf = s.pos + indexOrLen(s.buf[s.pos:s.n], '\n')
	}
	if s.cr < s.pos {
		s.cr = s.pos + indexOrLen(s.buf[s.pos:s.n], '\r')
	}
	if s.broken = min(s.lf, s.cr)-s.pos > s.maxLine; s.broken {
		end = s.breakAt()
		return end, end, true
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

// breakAt returns where an overlong line is broken: after a blank and in no tag, if there is such a place near.
func (s *Splitter) breakAt() int {
	end := s.pos + s.maxLine
	near := max(s.pos, end-4096)
	at := near + 1 + bytes.LastIndexAny(s.buf[near:end], " \t")
	if at == near { // none
		at = end
	}
	tag := bytes.LastIndexByte(s.buf[near:at], '[')
	if tag > 0 && bytes.IndexByte(s.buf[near+tag:at], ']') < 0 {
		at = near + tag
	}
	return at
}

func indexOrLen(text []byte, c byte) int {
	if i := bytes.IndexByte(text, c); i >= 0 {
		return i
	}
	return len(text)
}

// step reads the line buf[pos:end]. Almost every line takes one of its fast paths.
func (s *Splitter) step(end int) {
	line := s.buf[s.pos:end]
	if len(line) == 0 {
		s.blank = true
		return
	}
	c := line[0]
	switch {
	case s.state == inMoves && (c > '1' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '{'):
		s.blank = false
	case s.state == inTags && c == '[' && !s.blank && !s.broken && line[len(line)-1] == ']' &&
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
		s.moves.suspect = true // no part of any game
	default:
		s.newGameAt(at, end)
		switch _, _, isTag := tagName(s.buf[at:end]); {
		case s.state == inMoves:
			s.blank = false
			s.moves.suspect = s.moves.suspect || isFirstMove(s.buf[at:end])
		case isTag:
			s.tagLine(at, end)
		case s.tags && s.buf[at] == '[' && !hidesMove(s.buf[at:end]):
			s.blank = false // a broken tag
		default:
			s.startMoves(at, at == s.pos)
		}
	}
}

// newGameAt starts a new game at index at, the first byte that is not blank of a line that ends at end, if one
// starts there. What starts after moves without tags is found by the scanner.
func (s *Splitter) newGameAt(at, end int) {
	name, _, isTag := tagName(s.buf[at:end])
	switch {
	case s.state == outside:
		s.startGame(at)
		return
	case !isTag:
		return
	case s.state == inMoves && s.blank && s.moves.holdsOneGame(s.buf, s.pos):
		s.addGame(s.pos)
		s.startGame(at)
		return
	case s.state == inMoves:
		s.advance(s.pos)
		if s.moves.open >= 0 && !s.blank {
			return
		}
		if s.moves.open >= 0 || s.moves.content {
			break
		}
		s.state = inTags // only comments so far, or tags: the tag block goes on
		s.event = s.event || s.moves.event
		fallthrough
	default:
		if isEvent(name) && (s.blank || s.event) {
			break
		}
		if s.blank && (s.tooLong(s.pos) || s.hasTag(name)) {
			break
		}
		return
	}
	s.endGame(s.pos)
	s.startGame(at)
}

// The part of a tag block that is searched for a name.
const (
	maxNames = 64
	maxBlock = 64 << 10
)

// hasTag reports whether the present tag block has a tag of that name on a line of its own.
func (s *Splitter) hasTag(name []byte) bool {
	block := s.buf[s.start:min(s.pos, s.start+maxBlock)]
	for tags := 0; tags < maxNames; {
		block = block[skipSpace(block, 0):]
		if other, _, ok := tagName(block); ok {
			if tags++; bytes.Equal(other, name) {
				return true
			}
		}
		n := indexLineEnd(block)
		if n < 0 {
			break
		}
		block = block[n+1:]
	}
	return false
}

// isFirstMove reports whether a line starts with “1.” or “1 .”, but not with the “1...” of Black.
func isFirstMove(line []byte) bool {
	if len(line) < 3 || line[0] != '1' {
		return false
	}
	i := skipBlanks(line, 1)
	return i+1 < len(line) && line[i] == '.' && line[i+1] != '.'
}

// startGame starts a game at index at.
func (s *Splitter) startGame(at int) {
	s.free = s.state == inMoves && !s.moves.tagged
	s.state, s.start, s.offset = inTags, at, s.base+int64(at)
	s.tags, s.event, s.blank = false, false, false
}

// startMoves starts the movetext of a game at index at.
func (s *Splitter) startMoves(at int, lineStart bool) {
	s.state, s.blank = inMoves, false
	s.moves.reset(at, lineStart)
	s.moves.tagged, s.moves.free, s.moves.suspect = s.tags, s.free || !s.tags, s.free
	s.moves.event = s.event
	s.moves.content = classes[s.buf[at]] == digitByte || classes[s.buf[at]] == letterByte
}

// advance moves the scanner to the index to, and takes every game that ends on the way.
func (s *Splitter) advance(to int) {
	for s.moves.pos < to || s.moves.nextStart >= 0 {
		if e, at := s.moves.nextGame(s.buf, to); e == gameEvent {
			s.cutAt(at)
		}
	}
}

// cutAt ends the present game before the index at, where the next one starts in movetext.
func (s *Splitter) cutAt(at int) {
	s.addGame(at)
	s.start, s.offset = at, s.base+int64(at)
	s.tags, s.event = s.moves.tagged, false
}

// endGame ends the present game before the index end. Comments alone are no game.
func (s *Splitter) endGame(end int) {
	if s.state == inMoves {
		s.advance(end)
		for s.moves.open >= 0 && !s.moves.closedForSure {
			e, at := s.moves.unclosed(s.buf, end, false)
			if e != gameEvent {
				break
			}
			s.cutAt(at)
			s.advance(end)
		}
	}
	if s.tags || s.state == inMoves && s.moves.content {
		s.addGame(end)
	}
}

// addGame adds the present game, which ends before the index end, to those that were found.
func (s *Splitter) addGame(end int) {
	sp := span{start: s.start, end: end, offset: s.offset, tooLong: s.tooLong(end)}
	if sp.tooLong {
		sp.end = sp.start
	}
	s.spans = append(s.spans, sp)
	s.pending += sp.end - sp.start
}

// tagLine reads a line that opens with a tag at index at: more tags and the first moves may follow on it. An overlong
// line is left to the scanner.
func (s *Splitter) tagLine(at, end int) {
	s.state, s.blank, s.tags = inTags, false, true
	for at < end {
		if s.broken {
			s.startMoves(at, false)
			return
		}
		name, _, next, ok, _ := scanTag(s.buf[at:end])
		if !ok {
			s.startMoves(at, false)
			return
		}
		if isEvent(name) && s.event {
			s.endGame(at)
			s.startGame(at)
			s.tags = true
		}
		s.event = s.event || isEvent(name)
		at = skipSpace(s.buf[:end], at+next)
	}
}
