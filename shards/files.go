package shards

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/ordered"
)

// CheckFiles compares the SHA-256 of every shard with the manifest, with that many shards read at a time, each once
// from end to end. A shard that differs is an error that names it and wraps [dataset.ErrDamaged]; of several errors
// that of the first shard is returned. done, if not nil, is called with how many bytes were read since the last call,
// from several goroutines.
func (d *Dataset) CheckFiles(ctx context.Context, workers int, done func(bytes int64)) error {
	return ordered.All(ctx, len(d.Manifest.Shards), workers, func(_, i int) error {
		want := d.Manifest.Shards[i]
		return checkFile(ctx, filepath.Join(d.Dir, want.File), want.SHA256, done)
	})
}

// checkFile compares a file's SHA-256 with what the manifest says.
func checkFile(ctx context.Context, path, want string, done func(bytes int64)) error {
	f, err := durable.OpenRegular(path)
	if errors.Is(err, durable.ErrNotRegular) {
		return fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
	}
	if err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.CopyBuffer(h, countedReader{contextReader{ctx, f}, done}, make([]byte, 1<<20)); err != nil {
		return fmt.Errorf("checking %q: %w", path, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("%q: SHA-256 is %s, the manifest says %s: %w", path, got, want, dataset.ErrDamaged)
	}
	return nil
}

type countedReader struct {
	io.Reader
	done func(bytes int64)
}

func (c countedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.done != nil {
		c.done(int64(n))
	}
	return n, err
}
