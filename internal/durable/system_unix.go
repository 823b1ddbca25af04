//go:build unix

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// nonblock lets a pipe be opened without a writer at its other end.
const nonblock = unix.O_NONBLOCK

func rename(from, to string) error { return os.Rename(from, to) }

func syncNames(dir *os.File) error { return dir.Sync() }

func lock(f *os.File) error { return flock(f, unix.LOCK_EX) }

// share takes the lock beside others that share it.
func share(f *os.File) error { return flock(f, unix.LOCK_SH) }

func flock(f *os.File, how int) error {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

func removeLock(l *HeldLock) error { return os.Remove(l.path) }

func stampOf(f *os.File) (Stamp, bool) {
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil {
		return Stamp{}, false
	}
	return Stamp{Device: uint64(s.Dev), Inode: s.Ino, Size: s.Size, Modified: s.Mtim.Nano(), Changed: s.Ctim.Nano()},
		true
}
