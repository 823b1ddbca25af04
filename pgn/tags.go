package pgn

import "bytes"

// maxTagName bounds the name of a tag, so that a line is known to open a tag after a bounded look at it.
const maxTagName = 255

// blanks are what counts as blank in PGN text: ASCII blanks, the NUL bytes some tools leave at line ends and the
// control-Z of DOS files.
const blanks = " \t\n\v\f\r\x00\x1a"

// isSpace reports whether a byte is one of blanks.
func isSpace(c byte) bool {
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0 || c == 0x1a
}

// skipSpace returns the first index in text[i:] that is no blank, no-break space or byte order mark.
func skipSpace(text []byte, i int) int {
	for i < len(text) {
		switch {
		case isSpace(text[i]):
			i++
		case text[i] < 0x80:
			return i
		case hasMark(text[i:]):
			i += 3
		case hasNoBreak(text[i:]):
			i += 2
		default:
			return i
		}
	}
	return i
}

// hasMark reports whether text opens with a UTF-8 byte order mark. Marks occur inside a file too, where files
// were pasted together.
func hasMark(text []byte) bool {
	return len(text) >= 3 && text[0] == 0xef && text[1] == 0xbb && text[2] == 0xbf
}

// hasNoBreak reports whether text opens with a no-break space in UTF-8.
func hasNoBreak(text []byte) bool { return len(text) >= 2 && text[0] == 0xc2 && text[1] == 0xa0 }

// tagName returns the name of the tag that text opens with: a bracket, a name of letters, digits and
// underscores, and the quote of the value. ok is false when text opens with anything else, as in “[%clk 0:01]”.
func tagName(text []byte) (name []byte, quote int, ok bool) {
	if len(text) < 4 || text[0] != '[' {
		return nil, 0, false
	}
	i := 1
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') && i < maxTagName {
		i++
	}
	start := i
	for i < len(text) && isNameByte(text[i]) && i-start < maxTagName {
		i++
	}
	name = text[start:i]
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') && i-start < 2*maxTagName {
		i++
	}
	if hasNoBreak(text[i:]) {
		i += 2
	}
	if len(name) == 0 || i >= len(text) || text[i] != '"' {
		return nil, 0, false
	}
	return name, i, true
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// isEvent reports whether name is the tag that opens the block of a game.
func isEvent(name []byte) bool { return string(name) == "Event" }

// scanTag reads the tag that text opens with (see tagName). value is the raw text between the quotes, escapes
// and all, and next the index after the tag.
//
// The closing quote is the first unescaped one that is followed by a bracket, so values may hold brackets
// and unescaped quotes. A value never runs over its line: when the line ends first, the value ends at the
// last quote with a bracket after it, escaped or not (“[Site "C:\"]”), or else at the end of the line. err says that
// the value took in another tag or moves, as it was not closed.
func scanTag(text []byte) (name, value []byte, next int, ok bool, err error) {
	name, quote, ok := tagName(text)
	if !ok {
		return nil, nil, 0, false, nil
	}
	start, last, lastNext := quote+1, -1, 0
	i := start
	for ; i < len(text) && text[i] != '\n' && text[i] != '\r'; i++ {
		if text[i] != '"' {
			continue
		}
		j := i + 1
		for j < len(text) && (text[j] == ' ' || text[j] == '\t') {
			j++
		}
		if j >= len(text) || text[j] != ']' {
			if k := bytes.LastIndexByte(text[start:i], '['); k >= 0 && err == nil {
				if _, quote, ok := tagName(text[start+k:]); ok && start+k+quote == i {
					err = errTag
				}
			}
			continue
		}
		last, lastNext = i, j+1
		if !isEscaped(text[start:i]) {
			break
		}
	}
	if last < 0 {
		if hasMoves(text[start:i]) {
			err = errTag
		}
		return name, bytes.TrimRight(text[start:i], " \t\"]"), i, true, err
	}
	return name, text[start:last], lastNext, true, err
}

// hidesMove reports whether a line that opens with a bracket, but with no tag, has moves: directly after the bracket,
// or after a closing one.
func hidesMove(line []byte) bool {
	if i := indexLineEnd(line); i >= 0 {
		line = line[:i]
	}
	word := line[skipBlanks(line, 1):]
	n := 0
	for n < len(word) && !isSpace(word[n]) {
		n++
	}
	if n > 0 && (classes[word[0]] == digitByte || isMove(word[:n]) || classes[word[0]] != letterByte &&
		hasMoves(line)) {
		return true
	}
	end := bytes.IndexByte(line, ']')
	return end >= 0 && hasMoves(line[end:])
}

// isEscaped reports whether the byte after text is escaped: whether text ends in an odd number of backslashes.
func isEscaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// valueEnd returns the length of the rest of a tag's value and its closing quote and bracket. closed is false when
// text ends first.
func valueEnd(text []byte) (n int, closed bool) {
	for n < len(text) {
		c := text[n]
		if c == '\n' || c == '\r' {
			return n, true
		}
		n++
		if j := skipBlanks(text, n); c == '"' && j < len(text) && text[j] == ']' {
			return j + 1, true
		}
	}
	return n, false
}
