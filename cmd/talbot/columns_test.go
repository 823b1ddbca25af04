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

// TestColumns keeps lines of code and of documents within 120 columns, a tab being four. In tests, data may be wider:
// lines with or within a raw string; and in documents tables, links, commands and HTML.
func TestColumns(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "../.." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() && d.Name() == "log" && filepath.Dir(path) == "../../docs" {
			return filepath.SkipDir
		}
		document := filepath.Ext(path) == ".md"
		if filepath.Ext(path) != ".go" && !document {
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
			if document {
				quotes = strings.Count(text, "```")
				data = raw || strings.Contains(text, "](") || strings.HasPrefix(text, "|") ||
					strings.HasPrefix(text, "<") || strings.HasPrefix(text, "[")
			}
			raw = raw != (quotes%2 == 1)
			if columns := utf8.RuneCountInString(text) + 3*strings.Count(text, "\t"); columns > 120 && !data {
				t.Errorf("%s:%d has %d columns", path, n, columns)
			}
		}
		return lines.Err()
	})
	testkit.OK(t, err)
}
