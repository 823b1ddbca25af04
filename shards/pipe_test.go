//go:build unix

package shards

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"talbot/dataset"
)

// TestPipesAreRefused: a shard that is a pipe, a folder or a link to one is damage to every reader, at once; a
// link to a shard is a shard.
func TestPipesAreRefused(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	ok(t, syscall.Mkfifo(pipe, 0o666))
	for what, put := range map[string]func(path string) error{
		"a pipe":           func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"a link to a pipe": func(path string) error { return os.Symlink(pipe, path) },
		"a folder":         func(path string) error { return os.Mkdir(path, 0o777) },
		"a device":         func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link":           func(path string) error { return os.Symlink(path+".moved", path) },
	} {
		dir, _ := writeDataset(t, formatLines(t))
		path := filepath.Join(dir, Name(0))
		opened := value(OpenDataset(dir))(t)
		defer opened.Close()
		ok(t, errors.Join(os.Rename(path, path+".moved"), put(path)))
		for verb, do := range map[string]func() error{
			"opening": func() error {
				d, err := OpenDataset(dir)
				if err == nil {
					err = d.Close()
				}
				return err
			},
			"checking":  func() error { return opened.CheckFiles(t.Context(), 2, nil) },
			"verifying": func() error { _, err := Verify(t.Context(), dir, VerifyOptions{}); return err },
		} {
			done := make(chan error, 1)
			go func() { done <- do() }()
			select {
			case err := <-done:
				if errors.Is(err, dataset.ErrDamaged) != (what != "a link") || what == "a link" && err != nil {
					t.Errorf("%s %s: %v", verb, what, err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s %s hangs", verb, what)
			}
		}
	}
}
