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
	"sync/atomic"
	"testing"

	"talbot/dataset"
)

// TestOpenFiles reads many files at random from many goroutines, more than may be open: each read gives its file's
// bytes, no more than the most are open, and what is closed stays closed.
func TestOpenFiles(t *testing.T) {
	old := open
	open = newOpenFiles(3)
	t.Cleanup(func() { open = old })
	var files []*file
	for i := range 20 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.WriteFile(path, bytes.Repeat([]byte{byte(i)}, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := openShardFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	var all sync.WaitGroup
	var most atomic.Int64
	for g := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			p := make([]byte, 10)
			for range 2000 {
				i := rng.IntN(len(files))
				if n, err := files[i].ReadAt(p, rng.Int64N(90)); n != len(p) || err != nil ||
					!bytes.Equal(p, bytes.Repeat([]byte{byte(i)}, 10)) {
					t.Errorf("file %d: %d bytes %v, %v", i, n, p, err)
					return
				}
				open.mu.Lock()
				n := 0
				for _, f := range files {
					if f.file != nil {
						n++
					}
				}
				if n != open.count {
					t.Errorf("%d files are open, counted are %d", n, open.count)
				}
				open.mu.Unlock()
				if int64(n) > most.Load() {
					most.Store(int64(n))
				}
			}
		})
	}
	all.Wait()
	if n := most.Load(); n < 1 || n > 3 {
		t.Errorf("%d files were open", n)
	}
	for _, f := range files {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("read after Close: %v", err)
		}
	}
	if open.count != 0 || open.idle.Len() != 0 {
		t.Errorf("%d files are left open, %d of them idle", open.count, open.idle.Len())
	}
}

// TestOpenFilesReplaced: a shard that was put in the place of one that is being read is not taken for it.
func TestOpenFilesReplaced(t *testing.T) {
	old := open
	open = newOpenFiles(1)
	t.Cleanup(func() { open = old })
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, path := range []string{a, b, a + " of another"} {
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, err := openShardFile(a)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := openShardFile(b)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if err := os.Rename(a+" of another", a); err != nil {
		t.Fatal(err)
	}
	if _, err := first.ReadAt(make([]byte, 1), 0); !errors.Is(err, dataset.ErrDamaged) {
		t.Errorf("another file: %v", err)
	}
	if _, err := second.ReadAt(make([]byte, 1), 0); err != nil {
		t.Error(err)
	}
}
