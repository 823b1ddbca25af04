// Package golden reads the numbers that tests compare with: compressed JSON that another program wrote, such as a
// script on python-chess or PyTorch.
package golden

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"
)

// Words are 64-bit words, in JSON a list of hexadecimal numbers in quotes.
type Words []uint64

// UnmarshalJSON reads the list.
func (w *Words) UnmarshalJSON(text []byte) error {
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*w = nil
	for i, s := range list {
		word, err := strconv.ParseUint(s, 16, 64)
		if err != nil {
			return fmt.Errorf("word %d: %w", i+1, err)
		}
		*w = append(*w, word)
	}
	return nil
}

// Read returns the one value of a gzip file.
func Read[T any](t testing.TB, path string) (value T) {
	t.Helper()
	if err := json.Unmarshal(readGzip(t, path), &value); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return value
}

// Lines returns the values of a gzip file, one a line. Fewer than least are an error.
func Lines[T any](t testing.TB, path string, least int) (values []T) {
	t.Helper()
	for line := range bytes.Lines(readGzip(t, path)) {
		var value T
		if err := json.Unmarshal(line, &value); err != nil {
			t.Fatalf("%s, line %d: %v", path, len(values)+1, err)
		}
		values = append(values, value)
	}
	if len(values) < least {
		t.Fatalf("%s has %d lines, want at least %d", path, len(values), least)
	}
	return values
}

func readGzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return text
}
