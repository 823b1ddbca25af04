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
	err := unix.RenamexNp(at, path, unix.RENAME_SWAP)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) {
		return moveTwice(at, path, old)
	}
	return err
}
