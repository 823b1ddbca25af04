//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

func lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// share takes the lock beside others that share it.
func share(f *os.File) error { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

func removeLock(l *HeldLock) error { return os.Remove(l.path) }
