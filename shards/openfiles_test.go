package shards

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"talbot/dataset"
)

// TestOpenFiles reads many files at random from many goroutines, more than may stay open: each read gives its file's
// bytes, and what is closed stays closed and gives its place back. A file that was put in the place of one that is
// being read is not taken for it.
func TestOpenFiles(t *testing.T) {
	old := kept
	kept = make(chan struct{}, 3)
	t.Cleanup(func() { kept = old })
	dir := t.TempDir()
	write := func(name string, content byte) string {
		path := filepath.Join(dir, name)
		ok(t, os.WriteFile(path, bytes.Repeat([]byte{content}, 100), 0o600))
		return path
	}
	files := make([]*file, 20)
	for i := range files {
		var err error
		if files[i], err = openFile(write(fmt.Sprint(i), byte(i))); err != nil {
			t.Fatal(err)
		}
	}
	read := func(i int, at int64) error {
		in, done, err := files[i].open()
		if err != nil {
			return err
		}
		defer done()
		p := make([]byte, 10)
		if n, err := in.ReadAt(p, at); n != len(p) || !bytes.Equal(p, bytes.Repeat([]byte{byte(i)}, 10)) {
			return fmt.Errorf("file %d: %d bytes %v, %w", i, n, p, err)
		}
		return nil
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			for range 500 {
				if err := read(rng.IntN(len(files)), rng.Int64N(90)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if len(kept) != 3 {
		t.Errorf("%d files are kept open", len(kept))
	}
	ok(t, os.Rename(write("another", 19), files[19].path))
	if err := read(19, 0); !errors.Is(err, dataset.ErrDamaged) {
		t.Errorf("another file: %v", err)
	}
	for i, f := range files {
		if err := errors.Join(f.Close(), f.Close()); err != nil {
			t.Error(err)
		}
		if err := read(i, 0); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("read after Close: %v", err)
		}
	}
	if len(kept) != 0 {
		t.Errorf("%d places are not given back", len(kept))
	}
}
