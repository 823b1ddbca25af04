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
	var b []byte
	done := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if bad := r == utf8.RuneError && n == 1; bad || hostile(r) {
			b = appendEscape(append(b, s[done:i]...), r, s[i], bad)
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return s
	}
	return string(append(b, s[done:]...))
}

// appendEscape appends the escape of a character, or of a byte that is not part of one.
func appendEscape(dst []byte, r rune, first byte, bad bool) []byte {
	switch {
	case bad:
		return fmt.Appendf(dst, `\x%02x`, first)
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r < utf8.RuneSelf:
		return fmt.Appendf(dst, `\x%02x`, r)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
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
	text := p
	if len(w.rest) > 0 {
		text = append(w.rest, p...)
	}
	end := len(text) - partial(text)
	w.buf = w.buf[:0]
	done := 0
	for i := 0; i < end; {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:end])
		}
		if bad := r == utf8.RuneError && n == 1; bad || r != '\n' && r != '\t' && hostile(r) {
			w.buf = appendEscape(append(w.buf, text[done:i]...), r, text[i], bad)
			done = i + n
		}
		i += n
	}
	out := text[:end]
	if done > 0 {
		w.buf = append(w.buf, text[done:end]...)
		out = w.buf
	}
	rest := bytes.Clone(text[end:])
	if len(out) > 0 {
		if _, err := w.to.Write(out); err != nil {
			return 0, err
		}
	}
	w.rest = rest
	return len(p), nil
}

// Flush passes on what waits for the rest of a character.
func (w *Writer) Flush() error {
	if len(w.rest) == 0 {
		return nil
	}
	text := Escape(string(w.rest))
	w.rest = nil
	_, err := io.Copy(w.to, strings.NewReader(text))
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
