package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// modules makes folders of modules, and a list of the packages of theirs that are linked.
func modules(t *testing.T) (dir, list string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go/LICENSE": "of Go", "a/LICENCE.md": "of a", "a/NOTICE": "notice of a", "a/license.go": "package a",
		"a/deep/er/COPYING": "of a's er", "a/other/LICENSE": "of what is not linked", "b/UNLICENSE": "of b",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	return dir, strings.ReplaceAll("std\tgo1\tDIR/go\tDIR/go\n"+"x.org/b\tv2.0.0\tDIR/b\tDIR/b\n"+
		"x.org/a\tv1.0.0\tDIR/a\tDIR/a/deep/er\n"+"x.org/a\tv1.0.0\tDIR/a\tDIR/a\n", "DIR", dir)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// collect runs licences.sh and returns the folder that it made and what it says.
func collect(t *testing.T, list string) (out, said string, err error) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir+"/packages", list)
	text, err := exec.Command("sh", root+"/scripts/licences.sh", dir+"/packages", dir+"/licences").CombinedOutput()
	return dir + "/licences", string(text), err
}

// TestLicences: a release has the licences of what is linked, and only those, and a list of them.
func TestLicences(t *testing.T) {
	_, list := modules(t)
	out, said, err := collect(t, list)
	if err != nil {
		t.Fatal(err, said)
	}
	for name, want := range map[string]string{
		"std/LICENSE": "of Go", "x.org/a/LICENCE.md": "of a", "x.org/a/NOTICE": "notice of a",
		"x.org/a/deep/er/COPYING": "of a's er", "x.org/b/UNLICENSE": "of b",
		"LIST": "What is linked into this program, and the licences of it, in this folder.\n\n" +
			"std go1\n\tstd/LICENSE\nx.org/a v1.0.0\n\tx.org/a/LICENCE.md\n\tx.org/a/NOTICE\n" +
			"\tx.org/a/deep/er/COPYING\nx.org/b v2.0.0\n\tx.org/b/UNLICENSE\n",
	} {
		path := filepath.Join(out, name)
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
		os.Remove(path)
	}
	if rest, err := exec.Command("find", out, "-type", "f").Output(); err != nil || len(rest) > 0 {
		t.Errorf("also collected: %s%v", rest, err)
	}
}

// TestNoLicence: what may not be passed on stops the release, and so does an empty list.
func TestNoLicence(t *testing.T) {
	dir, list := modules(t)
	for _, file := range []string{"b/UNLICENSE", "a/LICENCE.md"} {
		path := filepath.Join(dir, file)
		write(t, path, "")
		_, empty, err1 := collect(t, list)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		_, gone, err2 := collect(t, list)
		for _, said := range []string{empty, gone} {
			if err1 == nil || err2 == nil || !strings.Contains(said, "module x.org/"+file[:1]+" v") ||
				!strings.Contains(said, "no licence file") {
				t.Errorf("without %s: %q, %v, %v", file, said, err1, err2)
			}
		}
		write(t, path, "again")
	}
	for _, bad := range []string{"", "x.org/a\tv1\t" + dir + "/a\t" + dir + "/b\n"} {
		if _, said, err := collect(t, bad); err == nil {
			t.Errorf("%q passes: %s", bad, said)
		}
	}
}
