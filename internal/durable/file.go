package durable

import (
	"errors"
	"os"
)

// File is an open file whose steps can be made to fail (see [InjectFaults]).
type File struct{ *os.File }

// Open opens a file, with mode 0666 before umask if it is made. What is there and not a regular file is refused with
// [ErrNotRegular], at once.
func Open(path string, flag int) (*File, error) {
	if err := injected("open", path); err != nil {
		return nil, err
	}
	f, err := openRegular(path, flag)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Write appends p, or writes it where the file stands.
func (f *File) Write(p []byte) (int, error) {
	if err := injected("write", f.Name()); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

// writeAt writes p at an offset.
func (f *File) writeAt(p []byte, offset int64) error {
	if err := injected("write", f.Name()); err != nil {
		return err
	}
	_, err := f.File.WriteAt(p, offset)
	return err
}

// Sync makes durable what was written.
func (f *File) Sync() error {
	if err := injected("sync", f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}

// Close closes the file.
func (f *File) Close() error { return errors.Join(injected("close", f.Name()), f.File.Close()) }

// Remove removes a file.
func Remove(path string) error {
	if err := injected("remove", path); err != nil {
		return err
	}
	return os.Remove(path)
}

// Rename gives a file another name; a file of that name is replaced. On Windows it waits a moment for whoever has one
// of the two open.
func Rename(from, to string) error {
	if err := injected("rename", to); err != nil {
		return err
	}
	return rename(from, to)
}

// Link gives a file a second name. It fails where the file system has no links.
func Link(from, to string) error {
	if err := injected("link", to); err != nil {
		return err
	}
	return os.Link(from, to)
}

// SyncFolder makes the names in a folder durable, where a program can.
func SyncFolder(dir string) error {
	if err := injected("sync folder", dir); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return syncNames(d)
}
