package dataset

import (
	"errors"
	"os"
)

// Fault, if not nil, is asked before every step of writing: op is "open", "write", "sync", "close", "rename",
// "remove" or "sync folder". An error that it returns is taken for the step's own; a write that fails leaves half of
// its bytes behind, a close still closes. It is there for the tests of what writes files, which set it while nothing
// runs.
var Fault func(op, path string) error

func fault(op, path string) error {
	if Fault == nil {
		return nil
	}
	return Fault(op, path)
}

// File is an open file whose steps can be made to fail (see [Fault]).
type File struct{ *os.File }

// OpenFile opens a file, with mode 0666 before umask if it is made.
func OpenFile(path string, flag int) (*File, error) {
	if err := fault("open", path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag, 0o666)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Write appends p, or writes it where the file stands.
func (f *File) Write(p []byte) (int, error) {
	if err := fault("write", f.Name()); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

// Sync makes durable what was written.
func (f *File) Sync() error {
	if err := fault("sync", f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}

// Close closes the file.
func (f *File) Close() error { return errors.Join(fault("close", f.Name()), f.File.Close()) }

// Remove removes a file.
func Remove(path string) error {
	if err := fault("remove", path); err != nil {
		return err
	}
	return os.Remove(path)
}

// syncFolder makes the names in a folder durable.
func syncFolder(dir string) error {
	if err := fault("sync folder", dir); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
