package durable

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

var errInjected = errors.New("input/output error")

// TestAtomicFile lets each step fail: open, two writes, sync, close, rename, sync of the folder.
func TestAtomicFile(t *testing.T) {
	const steps = 7
	for n := 1; n <= steps+1; n++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		count := 0
		InjectFaults(t, func(op, _ string) error {
			if count++; count == n && op != "remove" {
				return errInjected
			}
			return nil
		})
		err := func() error {
			f, err := CreateAtomic(path)
			if err != nil {
				return err
			}
			defer f.Abort()
			f.Write([]byte("new "))
			f.Write([]byte("text"))
			return f.Commit()
		}()
		InjectFaults(t, nil)
		got, readErr := os.ReadFile(path)
		entries, dirErr := os.ReadDir(dir)
		if readErr != nil || dirErr != nil {
			t.Fatal(readErr, dirErr)
		}
		want := "old"
		if n >= steps {
			want = "new text"
		}
		if string(got) != want || len(entries) != 1 {
			t.Errorf("step %d fails: %q, want %q, among %v", n, got, want, entries)
		}
		if (n <= steps) != errors.Is(err, errInjected) {
			t.Errorf("step %d fails: error %v", n, err)
		}
	}
}

func TestAtomicFileEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := WriteFile(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	f, err := CreateAtomic(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if _, err := f.Write([]byte("y")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Commit: %v", err)
	}
	if err := f.Commit(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Commit twice: %v", err)
	}
	if b, err := os.ReadFile(path); err != nil || len(b) != 0 {
		t.Errorf("%q, %v", b, err)
	}
	if err := WriteFile(filepath.Join(path, "b"), nil); err == nil {
		t.Error("no error below a file")
	}
}
