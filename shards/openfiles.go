package shards

import (
	"container/list"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"talbot/dataset"
	"talbot/internal/durable"
)

// maxOpen is how many shards a process has open at a time, over all readers: a dataset may have more shards than a
// process may have files, and several datasets are read at once.
const maxOpen = 64

// open has the open shards.
var open = newOpenFiles(maxOpen)

// openFiles opens files when they are read, and closes those that were not read for the longest time. It is safe for
// concurrent use. A reader waits while the most files are being read; none waits while it reads.
type openFiles struct {
	most int

	mu    sync.Mutex
	freed *sync.Cond // of mu: a file is no longer being read
	idle  list.List  // of *file that are open and not being read, the one read last in front
	count int        // of open files
}

func newOpenFiles(most int) *openFiles {
	o := &openFiles{most: most}
	o.freed = sync.NewCond(&o.mu)
	return o
}

// file is a shard on the disk, open or not. The fields below name are guarded by the lock of openFiles.
type file struct {
	path   string
	info   fs.FileInfo // as it was when first opened
	file   *os.File    // nil: not open
	users  int         // that are reading
	place  *list.Element
	closed bool
}

// openFile opens a file and finds out its size.
func (o *openFiles) openFile(path string) (*file, error) {
	f := &file{path: path}
	if err := o.acquire(f); err != nil {
		return nil, err
	}
	o.release(f)
	return f, nil
}

// acquire opens the file, if it is not open, for one more reader.
func (o *openFiles) acquire(f *file) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		switch {
		case f.closed:
			return fmt.Errorf("reading %q: %w", f.path, fs.ErrClosed)
		case f.file != nil:
			if f.place != nil {
				o.idle.Remove(f.place)
				f.place = nil
			}
			f.users++
			return nil
		case o.count < o.most:
			err := f.open()
			if err == nil {
				o.count++
				f.users = 1
				return nil
			}
			// The process may have a lower limit of open files than talbot assumes.
			if !errors.Is(err, syscall.EMFILE) || o.idle.Len() == 0 {
				return err
			}
		}
		if last := o.idle.Back(); last != nil {
			o.close(last.Value.(*file))
		} else {
			o.freed.Wait()
		}
	}
}

// open opens the file itself. A file that has replaced it since it was first opened is not read.
func (f *file) open() error {
	h, err := durable.OpenRegular(f.path)
	if err != nil {
		return err
	}
	info, err := h.Stat()
	if err == nil && f.info != nil && (!os.SameFile(info, f.info) || info.Size() != f.info.Size()) {
		err = fmt.Errorf("%q was replaced while it was being read: %w", f.path, dataset.ErrDamaged)
	}
	if err != nil {
		h.Close()
		return err
	}
	if f.file = h; f.info == nil {
		f.info = info
	}
	return nil
}

// release ends the reading of the file.
func (o *openFiles) release(f *file) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if f.users--; f.users > 0 {
		return
	}
	f.place = o.idle.PushFront(f)
	if f.closed {
		o.close(f)
	}
	o.freed.Signal()
}

// close closes an idle file.
func (o *openFiles) close(f *file) error {
	o.idle.Remove(f.place)
	f.place = nil
	o.count--
	err := f.file.Close()
	f.file = nil
	return err
}

// ReadAt reads from the file, which it opens if it is not open.
func (f *file) ReadAt(p []byte, at int64) (int, error) {
	if err := open.acquire(f); err != nil {
		return 0, err
	}
	defer open.release(f)
	return f.file.ReadAt(p, at)
}

// Close closes the file for good, as soon as no read is under way.
func (f *file) Close() error {
	open.mu.Lock()
	defer open.mu.Unlock()
	f.closed = true
	if f.place == nil {
		return nil
	}
	err := open.close(f)
	open.freed.Signal()
	return err
}

// size is the file's length in bytes.
func (f *file) size() int64 { return f.info.Size() }

// openShardFile opens a shard that a manifest names; what is not a file is damage.
func openShardFile(path string) (*file, error) {
	f, err := open.openFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("shard %q is missing: %w", path, dataset.ErrDamaged)
	case errors.Is(err, durable.ErrNotRegular):
		return nil, fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
	case err != nil:
		return nil, fmt.Errorf("opening a shard: %w", err)
	}
	return f, nil
}
