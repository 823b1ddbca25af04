package durable

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// TempSuffix ends the names of files that are not committed, and that of no file of others. Readers ignore them; a
// repeated command overwrites them.
const TempSuffix = ".talbot.tmp"

// AtomicFile is a file that appears under its name whole or not at all: it is written under a temporary name, and
// [AtomicFile.Commit] makes it durable and gives it its name. A file of that name that was there is replaced.
//
// The caller ends it with Commit or Abort. It is not safe for concurrent use.
type AtomicFile struct {
	path, temp string
	file       *File
	size       int64
	err        error
}

// CreateAtomic starts the file of that path under a temporary name, which leads nowhere else. The caller is the only
// one who writes the file.
func CreateAtomic(path string) (*AtomicFile, error) {
	temp := path + TempSuffix
	if info, err := os.Lstat(temp); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("creating %q: %q is in the way: %w", path, temp, ErrNotRegular)
	}
	f, err := Open(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, fmt.Errorf("creating %q: %w", path, err)
	}
	return &AtomicFile{path: path, temp: temp, file: f}, nil
}

// Temp returns the path of the temporary file.
func (f *AtomicFile) Temp() string { return f.temp }

// WithoutTemp returns the name of the file to which a temporary one belongs, and any other name as it is.
func WithoutTemp(name string) string { return strings.TrimSuffix(name, TempSuffix) }

// Write appends to the file. After an error the file cannot be committed.
func (f *AtomicFile) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.file.Write(p)
	f.size += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		f.err = fmt.Errorf("writing %q: %w", f.path, err)
	}
	return n, f.err
}

// Size returns how many bytes were appended.
func (f *AtomicFile) Size() int64 { return f.size }

// Overwrite writes p over the beginning of what was appended, which is longer, as for a header that has a count. After
// an error the file cannot be committed.
func (f *AtomicFile) Overwrite(p []byte) error {
	if f.err != nil {
		return f.err
	}
	if err := f.file.writeAt(p, 0); err != nil {
		f.err = fmt.Errorf("writing %q: %w", f.path, err)
	}
	return f.err
}

// Commit makes the file durable, gives it its name and makes that durable. After an error the temporary file is
// gone; only if the last step failed is the file there, perhaps not for good.
func (f *AtomicFile) Commit() error {
	if f.err != nil {
		err := f.err
		f.Abort()
		return err
	}
	if err := f.file.Sync(); err != nil {
		f.Abort()
		return fmt.Errorf("syncing %q: %w", f.path, err)
	}
	file := f.file
	f.file, f.err = nil, os.ErrClosed
	if err := file.Close(); err != nil {
		Remove(f.temp)
		return fmt.Errorf("closing %q: %w", f.path, err)
	}
	if err := Rename(f.temp, f.path); err != nil {
		Remove(f.temp)
		return fmt.Errorf("renaming %q: %w", f.path, err)
	}
	if err := SyncFolder(filepath.Dir(f.path)); err != nil {
		return fmt.Errorf("syncing the folder of %q: %w", f.path, err)
	}
	return nil
}

// Abort removes the temporary file. After Commit it does nothing.
func (f *AtomicFile) Abort() {
	if f.file == nil {
		return
	}
	f.file.Close()
	Remove(f.temp)
	f.file, f.err = nil, os.ErrClosed
}

// WriteFile writes a whole file as an [AtomicFile].
func WriteFile(path string, data []byte) error {
	f, err := CreateAtomic(path)
	if err != nil {
		return err
	}
	f.Write(data) // Commit returns its error
	return f.Commit()
}
