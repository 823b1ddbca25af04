package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// write makes files, given as names and texts, in a new folder.
func write(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// made is a small release: the folder of its modules, and the list of their packages.
func made(t *testing.T) (dir, list string) {
	dir = write(t, map[string]string{
		"go/LICENSE": "of Go", "a/LICENCE.md": "of a", "a/NOTICE": "notice of a", "a/license.go": "package a",
		"a/deep/er/COPYING": "of a's er", "a/other/LICENSE": "of what is not linked", "b/UNLICENSE": "of b",
		"ours/talbot": "program", "ours/talbot.exe": "program for Windows", "ours/README.md": "read",
	})
	lines := []string{
		"x.org/b\t" + dir + "/b\tx.org/b\tv2.0.0\t" + dir + "/b",
		"talbot/board\t" + dir + "/ours/board\t\t\t" + dir + "/ours",
		"x.org/a/deep/er\t" + dir + "/a/deep/er\tx.org/a\tv1.0.0\t" + dir + "/a",
		"x.org/a\t" + dir + "/a\tx.org/a\tv1.0.0\t" + dir + "/a",
	}
	return dir, strings.Join(lines, "\n") + "\n"
}

var madeAt = time.Date(2026, 11, 24, 3, 44, 58, 0, time.UTC)

// TestRelease: an archive has what was named and the licences of what is linked, in order, with one time, and is the
// same from another folder.
func TestRelease(t *testing.T) {
	for _, c := range []struct {
		binary, suffix string
	}{{"talbot", ".tar.gz"}, {"talbot.exe", ".zip"}} {
		var archives [][]byte
		for range 2 {
			dir, list := made(t)
			out := t.TempDir()
			if err := os.WriteFile(filepath.Join(out, "packages"), []byte(list), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := release("talbot_1_x", filepath.Join(out, "packages"), dir+"/go", "go1", out, madeAt,
				[]string{dir + "/ours/" + c.binary, dir + "/ours/README.md"}); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(out, "talbot_1_x"+c.suffix))
			if err != nil {
				t.Fatal(err)
			}
			archives = append(archives, data)
		}
		if !bytes.Equal(archives[0], archives[1]) {
			t.Errorf("%s: from another folder the archive is another", c.suffix)
		}
		const lic = "talbot_1_x/licences/"
		want := []string{"talbot_1_x/README.md -rw-r--r-- read",
			lic + "LIST -rw-r--r-- What is linked into this program, and the licences of it, in this folder.\n\n" +
				"x.org/a v1.0.0\n\tx.org/a/LICENCE.md\n\tx.org/a/NOTICE\n\tx.org/a/deep/er/COPYING\n" +
				"x.org/b v2.0.0\n\tx.org/b/UNLICENSE\nstd go1\n\tstd/LICENSE\n",
			lic + "std/LICENSE -rw-r--r-- of Go", lic + "x.org/a/LICENCE.md -rw-r--r-- of a",
			lic + "x.org/a/NOTICE -rw-r--r-- notice of a", lic + "x.org/a/deep/er/COPYING -rw-r--r-- of a's er",
			lic + "x.org/b/UNLICENSE -rw-r--r-- of b"}
		program := "talbot_1_x/talbot -rwxr-xr-x program"
		if c.suffix == ".zip" {
			program = "talbot_1_x/talbot.exe -rwxr-xr-x program for Windows"
		}
		if want, got := append(want, program), entries(t, archives[0], c.suffix); !slices.Equal(got, want) {
			t.Errorf("%s has\n%s\nwant\n%s", c.suffix, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// entries are names, modes and contents of an archive's files, whose time is checked.
func entries(t *testing.T, archive []byte, suffix string) (all []string) {
	t.Helper()
	add := func(name string, mode os.FileMode, at time.Time, r io.Reader) {
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !at.Equal(madeAt) {
			t.Errorf("%s is of %v", name, at)
		}
		all = append(all, name+" "+mode.String()+" "+string(data))
	}
	if suffix == ".zip" {
		r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.File {
			content, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, f.Mode(), f.Modified, content)
		}
		return all
	}
	compressed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(compressed); ; {
		h, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		add(h.Name, h.FileInfo().Mode(), h.ModTime, r)
	}
}

// TestNoLicence: what may not be passed on stops the release, and so does a list that says nothing.
func TestNoLicence(t *testing.T) {
	dir, list := made(t)
	all, err := modules(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"b/UNLICENSE", "a/LICENCE.md"} {
		if err := os.Truncate(filepath.Join(dir, file), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := licences(all); err == nil || !strings.Contains(err.Error(), "module x.org/"+file[:1]+" v") {
			t.Errorf("%s is empty: %v", file, err)
		}
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		if _, err := licences(all); err == nil || !strings.Contains(err.Error(), "no licence file") {
			t.Errorf("%s is gone: %v", file, err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte("again"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range []string{"", "talbot\t/x\t\t\t/x\n", "x.org/a\t/x\n", "x.org/a\t/x\tx.org/a\tv1\t\n"} {
		if _, err := modules(bad); err == nil {
			t.Errorf("%q is a list", bad)
		}
	}
	if _, err := licences([]*module{{path: "x.org/a", dir: dir + "/a", folders: []string{dir + "/b"}}}); err == nil ||
		!strings.Contains(err.Error(), "outside") {
		t.Errorf("a package outside its module: %v", err)
	}
}
