package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"talbot/internal/fault"
)

// ErrLocked says that another process has the lock.
var ErrLocked = fault.New(fault.ExitLocked, "another talbot process is writing to the folder",
	"wait for the other process, or stop it")

// HeldLock is a lock that this process holds. It is the kernel's: it is free as soon as it is closed, also by the end
// of the process however it dies, so it is never stale. A file that stays does no harm.
type HeldLock struct {
	file *os.File
	path string
}

// Lock takes the lock of that name, a file that is made if it is not there, or fails with [ErrLocked]. The caller ends
// it with Close or Remove.
func Lock(path string) (*HeldLock, error) {
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
				return &HeldLock{file: f, path: path}, nil
			}
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// Close frees the lock; its file stays. After Remove it does nothing.
func (l *HeldLock) Close() error {
	if err := l.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// Remove removes the file, if it is still there, and frees the lock. If the file cannot be removed the lock stays held;
// but on Windows, where no open file can be removed, it is freed first, and a file that somebody else has opened
// meanwhile stays.
func (l *HeldLock) Remove() error {
	if err := injected("remove", l.path); err != nil {
		return err
	}
	if err := removeLock(l); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return l.Close()
}

// Locked reports whether somebody has the lock of that name, for messages: it may have changed when the call returns.
// It creates no file.
func Locked(path string) bool {
	f, err := openToRead(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(share(f), ErrLocked)
}
