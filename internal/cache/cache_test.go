package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/internal/durable"
)

// entries are the sizes of the files in a folder by name, without those that another process takes away meanwhile.
func entries(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for _, f := range files {
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		sizes[f.Name()] = info.Size()
	}
	return sizes
}

// A content comes back to the byte, and one whose file has any byte changed, is cut or is longer does not; it is then
// kept anew.
func TestDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	f := New(dir, 1<<20)
	key, content := Key("x", "1"), []byte("what was found out")
	if _, ok := f.Get(key); ok {
		t.Error("an empty cache has something")
	}
	f.Put(key, content)
	whole, err := os.ReadFile(f.path(key))
	if err != nil {
		t.Fatal(err)
	}
	bad := [][]byte{nil, whole[:len(whole)-1], whole[:10], append(bytes.Clone(whole), 0)}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1
		bad = append(bad, flipped)
	}
	for i, text := range bad {
		if err := os.WriteFile(f.path(key), text, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, ok := f.Get(key); ok {
			t.Fatalf("damage %d: got %q", i, got)
		}
		f.Put(key, content)
		if got, ok := f.Get(key); !ok || !bytes.Equal(got, content) {
			t.Fatalf("damage %d: %q, %v after it was kept again", i, got, ok)
		}
	}
	if got, ok := f.Get(key); !ok || !bytes.Equal(got, content) {
		t.Errorf("%q, %v", got, ok)
	}
	if Key("a", "bc") == Key("ab", "c") || Key("a") == Key("a", "") || Key("a", "b") == Key("b", "a") {
		t.Error("keys")
	}
}

// Where nothing can be kept, nothing is said, and nothing is in the way of a later try.
func TestNothingKept(t *testing.T) {
	none := (*Folder)(nil)
	none.Put(Key("x"), []byte("y"))
	if _, ok := none.Get(Key("x")); ok {
		t.Error("no cache has something")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	f := New(filepath.Join(file, "talbot"), 1000)
	f.Put(Key("x"), []byte("y"))
	if _, ok := f.Get(Key("x")); ok {
		t.Error("a cache below a file has something")
	}
	f = New(filepath.Join(dir, "cache"), 1000)
	f.Put(Key("long"), make([]byte, 1000))
	if _, err := os.Stat(f.dir); err == nil {
		t.Error("an entry that is too long left something")
	}
	for _, op := range []string{"open", "write", "sync", "close", "rename"} {
		durable.InjectFaults(t, func(at, _ string) error {
			if at == op {
				return errors.New("full")
			}
			return nil
		})
		f.Put(Key("x"), []byte("y"))
		if _, ok := f.Get(Key("x")); ok {
			t.Errorf("kept although %s failed", op)
		}
	}
	durable.InjectFaults(t, nil)
	if f.Put(Key("x"), []byte("y")); len(entries(t, f.dir)) != 2 { // the lock and the entry
		t.Error(entries(t, f.dir))
	}
	// A key that is a folder, as nobody would make it, is nothing either.
	if err := os.Mkdir(f.path(Key("folder")), 0o777); err != nil {
		t.Fatal(err)
	}
	f.Put(Key("folder"), []byte("y"))
	if _, ok := f.Get(Key("folder")); ok {
		t.Error("a folder is an entry")
	}
}

// The folder stays below its bound; the entries used last stay, what killed writers left goes, other files are left
// alone.
func TestPrune(t *testing.T) {
	f := New(t.TempDir(), 1000)
	stranger := filepath.Join(f.dir, "mine.txt")
	left := f.path(Key("killed")) + durable.TempSuffix
	for _, path := range []string{stranger, left} {
		if err := os.WriteFile(path, make([]byte, 900), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		f.Put(Key(fmt.Sprint(i)), make([]byte, 68)) // 100 with the checksum
		old := time.Now().Add(time.Duration(i-100) * time.Hour)
		if err := os.Chtimes(f.path(Key(fmt.Sprint(i))), old, old); err != nil {
			t.Fatal(err)
		}
		if _, ok := f.Get(Key("0")); !ok { // in use
			t.Fatalf("%d entries later the one in use is gone", i)
		}
		total := int64(0)
		for name, size := range entries(t, f.dir) {
			if strings.HasSuffix(name, suffix) {
				total += size
			}
		}
		if want := min(int64(i+1)*100, 1000); total != want {
			t.Fatalf("%d bytes after %d entries, want %d", total, i+1, want)
		}
	}
	for i := range 20 {
		if _, ok := f.Get(Key(fmt.Sprint(i))); ok != (i == 0 || i > 10) {
			t.Errorf("entry %d: %v", i, ok)
		}
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("a temporary file is left")
	}
}

const asWriter = "TALBOT_TEST_CACHE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asWriter); dir != "" {
		for i := 0; ; i++ { // until killed
			writeAndRead(New(dir, 1<<20), i)
		}
	}
	os.Exit(m.Run())
}

// writeAndRead uses one of a few entries, each of which has one content.
func writeAndRead(f *Folder, i int) bool {
	key := Key(fmt.Sprint(i % 5))
	want := bytes.Repeat([]byte{byte(i % 5)}, 100000+i%5)
	got, ok := f.Get(key)
	f.Put(key, want)
	return !ok || bytes.Equal(got, want)
}

// Processes that write the same entries at once, and are killed while they do, leave whole entries or none.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := New(dir, 1<<20)
	for round := range 3 {
		var children []*exec.Cmd
		for range 2 {
			child := exec.Command(self)
			child.Env = append(os.Environ(), asWriter+"="+dir)
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = child.Process.Kill() })
			children = append(children, child)
		}
		for len(entries(t, dir)) < 6 { // the lock and five
			time.Sleep(time.Millisecond)
		}
		for i := range 40 {
			if !writeAndRead(f, i) {
				t.Fatalf("round %d: another content", round)
			}
		}
		for _, child := range children {
			_ = child.Process.Kill()
			_ = child.Wait()
		}
		for i := range 5 {
			if !writeAndRead(f, i) {
				t.Fatalf("round %d: another content after a kill", round)
			}
			if _, ok := f.Get(Key(fmt.Sprint(i))); !ok {
				t.Fatalf("round %d: entry %d cannot be written after a kill", round, i)
			}
		}
	}
	for name := range entries(t, dir) {
		if strings.HasSuffix(name, durable.TempSuffix) {
			t.Errorf("%s is left", name)
		}
	}
}

func TestUser(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	want, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if f := User(); f == nil || f.dir != filepath.Join(want, "talbot") {
		t.Errorf("%+v", f)
	}
}
