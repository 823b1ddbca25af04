package plain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestEscape goes over all characters: nothing that a terminal obeys or that turns the writing comes through, and what
// prints is left alone.
func TestEscape(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		s := "a" + string(r) + "b"
		got := Escape(s)
		switch {
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r),
			unicode.Is(unicode.Bidi_Control, r):
			if back, err := strconv.Unquote(`"` + got + `"`); err != nil || back != s || got == s {
				t.Errorf("%U: %q", r, got)
			}
		case got != s:
			t.Errorf("%U became %q", r, got)
		}
		var b bytes.Buffer
		fmt.Fprint(NewWriter(&b), s)
		want := got
		if r == '\n' || r == '\t' {
			want = s
		}
		if b.String() != want {
			t.Errorf("%U written as %q", r, b.String())
		}
	}
	for s, want := range map[string]string{
		"": "", "\xff": `\xff`, "é\xc3": `é\xc3`, "\x9b31m": `\x9b31m`, "\xed\xa0\x80": `\xed\xa0\x80`,
		"\ufffd":             "\ufffd",
		"\x1b[31mred\x1b[0m": `\x1b[31mred\x1b[0m`, "a\r\nb\t\x00": `a\r\nb\t\x00`,
	} {
		if got := Escape(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

type stringer string

func (s stringer) String() string { return string(s) }

func TestFprintf(t *testing.T) {
	for _, c := range []struct {
		want, format string
		operands     []any
	}{
		{"a\\nb: 5 %\n", "%s: %d %%\n", []any{"a\nb", 5}},
		{"a\\nb|", "%v|", []any{errors.New("a\nb")}},
		{`"a\nb"`, "%q", []any{"a\nb"}},
		{`\x1b`, "%v", []any{stringer("\x1b")}},
		{`[a\n b]`, "%v", []any{[]string{"a\n", "b"}}},
		{"ab   |  1.50|   x", "%-5s|%6.2f|%*s", []any{"ab", 1.5, 4, "x"}},
		{"+3 007 true <nil>", "%+d %03d %v %v", []any{3, 7, true, nil}},
	} {
		if got := Sprintf(c.format, c.operands...); got != c.want {
			t.Errorf("%q: %q, want %q", c.format, got, c.want)
		}
	}
}

// FuzzWriter: however a text is cut into pieces, it comes out the same, as its lines and cells do from Escape.
func FuzzWriter(f *testing.F) {
	f.Add("é–\u202e\x1b[0m\n\t\xff\xe2\x80", uint64(5))
	f.Add("█\xe2\x80\xa8x", uint64(0))
	f.Fuzz(func(t *testing.T, s string, cuts uint64) {
		var want strings.Builder
		for i, line := range strings.Split(s, "\n") {
			if i > 0 {
				want.WriteByte('\n')
			}
			for k, cell := range strings.Split(line, "\t") {
				if k > 0 {
					want.WriteByte('\t')
				}
				want.WriteString(Escape(cell))
			}
		}
		var b bytes.Buffer
		w := NewWriter(&b)
		last := 0
		for i := range len(s) + 1 {
			if i == len(s) || cuts>>(i%64)&1 == 1 {
				if n, err := io.WriteString(w, s[last:i]); n != i-last || err != nil {
					t.Fatal(n, err)
				}
				last = i
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if b.String() != want.String() || !utf8.Valid(b.Bytes()) {
			t.Errorf("%q in pieces: %q, want %q", s, b.String(), want.String())
		}
	})
}
