package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

var errInjected = errors.New("input/output error")

// faultyDisk fails at the given call, counted from 1.
type faultyDisk struct {
	osDisk
	calls, failAt int
}

func (d *faultyDisk) call() error {
	if d.calls++; d.calls == d.failAt {
		return errInjected
	}
	return nil
}

type faultyFile struct {
	tempFile
	disk *faultyDisk
}

func (d *faultyDisk) Create(path string) (tempFile, error) {
	if err := d.call(); err != nil {
		return nil, err
	}
	f, err := d.osDisk.Create(path)
	return faultyFile{f, d}, err
}

func (d *faultyDisk) Rename(from, to string) error {
	if err := d.call(); err != nil {
		return err
	}
	return d.osDisk.Rename(from, to)
}

func (d *faultyDisk) SyncDir(dir string) error {
	if err := d.call(); err != nil {
		return err
	}
	return d.osDisk.SyncDir(dir)
}

func (f faultyFile) Write(p []byte) (int, error) {
	if err := f.disk.call(); err != nil {
		n, _ := f.tempFile.Write(p[:len(p)/2])
		return n, err
	}
	return f.tempFile.Write(p)
}

func (f faultyFile) Sync() error {
	if err := f.disk.call(); err != nil {
		return err
	}
	return f.tempFile.Sync()
}

func (f faultyFile) Close() error {
	err := f.tempFile.Close()
	return errors.Join(f.disk.call(), err)
}

// TestAtomicFile lets each call fail: create, two writes, sync, close, rename, sync of the folder.
func TestAtomicFile(t *testing.T) {
	const calls = 7
	for n := 1; n <= calls+1; n++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		d := &faultyDisk{failAt: n}
		err := func() error {
			f, err := createAtomic(path, d)
			if err != nil {
				return err
			}
			defer f.Abort()
			f.Write([]byte("new "))
			f.Write([]byte("text"))
			return f.Commit()
		}()
		got, readErr := os.ReadFile(path)
		entries, dirErr := os.ReadDir(dir)
		if readErr != nil || dirErr != nil {
			t.Fatal(readErr, dirErr)
		}
		want := "old"
		if n >= calls {
			want = "new text"
		}
		if string(got) != want || len(entries) != 1 {
			t.Errorf("call %d fails: %q, want %q, among %v", n, got, want, entries)
		}
		if (n <= calls) != errors.Is(err, errInjected) {
			t.Errorf("call %d fails: error %v", n, err)
		}
	}
}

func TestAtomicFileEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := WriteFileAtomic(path, []byte("x")); err != nil {
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
	if err := WriteFileAtomic(filepath.Join(path, "b"), nil); err == nil {
		t.Error("no error below a file")
	}
}
