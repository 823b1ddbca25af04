package shards

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/ordered"
)

// CheckFiles compares the SHA-256 of every shard with the manifest, with that many shards read at a time, each once
// from end to end. A shard that differs is an error that names it and wraps [dataset.ErrDamaged]; of several errors
// that of the first shard is returned. done, if not nil, is called with how many bytes were read since the last call,
// from several goroutines.
func (d *Dataset) CheckFiles(ctx context.Context, workers int, done func(bytes int64)) error {
	_, err := d.CheckChanged(ctx, workers, nil, done)
	return err
}

// Stamps are the stamps of files, by name, from when their checksums were found to be right.
type Stamps map[string]durable.Stamp

// CheckChanged is [Dataset.CheckFiles] for only those files that have changed since they were checked. It returns the
// stamps of all files that need not be read again, which is the content of known if nothing changed: a file that was
// written within the last seconds is not among them. Bytes that are not read count as done.
func (d *Dataset) CheckChanged(ctx context.Context, workers int, known Stamps, done func(bytes int64)) (Stamps, error) {
	now, shard := Stamps{}, 0
	for stamp, err := range ordered.N(ctx, len(d.Manifest.Shards), workers, func(_, i int) (durable.Stamp, error) {
		want := d.Manifest.Shards[i]
		return checkFile(ctx, filepath.Join(d.Dir, want.File), want, known[want.File], done)
	}) {
		if err != nil {
			return nil, err
		}
		if stamp != (durable.Stamp{}) {
			now[d.Manifest.Shards[shard].File] = stamp
		}
		shard++
	}
	return now, nil
}

// clock tells the time; tests set it forward.
var clock = time.Now

// checkFile compares a file's SHA-256 with what the manifest says, unless its stamp is the known one. It returns the
// stamp if that would show a later change; else none.
func checkFile(ctx context.Context, path string, want dataset.ShardInfo, known durable.Stamp,
	done func(bytes int64)) (stamp durable.Stamp, err error) {
	f, err := durable.OpenRegular(path)
	if errors.Is(err, durable.ErrNotRegular) {
		return stamp, fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
	}
	if err != nil {
		return stamp, fmt.Errorf("checking: %w", err)
	}
	defer f.Close()
	begun := clock()
	before, ok := durable.StampOf(f)
	if ok && before == known && before.Size == want.Bytes {
		if done != nil {
			done(before.Size)
		}
		return known, nil
	}
	h := sha256.New()
	if _, err := io.CopyBuffer(h, countedReader{contextReader{ctx, f}, done}, make([]byte, 1<<20)); err != nil {
		return stamp, fmt.Errorf("checking %q: %w", path, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want.SHA256 {
		return stamp, fmt.Errorf("%q: SHA-256 is %s, the manifest says %s: %w", path, got, want.SHA256,
			dataset.ErrDamaged)
	}
	if after, still := durable.StampOf(f); ok && still && before == after && before.Settled(begun) {
		return before, nil
	}
	return stamp, nil
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
