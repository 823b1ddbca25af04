package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quotedName    = regexp.MustCompile("`([^`]+)`")
	qualifiedName = regexp.MustCompile(`^([a-z]+)\.([A-Z]\w*)$`)
	repoPath      = regexp.MustCompile(`^[a-z][\w-]*(/[\w.-]+)*(\.go)?$`)
)

// packages returns the folders with Go code, by their paths.
func packages(t *testing.T, root string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "testdata" || name != root && entry.Name()[0] == '.') {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			dir, failed := filepath.Rel(root, filepath.Dir(name))
			found[filepath.ToSlash(dir)], err = true, failed
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// declares reports whether a folder's package has a declaration of that name at its top.
func declares(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == name {
					return true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name == name {
						return true
					}
					if s, ok := s.(*ast.ValueSpec); ok && s.Names[0].Name == name {
						return true
					}
				}
			}
		}
	}
	return false
}

// mapFaults returns what a page of the map names and the code does not have, and which rooms it leaves out.
func mapFaults(t *testing.T, root, text string) (faults []string) {
	t.Helper()
	all := packages(t, root)
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		return err == nil
	}
	named := map[string]bool{}
	last := "." // the room that was named last
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		room := len(cells) > 3 && regexp.MustCompile(`^ \d* *$`).MatchString(cells[1]) // a line of the floors
		if room {
			last = "."
		}
		for _, match := range quotedName.FindAllStringSubmatch(line, -1) {
			name := match[1]
			if q := qualifiedName.FindStringSubmatch(name); q != nil {
				found := false
				for dir := range all {
					found = found || path.Base(dir) == q[1] && declares(t, filepath.Join(root, dir), q[2])
				}
				if !found {
					faults = append(faults, "no package declares "+name)
				}
				continue
			}
			beside := path.Join(path.Dir(last), name)
			switch {
			case !repoPath.MatchString(name):
			case room && all[path.Join(last, name)] && last != ".":
				named[path.Join(last, name)] = true // part of a room
			case room && all[beside] && last != "." && !exists(name):
				named[beside], last = true, beside // one more below the same folder
			case exists(name):
				named[name] = true
				if all[name] || room {
					last = name
				} else if all[path.Dir(name)] {
					last = path.Dir(name)
				}
			case strings.HasSuffix(name, ".go") && exists(path.Join(last, name)):
			case strings.Contains(name, "/") || strings.HasSuffix(name, ".go") || room && last == ".":
				faults = append(faults, "there is no "+name)
			}
		}
	}
	for dir := range all {
		top, below, _ := strings.Cut(dir, "/")
		switch {
		case top == "scripts", strings.Contains(dir, "/internal/"), strings.HasSuffix(dir, "test"), named[dir]:
		case top == "internal" || below == "":
			faults = append(faults, "the map leaves out "+dir)
		case !named[top] && !named[path.Dir(dir)]:
			faults = append(faults, "the map leaves out the room of "+dir)
		}
	}
	return faults
}

// What the map of docs/9-development.md names is there, and it names all rooms.
func TestMap(t *testing.T) {
	text, err := fs.ReadFile(repository, "docs/9-development.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, found := strings.Cut(string(text), "\n## The map\n")
	if !found {
		t.Fatal("docs/9-development.md has no map")
	}
	for _, fault := range mapFaults(t, "../..", page) {
		t.Error(fault)
	}
	for from, to := range map[string]string{
		"`play/mcts/methods.go`": "`play/mcts/ways.go`", "`fleet.Kind`": "`fleet.Manner`", "`shards` |": "`shard` |",
		"`internal/durable`": "`internal/lasting`", "`program.go`": "`programme.go`", "| 13 | `studio`": "| 13 | `atelier`",
	} {
		if !strings.Contains(page, from) {
			t.Errorf("the map no longer has %s", from)
		} else if len(mapFaults(t, "../..", strings.ReplaceAll(page, from, to))) == 0 {
			t.Errorf("%s in place of %s is not found", to, from)
		}
	}
}
