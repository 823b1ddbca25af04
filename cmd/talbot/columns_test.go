package main

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"talbot/internal/testkit"
)

// TestColumns keeps lines of code within 120 columns, a tab being four. In tests, data may be wider: lines with or
// within a raw string.
func TestColumns(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "../.." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		raw := false
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			text := lines.Text()
			quotes := strings.Count(text, "`")
			data := (raw || quotes > 0 || strings.HasPrefix(text, "\t{\"")) && strings.HasSuffix(path, "_test.go")
			raw = raw != (quotes%2 == 1)
			if columns := utf8.RuneCountInString(text) + 3*strings.Count(text, "\t"); columns > 120 && !data {
				t.Errorf("%s:%d has %d columns", path, n, columns)
			}
		}
		return lines.Err()
	})
	testkit.OK(t, err)
}
