//go:build unix

package pipeline

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock of that name. It is free as soon as the file is
// closed, also by the end of the process, so a lock is never stale.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, err
	}
	return f, nil
}
