//go:build unix

package train

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockRun takes the run folder for this process. The lock is the kernel's and ends with the process however it dies.
func lockRun(dir string) (unlock func(), err error) {
	path := filepath.Join(dir, "run.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("run %q: %w", dir, ErrLocked)
		}
		return nil, fmt.Errorf("locking %q: %w", path, err)
	}
	return func() { f.Close() }, nil
}
