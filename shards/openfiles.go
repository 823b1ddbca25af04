package shards

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"talbot/dataset"
	"talbot/internal/durable"
)

// kept has a place for each shard that a process keeps open, over all readers. The others are opened for each block
// that is read: a dataset may have more shards than a process may have files, and several datasets are read at once.
var kept = make(chan struct{}, 64)

// file is a shard on the disk, or one in memory.
type file struct {
	path   string
	info   fs.FileInfo // as it was when first opened
	in     io.ReaderAt // nil: the file is opened for each block
	closed atomic.Bool
}

// openFile opens a shard that a manifest names; what is not a file is damage.
func openFile(path string) (*file, error) {
	h, err := durable.OpenRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("shard %q is missing: %w", path, dataset.ErrDamaged)
	case errors.Is(err, durable.ErrNotRegular):
		return nil, fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
	case err != nil:
		return nil, fmt.Errorf("opening a shard: %w", err)
	}
	f := &file{path: path}
	if f.info, err = h.Stat(); err != nil {
		h.Close()
		return nil, err
	}
	select {
	case kept <- struct{}{}:
		f.in = h
		return f, nil
	default:
		return f, h.Close()
	}
}

// open returns the content of the file. The caller calls done once it has read it. A file that has replaced the one
// that was first opened is not read.
func (f *file) open() (in io.ReaderAt, done func(), err error) {
	if f.closed.Load() {
		return nil, nil, fmt.Errorf("reading %q: %w", f.path, fs.ErrClosed)
	}
	if f.in != nil {
		return f.in, func() {}, nil
	}
	h, err := durable.OpenRegular(f.path)
	if err != nil {
		return nil, nil, err
	}
	info, err := h.Stat()
	if err == nil && (!os.SameFile(info, f.info) || info.Size() != f.info.Size()) {
		err = fmt.Errorf("%q was replaced while it was being read: %w", f.path, dataset.ErrDamaged)
	}
	if err != nil {
		h.Close()
		return nil, nil, err
	}
	return h, func() { h.Close() }, nil
}

// Close closes the file for good.
func (f *file) Close() error {
	h, isKept := f.in.(*os.File)
	if f.closed.Swap(true) || !isKept {
		return nil
	}
	<-kept
	return h.Close()
}
