package pgn

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"talbot/dataset"
)

// tagNames are the tags that are read. The first keptTags of them a line keeps as text; of the others, Result and the
// ratings become fields, FEN the start position.
var tagNames = [...]string{
	"Event", "Site", "Date", "Round", "White", "Black", "ECO", "TimeControl", "Termination",
	"UTCDate", "UTCTime", "EventDate", "WhiteTitle", "BlackTitle", "GameId", "WhiteTimeControl",
	"BlackTimeControl",
	tagResult: "Result", tagWhiteElo: "WhiteElo", tagBlackElo: "BlackElo", tagFEN: "FEN", tagVariant: "Variant",
	tagSetUp: "SetUp",
}

const (
	keptTags  = 17
	tagResult = keptTags + iota - 1
	tagWhiteElo
	tagBlackElo
	tagFEN
	tagVariant
	tagSetUp
)

// tagsOfLength has the places of the tags whose names have a length, which leaves few to compare.
var tagsOfLength = func() (t [17][]int) {
	for i, name := range tagNames {
		t[len(name)] = append(t[len(name)], i)
	}
	return t
}()

// tagIndex returns the place of a tag, or −1.
func tagIndex(name []byte) int {
	if len(name) >= len(tagsOfLength) {
		return -1
	}
	for _, i := range tagsOfLength[len(name)] {
		if string(name) == tagNames[i] {
			return i
		}
	}
	if string(name) == "Setup" || string(name) == "SETUP" || string(name) == "setup" {
		return tagSetUp
	}
	return -1
}

// maxValue is the longest tag value that is kept, in bytes; a longer one is cut between characters.
const maxValue = 1 << 10

// tags are the tags of one game that matter. The first tag of a name counts.
type tags struct {
	raw [len(tagNames)][]byte // parts of the game's text
	any bool                  // there is a tag at all

	brokenFEN []byte // a tag of a start position that cannot be read: “[Fen …]”, or without quotes
	otherFEN  []byte // a second FEN tag, with another position: the tags are those of two games

	buf  []byte
	free []dataset.Tag    // its room is for the tags of lines to come
	text *strings.Builder // the same for their values
}

func (t *tags) reset() { clear(t.raw[:]); t.any, t.brokenFEN, t.otherFEN = false, nil, nil }

func (t *tags) add(name, value []byte) {
	t.any = true
	i := tagIndex(name)
	if i < 0 && len(name) == 3 && bytes.EqualFold(name, []byte("FEN")) && hasContent(value) {
		t.brokenFEN = value
	}
	if i == tagFEN && t.raw[i] != nil && hasContent(value) && !bytes.Equal(bytes.TrimSpace(value), t.raw[i]) {
		t.otherFEN = value
	}
	if i >= 0 && t.raw[i] == nil {
		if n := len(value); n == 0 || value[0] <= ' ' || value[n-1] <= ' ' || value[0] >= 0x80 || value[n-1] >= 0x80 {
			value = bytes.TrimSpace(value)
		}
		t.raw[i] = value
	}
}

// get returns the raw value of a tag, or nil.
func (t *tags) get(index int) []byte { return t.raw[index] }

// kept returns the kept tags that say something, in the order of tagNames: values that are empty or only made
// of “?”, “-” and dots are left out. The values are valid UTF-8 and hold no control characters. Tags and values are cut
// from pieces of memory that several games share.
func (t *tags) kept() []dataset.Tag {
	if cap(t.free)-len(t.free) < keptTags {
		t.free = make([]dataset.Tag, 0, tagsPiece)
	}
	first := len(t.free)
	for i, name := range tagNames[:keptTags] {
		raw := t.raw[i]
		if !hasContent(raw) {
			continue
		}
		if !isPlain(raw) || len(raw) > maxValue {
			t.buf = appendText(t.buf[:0], raw, maxValue)
			raw = t.buf
		}
		if len(raw) > 0 {
			t.free = append(t.free, dataset.Tag{Name: name, Value: t.keep(raw)})
		}
	}
	if first == len(t.free) {
		return nil
	}
	return t.free[first:len(t.free):len(t.free)]
}

const (
	tagsPiece = 1 << 10  // tags
	textPiece = 64 << 10 // bytes
)

// keep returns a copy of a value.
func (t *tags) keep(value []byte) string {
	if t.text == nil || t.text.Cap()-t.text.Len() < len(value) {
		t.text = new(strings.Builder)
		t.text.Grow(textPiece)
	}
	from := t.text.Len()
	t.text.Write(value) // what String returned before stays what it is: there is room
	return t.text.String()[from:]
}

// hasContent reports whether a value holds more than the signs for what is not known.
func hasContent(value []byte) bool {
	for _, c := range value {
		if c != '?' && c != '-' && c != '.' && c != '/' && c != ' ' {
			return true
		}
	}
	return false
}

// isPlain reports whether a value is printable ASCII without escapes, as nearly all are.
func isPlain(value []byte) bool {
	for _, c := range value {
		if c < ' ' || c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
}

// appendText appends a tag value without its escapes, as valid UTF-8 of at most limit bytes. A value that is
// not valid UTF-8 is taken as Windows-1252, which has Latin-1 in it; the code pages of DOS cannot be told from it
// and come out as other letters. Control characters become blanks.
func appendText(dst, value []byte, limit int) []byte {
	start, latin := len(dst), !utf8.Valid(value)
	for i := 0; i < len(value); {
		c, size := rune(value[i]), 1
		switch {
		case c == '\\' && i+1 < len(value) && (value[i+1] == '"' || value[i+1] == '\\'):
			c, size = rune(value[i+1]), 2
		case c >= 0x80 && latin:
			c = fromWindows(value[i])
		case c >= 0x80:
			c, size = utf8.DecodeRune(value[i:])
		}
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			c = ' '
		}
		if len(dst)-start+utf8.RuneLen(c) > limit {
			break
		}
		dst = utf8.AppendRune(dst, c)
		i += size
	}
	return append(dst[:start], bytes.TrimSpace(dst[start:])...)
}

// windows1252 holds the characters of the bytes 0x80 to 0x9f; five bytes have none.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

func fromWindows(c byte) rune {
	if c >= 0x80 && c < 0xa0 {
		return windows1252[c-0x80]
	}
	return rune(c)
}

// parseResult reads the value of a Result tag; what is no result is unknown.
func parseResult(value []byte) dataset.Result {
	if r, n := resultAt(value); n == len(value) {
		return r
	}
	return dataset.ResultUnknown
}

// parseElo reads a rating: the leading digits of the value, 0 (unknown) if there are none or the number is over
// 4999, which no rating reaches.
func parseElo(value []byte) int {
	n := 0
	for _, c := range value {
		if c < '0' || c > '9' {
			break
		}
		if n = 10*n + int(c-'0'); n > 4999 {
			return 0
		}
	}
	return n
}

// variantOf says whether a Variant tag names chess (""), Chess960, or another variant.
func variantOf(value []byte) dataset.Reason {
	name := strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' {
			return -1
		}
		return r
	}, strings.ToLower(string(value)))
	switch {
	case name == "", name == "?", name == "standard", name == "normal", name == "chess", name == "fromposition",
		name == "regular", name == "classic", name == "orthodox", name == "standardchess", name == "normalchess":
		return ""
	case strings.Contains(name, "960"), strings.HasPrefix(name, "fischer"), name == "frc", name == "freestyle":
		return dataset.Chess960
	}
	return dataset.Variant
}
