package rows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

// TestFaults: whatever is wrong with an input has a name, whether it shows at opening, in the head, or at the end; a
// sound input has none.
func TestFaults(t *testing.T) {
	encode := func(text string, order binary.AppendByteOrder, mark bool) (b []byte) {
		if mark {
			text = "\ufeff" + text
		}
		for _, c := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, c)
		}
		return b
	}
	texts := []string{"[Event \"é\"]\n\n1. e4 e5 *\n", "FEN,Evaluation\n", "# remark\nstartpos bm e4\n",
		"1. e4 e5 2. Nf3 *"}
	broken := errors.New("broken")
	type input struct {
		name string
		in   io.Reader
		want string
	}
	all := []input{
		{"zip", strings.NewReader("PK\x03\x04rest"), "archive"},
		{"xz", strings.NewReader("\xfd7zXZ\x00rest"), "archive"},
		{"7z", strings.NewReader("7z\xbc\xaf\x27\x1c"), "archive"}, {"rar", strings.NewReader("Rar!"), "archive"},
		{"broken", iotest.ErrReader(broken), "unreadable"},
		{"broken later", io.MultiReader(bytes.NewReader(plain), iotest.ErrReader(broken)), "unreadable"},
		{"gzip header", strings.NewReader("\x1f\x8b\x08"), "damaged"},
	}
	for _, text := range texts {
		all = append(all, input{"sound", strings.NewReader(text), ""},
			input{"sound zstd", bytes.NewReader(zstdBytes(t, []byte(text))), ""})
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, mark := range []bool{true, false} {
				b := encode(text, order, mark)
				all = append(all, input{"utf16", bytes.NewReader(b), "utf16"},
					input{"utf16 zstd", bytes.NewReader(zstdBytes(t, b)), "utf16"},
					input{"utf16 gzip", bytes.NewReader(gzipBytes(t, b)), "utf16"})
			}
		}
	}
	zst, gz := zstdBytes(t, plain), gzipBytes(t, plain)
	for n := 11; n < len(zst); n += 997 {
		all = append(all, input{"cut zstd", bytes.NewReader(zst[:n]), "damaged"})
	}
	for n := 11; n < len(gz); n += 997 {
		all = append(all, input{"cut gzip", bytes.NewReader(gz[:n]), "damaged"},
			input{"unreadable gzip", io.MultiReader(bytes.NewReader(gz[:n]), iotest.ErrReader(broken)), "unreadable"})
	}
	for _, c := range all {
		in, err := NewInput(c.name, c.in)
		if err == nil {
			_, err = in.Head()
		}
		if err == nil {
			_, err = io.Copy(io.Discard, in)
		}
		if got := Fault(err); got != c.want || (err == nil) != (c.want == "") {
			t.Errorf("%s: %q, want %q (%v)", c.name, got, c.want, err)
		}
	}
}
