package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular says that a path leads to a folder, pipe, socket or device where a file was expected.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLong says that a file has more bytes than it may have.
var ErrTooLong = errors.New("the file is too long")

// OpenRegular opens a file for reading and follows links, but for those that [Confine] forbids. What is not a regular
// file is refused with [ErrNotRegular], at once: a pipe is never waited for.
func OpenRegular(path string) (*os.File, error) { return openRegular(path, os.O_RDONLY) }

// openRegular opens a file, with mode 0666 before umask if it is made, and refuses what is not a regular one.
func openRegular(path string, flag int) (*os.File, error) {
	var f *os.File
	var err error
	if flag == os.O_RDONLY {
		f, err = openToRead(path)
	} else {
		f, err = os.OpenFile(path, flag|nonblock, 0o666)
	}
	if err != nil {
		// A socket cannot be opened at all, and its error says little.
		if info, e := os.Stat(path); e == nil && !info.Mode().IsRegular() {
			return nil, notRegular(path, info)
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func notRegular(path string, info fs.FileInfo) error {
	what := "a special file"
	switch mode := info.Mode(); {
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return fmt.Errorf("%q is %s: %w", path, what, ErrNotRegular)
}

// ReadFile reads a regular file of at most limit bytes, as [OpenRegular] opens it. A longer one is [ErrTooLong].
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%q has more than %d bytes: %w", path, limit, ErrTooLong)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
