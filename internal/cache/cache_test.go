package cache

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A content comes back to the byte or not at all, whatever bytes of the folder's files are changed or cut off, and can
// be kept anew then.
func TestDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	f := New(dir)
	key, content := Key("x", "1"), []byte("what was found out")
	if _, ok := f.Get(key); ok {
		t.Error("an empty cache has something")
	}
	f.Put(key, content)
	files := map[string][]byte{}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path], err = os.ReadFile(path)
		}
		return err
	}); err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	lost := 0
	for path, whole := range files {
		bad := [][]byte{nil, whole[:len(whole)-1], append(bytes.Clone(whole), 0)}
		for i := range whole {
			flipped := bytes.Clone(whole)
			flipped[i] ^= 1
			bad = append(bad, flipped)
		}
		for i, text := range bad {
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
			got, ok := f.Get(key)
			if ok && !bytes.Equal(got, content) {
				t.Fatalf("damage %d of %s: got %q", i, path, got)
			}
			if !ok {
				lost++
			}
			f.Put(key, content)
			if got, ok := f.Get(key); !ok || !bytes.Equal(got, content) {
				t.Fatalf("damage %d of %s: %q, %v after it was kept again", i, path, got, ok)
			}
		}
	}
	if lost < len(content) {
		t.Errorf("only %d kinds of damage were noticed", lost)
	}
	if Key("a", "bc") == Key("ab", "c") || Key("a") == Key("a", "") || Key("a", "b") == Key("b", "a") {
		t.Error("keys")
	}
}

// Where nothing can be kept, nothing is said.
func TestNothingKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*Folder{nil, New(filepath.Join(file, "talbot"))} {
		f.Put(Key("x"), []byte("y"))
		if _, ok := f.Get(Key("x")); ok {
			t.Error("there is something where nothing can be kept")
		}
	}
}

func TestUser(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	User().Put(Key("x"), []byte("y"))
	want, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := New(filepath.Join(want, "talbot")).Get(Key("x")); !ok {
		t.Error("it is elsewhere")
	}
}
