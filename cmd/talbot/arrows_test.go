package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which of our packages each room may import. Rooms below one
// inherit its arrows and may import each other.
var arrows = map[string][]string{
	"board":     {},
	"dataset":   {"board"},
	"pgn":       {"board", "dataset"},
	"synth":     {"board", "dataset"},
	"shards":    {"board", "dataset"},
	"stockfish": {"board", "dataset"},
	"encode":    {"board", "dataset"},
	"train":     {"board", "dataset", "shards", "encode"},
	"pipeline":  {"board", "dataset", "pgn", "synth", "shards", "stockfish", "encode"},
	"cmd":       {"board", "dataset", "pgn", "synth", "shards", "stockfish", "encode", "train", "pipeline"},
	"scripts":   {"board", "dataset"},
}

// TestArrows keeps the imports of the rooms in their direction, and GoMLX in
// train.
func TestArrows(t *testing.T) {
	root := "../.."
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		room, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		may, ok := arrows[room]
		if !ok {
			t.Errorf("%s is in no room", rel)
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if strings.HasPrefix(name, "github.com/gomlx/") && room != "train" &&
				rel != filepath.Join("cmd", "talbot", "setup_xla.go") {
				t.Errorf("%s imports %s", rel, name)
			}
			ours, found := strings.CutPrefix(name, "talbot/")
			other, _, _ := strings.Cut(ours, "/")
			if found && other != room && !slices.Contains(may, other) {
				t.Errorf("%s imports %s: the arrow turns back", rel, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("only %d files were looked at", files)
	}
}
