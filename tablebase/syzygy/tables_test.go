package syzygy

import (
	"bytes"
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
)

// Write writes files of these names, such as "KRvK.rtbw", to a folder. They pass for tables of their names, with their
// checksums, and hold no results.
func Write(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		testkit.OK(t, os.WriteFile(filepath.Join(dir, name), Content(t, name), 0o666))
	}
}

// Content is what Write writes: three blocks and the checksum.
func Content(t testing.TB, name string) []byte {
	t.Helper()
	suffix := filepath.Ext(name)
	m := testkit.Value(board.ParseMaterial(strings.TrimSuffix(name, suffix)))(t)
	text := []byte{0x71, 0xe8, 0x23, 0x5d, byte(m.Pieces())<<4 | 1, 0}
	if suffix == ".rtbz" {
		copy(text, "\xd7\x66\x0c\xa5")
	}
	if m.Count(board.White, board.Pawn) > 0 && m.Count(board.Black, board.Pawn) > 0 {
		text = append(text, 0)
	}
	for c := board.White; c <= board.Black; c++ {
		text = append(text, 0x11*(byte(board.King)|byte(c)<<3))
		for pt := board.Pawn; pt < board.King; pt++ {
			for range m.Count(c, pt) {
				text = append(text, 0x11*(byte(pt)|byte(c)<<3))
			}
		}
	}
	const blocks = 3
	for i := len(text); i < blocks*64; i++ {
		text = append(text, byte(i*i))
	}
	return Seal(text)
}

// Seal appends the checksum to a table's content, as its generator does.
func Seal(content []byte) []byte {
	sum, _ := sum(context.Background(), bytes.NewReader(content), make([]byte, chunkBytes), func(int64) {})
	b, _ := hex.DecodeString(sum)
	return append(bytes.Clone(content), b...)
}

// The tables in testdata, which the tests of other packages use, are those of [Content], and in the folder other there
// is one of the same name and size.
func TestTestdata(t *testing.T) {
	want := map[string][]byte{}
	for _, name := range []string{"KQvK.rtbw", "KRvK.rtbw", "KQvKR.rtbw"} {
		want[name] = Content(t, name)
	}
	other := bytes.Clone(want["KQvK.rtbw"])
	other[150]++
	want["other/KQvK.rtbw"] = Seal(other[:len(other)-checksumBytes])
	for name, content := range want {
		path := filepath.Join("testdata", name)
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: %v, or not what it should be", path, err)
		}
	}
}
