package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Below a confined folder no path and no link leads out of it; elsewhere, and after its release, all is as it was.
func TestConfine(t *testing.T) {
	base := t.TempDir()
	in, out := filepath.Join(base, "in"), filepath.Join(base, "out")
	write := func(path string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777),
			os.WriteFile(path, []byte(filepath.Base(path)), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(in, "sub", "own"))
	write(filepath.Join(out, "secret"))
	write(filepath.Join(base, "inner", "beside")) // its path begins as that of the folder does
	for name, to := range map[string]string{
		"absolute": filepath.Join(out, "secret"), "relative": filepath.Join("..", "out", "secret"), "folder": out,
		"chain": "relative", "within": filepath.Join("sub", "own"), "passwd": "/etc/passwd", "proc": "/proc/self/root",
	} {
		if err := os.Symlink(to, filepath.Join(in, name)); err != nil {
			t.Skip("SKIPPED: no links here: ", err)
		}
	}
	_, release, err := Confine(in)
	if err != nil {
		t.Fatal(err)
	}
	reads := func(path, want string) {
		t.Helper()
		if data, err := ReadFile(path, 100); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	sep := string(filepath.Separator)
	reads(filepath.Join(in, "sub", "own"), "own")
	reads(filepath.Join(in, "within"), "own")
	reads(in+sep+sep+"sub"+sep+"own", "own")
	reads(in+sep+"sub"+sep+".."+sep+"sub"+sep+"own", "own")
	reads(filepath.Join(out, "secret"), "secret")
	reads(filepath.Join(base, "inner", "beside"), "beside")
	for _, name := range []string{"absolute", "relative", "chain", "passwd", "folder/secret", "proc/etc/passwd",
		"../out/secret", "sub/../../out/secret", "folder/../in/sub/own"} {
		path := in + sep + filepath.FromSlash(name) // not cleaned
		if data, err := ReadFile(path, 1<<20); err == nil || !strings.Contains(err.Error(), "escapes") {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	// A link that takes the place of a file after the folder is confined.
	own := filepath.Join(in, "sub", "own")
	if err := errors.Join(os.Remove(own), os.Symlink(filepath.Join(out, "secret"), own)); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(own, 100); err == nil {
		t.Errorf("a link made later: %q", data)
	}
	// The folder is renamed and a link takes its place: what is read is the folder's, or nothing.
	if err := os.Rename(in, filepath.Join(base, "moved")); err == nil { // not on Windows: it is open
		if err := os.Symlink(out, in); err != nil {
			t.Fatal(err)
		}
		if data, err := ReadFile(filepath.Join(in, "secret"), 100); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a link in the folder's place: %q, %v", data, err)
		}
		write(filepath.Join(base, "moved", "new"))
		reads(filepath.Join(in, "new"), "new")
	} else {
		t.Log("not renamed:", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(base, "moved")); err == nil {
		reads(filepath.Join(in, "secret"), "secret")
	}
	if _, _, err := Confine(filepath.Join(base, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
