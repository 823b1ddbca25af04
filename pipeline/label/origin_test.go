package label

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"talbot/dataset"
)

// writtenOrigins are the bytes of a file of origins.
func writtenOrigins(t testing.TB, id [32]byte, list []origin) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), originsName(3))
	if err := writeOrigins(path, id, list); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The origins of many samples, in several records, come back; cut short, or with a byte changed, they do not.
func TestOrigins(t *testing.T) {
	id := [32]byte{1, 2, 3}
	want := []origin{noSearch, ownSearch, firstWorker, originOf(maxWorker), ownSearch}
	b := writtenOrigins(t, id, want)
	if got, err := decodeOrigins(bytes.NewReader(b), id, int64(len(want))); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for n := range len(b) {
		if _, err := decodeOrigins(bytes.NewReader(b[:n]), id, int64(len(want))); !errors.Is(err, dataset.ErrDamaged) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
		flipped := slices.Clone(b)
		flipped[n] ^= 4
		_, err := decodeOrigins(bytes.NewReader(flipped), id, int64(len(want)))
		if !errors.Is(err, dataset.ErrDamaged) {
			t.Errorf("byte %d changed: %v", n, err)
		}
	}
	if _, err := decodeOrigins(bytes.NewReader(b), [32]byte{9}, int64(len(want))); !errors.Is(err, dataset.ErrDamaged) {
		t.Errorf("of another command: %v", err)
	}
	many := slices.Repeat(want, 300_000)
	if got, err := decodeOrigins(bytes.NewReader(writtenOrigins(t, id, many)), id, int64(len(many))); err != nil ||
		!slices.Equal(got, many) {
		t.Errorf("%d of %d, %v", len(got), len(many), err)
	}
}

func FuzzOrigins(f *testing.F) {
	id := [32]byte{1, 2, 3}
	f.Add(writtenOrigins(f, id, []origin{0, 1, 2, 300, 1 << 20}), int64(5))
	f.Add([]byte{}, int64(0))
	f.Fuzz(func(t *testing.T, b []byte, samples int64) {
		list, err := decodeOrigins(bytes.NewReader(b), id, samples)
		if err != nil {
			return
		}
		if int64(len(list)) != samples {
			t.Errorf("%d of %d", len(list), samples)
		}
		again, err := decodeOrigins(bytes.NewReader(writtenOrigins(t, id, list)), id, samples)
		if err != nil || !slices.Equal(again, list) {
			t.Errorf("%v becomes %v, %v", list, again, err)
		}
	})
}
