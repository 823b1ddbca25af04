package rows

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

// plain is a text of many games; packed forms of it are made from it.
var plain = func() []byte {
	var b bytes.Buffer
	for i := range 5000 {
		fmt.Fprintf(&b, "[Event \"%d\"]\n[Site \"%x\"]\n\n1. e4 e5 *\n\n", i,
			sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	return b.Bytes()
}()

func zstdBytes(t *testing.T, text []byte, options ...zstd.EOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, options...)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipBytes(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bzip2Bytes is the text "[Event \"a\"]\n\n1. e4 e5 *\n", packed with bzip2 1.0.8.
var bzip2Bytes = []byte("" +
	"\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xe0\xc7\x9c\x2d\x00\x00\x07\xdf\x80\x00\x10\x50\x11\x26\x00" +
	"\x02\x00\x00\x0a\x22\x01\x05\x00\x20\x00\x21\xa8\x32\x30\x27\xa8\x53\x00\x04\xd2\x32\x9e\x7e\xbd\x30" +
	"\x86\xb1\x7a\xa0\xa0\xa9\x3f\x17\x72\x45\x38\x50\x90\xe0\xc7\x9c\x2d")

func TestOpen(t *testing.T) {
	skippable := append([]byte{0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0}, "hint"...)
	zst, gz := zstdBytes(t, plain), gzipBytes(t, plain)
	for name, c := range map[string]struct{ file, want []byte }{
		"plain.pgn":     {plain, plain},
		"wrong.zst":     {plain, plain},
		"a.zst":         {zst, plain},
		"no suffix":     {zst, plain},
		"frames.zst":    {append(bytes.Clone(zst), zst...), append(bytes.Clone(plain), plain...)},
		"skippable.zst": {append(skippable, zst...), plain},
		"a.gz":          {gz, plain},
		"members.gz":    {append(bytes.Clone(gz), gz...), append(bytes.Clone(plain), plain...)},
		"empty.bz2": {[]byte("BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00" + string(bzip2Bytes)),
			[]byte("[Event \"a\"]\n\n1. e4 e5 *\n")}, // it begins with a stream of nothing
		"a.bz2": {bzip2Bytes, []byte("[Event \"a\"]\n\n1. e4 e5 *\n")},
		"empty": {nil, nil},
		"short": {[]byte("1."), []byte("1.")},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			in, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, c.want) {
				t.Errorf("%d bytes of text, want %d", len(got), len(c.want))
			}
			sum, err := in.Sum()
			if err != nil || sum != sha256.Sum256(c.file) {
				t.Errorf("SHA-256 is not that of the file (%v)", err)
			}
			if in.Size() != int64(len(c.file)) || in.RawRead() != int64(len(c.file)) || in.Name() != path {
				t.Errorf("size %d, read %d of %d, name %q", in.Size(), in.RawRead(), len(c.file), in.Name())
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for magic, want := range map[string]string{
		"PK\x03\x04rest": "zip", "\xfd7zXZ\x00rest": "xz", "7z\xbc\xaf\x27\x1c": "7z", "Rar!": "rar",
		"\xff\xfe[\x00": "UTF-16", "LZIP\x01": "lzip", "!<arch>\nx": "ar", "070701": "cpio",
	} {
		if _, err := NewInput("x.pgn", strings.NewReader(magic)); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "x.pgn") {
			t.Errorf("%s: %v", want, err)
		}
	}
	for form, format := range map[string]tar.Format{"ustar": tar.FormatUSTAR, "PAX": tar.FormatPAX,
		"GNU":  tar.FormatGNU,
		"1979": tar.FormatUnknown} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: "t/games.pgn", Size: 9, Mode: 0o644, Format: format}),
			func() error { _, err := w.Write([]byte("1. e4 e5 ")); return err }(), w.Close()); err != nil {
			t.Fatal(err)
		}
		archive := b.Bytes()
		if form == "1979" { // without what came later
			old := archive[:257]
			archive = append(bytes.Clone(old), make([]byte, len(archive)-257)...)
			copy(archive[148:156], "        ")
			sum := 0
			for _, c := range archive[:512] {
				sum += int(c)
			}
			copy(archive[148:156], fmt.Sprintf("%06o\x00 ", sum))
		}
		for name, file := range map[string][]byte{"plain": archive, "gzip": gzipBytes(t, archive),
			"zstd": zstdBytes(t, archive)} {
			if _, err := NewInput("x.pgn", bytes.NewReader(file)); !errors.Is(err, ErrArchive) ||
				!strings.Contains(err.Error(), "tar") {
				t.Errorf("%s, %s: %v", form, name, err)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := NewInput("x.pgn", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a broken reader: %v", err)
	}
}

// TestDamaged cuts packed files and flips a byte of them: the games before the place are read, and the error names
// file and place.
func TestDamaged(t *testing.T) {
	flip := func(b []byte) []byte { b = bytes.Clone(b); b[len(b)*3/4] ^= 0x55; return b }
	cut := func(b []byte) []byte { return b[:len(b)*3/4] }
	zst, gz := zstdBytes(t, plain, zstd.WithWindowSize(64<<10)), gzipBytes(t, plain)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"cut zstd": {cut(zst), "zstd data cut short"}, "flipped zstd": {flip(zst), "zstd data damaged"},
		"cut gzip": {cut(gz), "gzip data cut short"}, "flipped gzip": {flip(gz), "gzip data"},
		"junk behind gzip": {append(bytes.Clone(gz), "junk and more junk"...), "gzip data damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			in, err := NewInput("games.pgn", bytes.NewReader(c.file))
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			if head, err := in.Head(); len(head) < 1000 || err != nil {
				t.Errorf("a head of %d bytes, %v", len(head), err)
			}
			text, err := io.ReadAll(in)
			if err == nil || !strings.Contains(err.Error(), "games.pgn: "+c.want) ||
				!strings.Contains(err.Error(), "near byte") {
				t.Errorf("got error %v, want %q and the place", err, c.want)
			}
			if games := bytes.Count(text, []byte("[Event")); games < 2500 || games > 5100 {
				t.Errorf("%d games before the damage", games)
			}
			sum, err := in.Sum()
			if err != nil || sum != sha256.Sum256(c.file) {
				t.Errorf("SHA-256 is not that of the file (%v)", err)
			}
		})
	}
}

func TestWindowLimit(t *testing.T) {
	// a frame header alone: no single segment, window descriptor exponent 19 = 512 MiB, or 17 = 128 MiB
	for exponent, ok := range map[byte]bool{17: true, 18: true, 19: false} {
		frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, exponent << 3, 0x01, 0x00, 0x00}
		in, err := NewInput("long.zst", bytes.NewReader(frame))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = in.Head(); err == nil || ok {
			_, err = io.ReadAll(in)
		}
		if ok && err != nil {
			t.Errorf("a window of 2^%d is refused: %v", 10+exponent, err)
		}
		if !ok && (!errors.Is(err, zstd.ErrWindowSizeExceeded) || !strings.Contains(err.Error(), "--long=28")) {
			t.Errorf("a window of 2^%d: %v", 10+exponent, err)
		}
		in.Close()
	}
}

func TestReadErrorPlain(t *testing.T) {
	broken := errors.New("disk is gone")
	in, err := NewInput("games.pgn", io.MultiReader(bytes.NewReader(plain), iotest.ErrReader(broken)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(in)
	if want := fmt.Sprintf("games.pgn at byte %d", len(plain)); !errors.Is(err, broken) ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// FuzzInput checks that no packed file breaks the decoders or asks for a lot of memory.
func FuzzInput(f *testing.F) {
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3, 0x01, 0x00, 0x00})
	f.Add([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0})
	f.Add(bzip2Bytes)
	f.Add(plain[:100])
	f.Fuzz(func(t *testing.T, file []byte) {
		in, err := NewInput("fuzz", bytes.NewReader(file))
		if err != nil {
			return
		}
		defer in.Close()
		if _, err := in.Head(); err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, io.LimitReader(in, 1<<20)); err != nil && fmt.Sprint(err) == "" {
			t.Fatal("an error without text")
		}
	})
}

// TestGzipPadding reads gzip files with zero bytes behind their members, and none with anything else there.
func TestGzipPadding(t *testing.T) {
	gz, zeros := gzipBytes(t, plain), make([]byte, 100_000)
	for name, c := range map[string]struct {
		packed []byte
		want   []byte
	}{
		"none":             {gz, plain},
		"one":              {append(bytes.Clone(gz), 0), plain},
		"a block":          {append(bytes.Clone(gz), zeros[:512]...), plain},
		"more than a peek": {append(bytes.Clone(gz), zeros...), plain},
		"two members":      {append(append(bytes.Clone(gz), gz...), 0, 0), append(bytes.Clone(plain), plain...)},
		"an empty member":  {append(append(gzipBytes(t, nil), gz...), 0), plain},
		"between members":  {append(append(bytes.Clone(gz), 0, 0), gz...), nil},
		"junk behind":      {append(append(bytes.Clone(gz), zeros...), 'x'), nil},
	} {
		for _, r := range []io.Reader{bytes.NewReader(c.packed), iotest.OneByteReader(bytes.NewReader(c.packed))} {
			in, err := NewInput(name, r)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(in)
			if (err != nil) != (c.want == nil) || err == nil && !bytes.Equal(text, c.want) {
				t.Errorf("%s: %d bytes, %v", name, len(text), err)
			}
			if sum, err := in.Sum(); c.want != nil && (err != nil || sum != sha256.Sum256(c.packed)) {
				t.Errorf("%s: the hash is not that of the whole file: %v", name, err)
			}
		}
	}
}

// TestTwicePacked: what is packed twice is named.
func TestTwicePacked(t *testing.T) {
	text := []byte("[Event \"a\"]\n\n1. e4 e5 *\n")
	for outer, pack := range map[string]func(text []byte) []byte{
		"gzip": func(text []byte) []byte { return gzipBytes(t, text) },
		"zstd": func(text []byte) []byte { return zstdBytes(t, text) },
	} {
		for inner, data := range map[string][]byte{"gzip": gzipBytes(t, text), "zstd": zstdBytes(t, text),
			"bzip2": bzip2Bytes} {
			_, err := NewInput("x.pgn", bytes.NewReader(pack(data)))
			if !errors.Is(err, ErrArchive) || !strings.Contains(err.Error(), inner+" inside "+outer) {
				t.Errorf("%s inside %s: %v", inner, outer, err)
			}
		}
	}
}
