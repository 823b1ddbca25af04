package shards

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"talbot/dataset"
)

// A flipped byte anywhere in a shard that can be opened is found, and the file named.
func TestCheckFilesFindsEveryFlip(t *testing.T) {
	dir, m := writeDataset(t, randomLines(t, 30, 60, true))
	path := filepath.Join(dir, m.Shards[1].File)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := OpenDataset(dir, WithColumns(0))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var read atomic.Int64
	if err := d.CheckFiles(t.Context(), 2, func(n int64) { read.Add(n) }); err != nil {
		t.Fatal(err)
	}
	if want := m.Shards[0].Bytes + m.Shards[1].Bytes; read.Load() != want {
		t.Errorf("%d bytes read of %d", read.Load(), want)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := 0; i < len(whole); i += 1 + len(whole)/300 {
		f.WriteAt([]byte{whole[i] ^ 0x10}, int64(i))
		if err := d.CheckFiles(t.Context(), 2, nil); !errors.Is(err, dataset.ErrDamaged) ||
			!strings.Contains(err.Error(), path) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
		f.WriteAt(whole[i:i+1], int64(i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.CheckFiles(ctx, 2, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
