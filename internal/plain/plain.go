// Package plain writes text for people: what comes from files, games and engines cannot move the cursor, clear the
// screen, write backwards or pretend to be a line of its own.
//
// Control characters (C0, DEL and C1, so every escape sequence), the marks and overrides of the writing direction, line
// and paragraph separators, and bytes that are no UTF-8 are shown as a Go string literal has them: \n, \x1b, \u202e,
// \xff. All else stays as it is.
//
// Values are made plain by [Fprintf] and [Sprintf], whole texts by a [Writer], which leaves line ends and tabs. The
// package starts no goroutines; a Writer belongs to one at a time.
package plain

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// hostile reports whether a character is shown as an escape.
func hostile(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f: // C0; DEL and C1
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // direction
	case r == 0x2028, r == 0x2029: // separators
	default:
		return false
	}
	return true
}

// Escape returns a value as it is shown.
func Escape(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, hostile) {
		return s
	}
	return string(appendEscaped(nil, s, ""))
}

// appendEscaped appends a text with its hostile characters escaped, except those of layout.
func appendEscaped(dst []byte, s, layout string) []byte {
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1, hostile(r) && r < utf8.RuneSelf && !strings.ContainsRune(layout, r):
			dst = appendByte(dst, s[i])
		case hostile(r) && r >= utf8.RuneSelf:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, s[i:i+n]...)
		}
	}
	return dst
}

// appendByte appends the escape of a byte.
func appendByte(dst []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return fmt.Appendf(dst, `\x%02x`, c)
}

// Fprintf is [fmt.Fprintf] whose operands are made plain: what each gives is shown as [Escape] does. The format stays
// as it is.
func Fprintf(w io.Writer, format string, operands ...any) (int, error) {
	return fmt.Fprintf(w, format, wrap(operands)...)
}

// Sprintf is [fmt.Sprintf] with operands as of [Fprintf].
func Sprintf(format string, operands ...any) string { return fmt.Sprintf(format, wrap(operands)...) }

func wrap(operands []any) []any {
	all := make([]any, len(operands))
	for i, v := range operands {
		switch v.(type) {
		case nil, bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64:
			all[i] = v // also a width
		default:
			all[i] = operand{v}
		}
	}
	return all
}

// operand is a value that is formatted plain.
type operand struct{ value any }

// Format formats the value as it would be, and escapes that.
func (o operand) Format(f fmt.State, verb rune) {
	io.WriteString(f, Escape(fmt.Sprintf(fmt.FormatString(f, verb), o.value))) // the fmt package keeps the error
}

// Writer passes on a text with hostile characters escaped, except line ends and tabs, which lay it out.
type Writer struct {
	to   io.Writer
	rest []byte // the beginning of a character, of the last Write
	buf  []byte
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write passes on p, except for an incomplete character at its end, which waits for the next Write.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	end := len(text) - partial(text)
	w.buf = appendEscaped(w.buf[:0], string(text[:end]), "\n\t")
	if len(w.buf) > 0 {
		if _, err := w.to.Write(w.buf); err != nil {
			return 0, err
		}
	}
	w.rest = bytes.Clone(text[end:])
	return len(p), nil
}

// Flush passes on what waits for the rest of a character.
func (w *Writer) Flush() error {
	rest := w.rest
	w.rest = nil
	_, err := w.to.Write(appendEscaped(nil, string(rest), ""))
	return err
}

// partial returns how many bytes at the end of p are the beginning of a character.
func partial(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
