package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func lock(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// share takes the lock beside others that share it.
func share(f *os.File) error { return lockFile(f, 0) }

// lockFile locks one byte far past the end: what is locked cannot be read by others here.
func lockFile(f *os.File, how uint32) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

func removeLock(l *HeldLock) error {
	l.file.Close()
	if err := os.Remove(l.path); !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return err
	}
	return nil
}
