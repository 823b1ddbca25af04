package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrLocked says that another process has the lock.
var ErrLocked = errors.New("another talbot process is writing to the folder")

// Lock takes the lock of that name, a file that is made if it is not there, or fails with [ErrLocked]. The lock is the
// kernel's: it is free as soon as it is closed, also by the end of the process however it dies, so it is never stale.
// The holder may remove the file. Where there is no flock nothing is locked.
func Lock(path string) (io.Closer, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			f.Close()
			if errors.Is(err, ErrLocked) {
				return nil, err
			}
			return nil, fmt.Errorf("locking %q: %w", path, err)
		}
		// Between the two calls the holder may have removed the file: then the locked file has no name any more.
		mine, err := f.Stat()
		if err == nil {
			if now, e := os.Stat(path); e == nil && os.SameFile(mine, now) {
				return f, nil
			}
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// Locked reports whether somebody has the lock of that name, for messages: it may have changed when the call returns.
// It creates no file. Without flock no process counts as holding it.
func Locked(path string) bool {
	f, err := openToRead(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(share(f), ErrLocked)
}
