//go:build unix

package durable

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpenRegular: what is not a file is refused, and a pipe without a writer does not hang.
func TestOpenRegular(t *testing.T) {
	dir := t.TempDir()
	file, pipe, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("text"), 0o600), syscall.Mkfifo(pipe, 0o600),
		os.Symlink(pipe, link), os.Symlink(file, link+" of file")); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, path := range []string{dir, pipe, link, filepath.Join(dir, "s"), "/dev/null"} {
		if _, err := OpenRegular(path); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
		for _, flag := range []int{os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_CREATE | os.O_TRUNC} {
			if _, err := Open(path, flag); !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s, to write: %v", path, err)
			}
		}
	}
	if _, err := OpenRegular(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for _, path := range []string{file, link + " of file"} {
		if data, err := ReadFile(path, 4); err != nil || string(data) != "text" {
			t.Errorf("%q, %v", data, err)
		}
		if _, err := ReadFile(path, 3); err == nil {
			t.Error("longer than the limit: no error")
		}
	}
}
