package remake

import (
	"errors"

	"golang.org/x/sys/unix"

	"talbot/internal/durable"
)

// exchange swaps two names at once, or gives path the content of at and old its own, where the file system cannot.
func exchange(at, path, old string) error {
	if err := durable.FaultOf("rename", path); err != nil {
		return err
	}
	err := unix.Renameat2(unix.AT_FDCWD, at, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		return moveTwice(at, path, old)
	}
	return err
}
