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

// TestFaults: whatever is wrong with an input is one of the errors, whether it shows at opening, in the head, or at the
// end; a sound input has none.
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
		want error
	}
	all := []input{
		{"zip", strings.NewReader("PK\x03\x04rest"), ErrArchive},
		{"xz", strings.NewReader("\xfd7zXZ\x00rest"), ErrArchive},
		{"7z", strings.NewReader("7z\xbc\xaf\x27\x1c"), ErrArchive}, {"rar", strings.NewReader("Rar!"), ErrArchive},
		{"broken", iotest.ErrReader(broken), ErrRead},
		{"broken later", io.MultiReader(bytes.NewReader(plain), iotest.ErrReader(broken)), ErrRead},
		{"gzip header", strings.NewReader("\x1f\x8b\x08"), ErrPacked},
	}
	for _, text := range texts {
		all = append(all, input{"sound", strings.NewReader(text), nil},
			input{"sound zstd", bytes.NewReader(zstdBytes(t, []byte(text))), nil})
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, mark := range []bool{true, false} {
				b := encode(text, order, mark)
				all = append(all, input{"utf16", bytes.NewReader(b), ErrUTF16},
					input{"utf16 zstd", bytes.NewReader(zstdBytes(t, b)), ErrUTF16},
					input{"utf16 gzip", bytes.NewReader(gzipBytes(t, b)), ErrUTF16})
			}
		}
	}
	zst, gz := zstdBytes(t, plain), gzipBytes(t, plain)
	for n := 11; n < len(zst); n += 997 {
		all = append(all, input{"cut zstd", bytes.NewReader(zst[:n]), ErrPacked})
	}
	for n := 11; n < len(gz); n += 997 {
		all = append(all, input{"cut gzip", bytes.NewReader(gz[:n]), ErrPacked},
			input{"unreadable gzip", io.MultiReader(bytes.NewReader(gz[:n]), iotest.ErrReader(broken)), ErrRead})
	}
	for _, c := range all {
		in, err := NewInput(c.name, c.in)
		if err == nil {
			_, err = in.Head()
		}
		if err == nil {
			_, err = io.Copy(io.Discard, in)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}
