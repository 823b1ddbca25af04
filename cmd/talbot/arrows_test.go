package main

import (
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"talbot/internal/testkit"
)

// floors are the rooms from the ground up: a package imports of ours what is in its own room, on its own floor or on a
// lower one. docs/9-development.md has the same picture with a line for each room.
var floors = [][]string{
	{"internal/child", "internal/durable", "internal/fault", "internal/flags", "internal/humanize",
		"internal/ordered", "internal/plain", "internal/progress", "internal/splitmix", "board"},
	{"internal/cache", "internal/chart", "internal/cli", "internal/table", "dataset"},
	{"formats", "tablebase", "pgn", "synth", "shards", "stockfish", "encode", "internal/output"},
	{"network"},
	{"evaluate"},
	{"train"},
	{"fleet"},
	{"play"},
	{"pipeline"},
	{"inspect"},
	{"studio"},
	{"internal/testkit"},
	{"cmd", "scripts"},
}

// knowGoMLX are the rooms that may import GoMLX.
var knowGoMLX = []string{"network", "train", "internal/testkit/tinyrun"}

// floorOf returns the floor of a package, counted from 0; −1 for one in no room.
func floorOf(path string) int {
	return slices.IndexFunc(floors, func(rooms []string) bool {
		return slices.ContainsFunc(rooms, func(room string) bool { return insideRoom(path, room) })
	})
}

// insideRoom reports whether a path is that of a room or of something in it.
func insideRoom(path, room string) bool { return path == room || strings.HasPrefix(path, room+"/") }

// importsOf returns what the files of each package import, tests left out.
func importsOf(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
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
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(rel)
		from := filepath.ToSlash(filepath.Dir(rel))
		if _, ok := found[from]; !ok {
			found[from] = nil
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if strings.HasPrefix(name, "github.com/gomlx/") &&
				!slices.ContainsFunc(knowGoMLX, func(room string) bool { return insideRoom(file, room) }) {
				t.Errorf("%s imports %s", file, name)
			}
			if to, ok := strings.CutPrefix(name, "talbot/"); ok && !slices.Contains(found[from], to) {
				found[from] = append(found[from], to)
			}
		}
		return nil
	})
	testkit.OK(t, err)
	return found
}

// update rewrites testdata/arrows.txt: go test ./cmd/talbot -run TestArrows -update.
var update = flag.Bool("update", false, "rewrite testdata/arrows.txt")

// TestArrows keeps GoMLX in its rooms and every import between our packages, tests left out, on its own floor or on a
// lower one and as testdata/arrows.txt lists it: one import a line, so that a new one is seen in review.
func TestArrows(t *testing.T) {
	const list = "testdata/arrows.txt"
	found := importsOf(t, "../..")
	if len(found) < 50 {
		t.Errorf("only %d packages were looked at", len(found))
	}
	var arrows []string
	for from, imports := range found {
		if floorOf(from) < 0 {
			t.Errorf("%s is in no room: see docs/9-development.md", from)
		}
		for _, to := range imports {
			arrows = append(arrows, from+" -> "+to)
			if floorOf(to) > floorOf(from) {
				t.Errorf("%s imports %s, which is on a higher floor", from, to)
			}
		}
	}
	slices.Sort(arrows)
	text := strings.Join(arrows, "\n") + "\n"
	if *update {
		testkit.OK(t, os.WriteFile(list, []byte(text), 0o666))
	}
	known, err := os.ReadFile(list)
	testkit.OK(t, err)
	before := strings.Fields(strings.ReplaceAll(string(known), " -> ", "->"))
	now := strings.Fields(strings.ReplaceAll(text, " -> ", "->"))
	for _, arrow := range now {
		if !slices.Contains(before, arrow) {
			t.Errorf("%s is a new import: if it is meant, run this test with -update", arrow)
		}
	}
	for _, arrow := range before {
		if !slices.Contains(now, arrow) {
			t.Errorf("%s is gone: run this test with -update", arrow)
		}
	}
}

// TestRoomsNamed checks that the map of docs/9-development.md names every room, and it and the room's doc.go every verb
// of pipeline and inspect.
func TestRoomsNamed(t *testing.T) {
	text, err := os.ReadFile("../../docs/9-development.md")
	testkit.OK(t, err)
	_, page, _ := strings.Cut(string(text), "\n## The map\n")
	for _, floor := range floors {
		for _, room := range floor {
			if !strings.Contains(page, "`"+room+"`") {
				t.Errorf("the map does not name %s", room)
			}
		}
	}
	for _, room := range []string{"pipeline", "inspect"} {
		doc := document(t, room+"/doc.go")
		for _, verb := range testkit.Value(os.ReadDir("../../" + room))(t) {
			if !verb.IsDir() {
				continue
			}
			if !regexp.MustCompile(`(?m)^//\t` + verb.Name() + ` `).MatchString(doc) {
				t.Errorf("%s/doc.go does not name %s", room, verb.Name())
			}
			if !regexp.MustCompile("(?m)^.*\\| `" + room + "` \\|.*`" + verb.Name() + "`").MatchString(page) {
				t.Errorf("the map does not name %s of %s", verb.Name(), room)
			}
		}
	}
}

// What docs/9-development.md tells to add something to is there: files, folders and names of the code.
func TestPlacesToAdd(t *testing.T) {
	_, page, _ := strings.Cut(document(t, "docs/9-development.md"), "\n| to add |")
	page, _, _ = strings.Cut(page, "```")
	var paths, code strings.Builder
	testkit.OK(t, fs.WalkDir(repository, ".", func(path string, d fs.DirEntry, err error) error {
		paths.WriteString("/" + path + "\n")
		if filepath.Ext(path) == ".go" {
			code.WriteString(document(t, path))
		}
		return err
	}))
	known := map[string]bool{}
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(code.String(), -1) {
		known[word] = true
	}
	spans := regexp.MustCompile("`([\\w./]+)`").FindAllStringSubmatch(page, -1)
	if len(spans) < 50 {
		t.Errorf("only %d names", len(spans))
	}
	for _, span := range spans {
		name := span[1]
		file := strings.Contains(name, "/") || slices.Contains([]string{".go", ".js", ".md", ".txt"}, filepath.Ext(name))
		if !strings.Contains(paths.String(), "/"+name+"\n") &&
			(file || !known[name[strings.LastIndex(name, ".")+1:]]) {
			t.Errorf("%q is neither a file nor a name of the code", name)
		}
	}
}
