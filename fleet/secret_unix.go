//go:build unix

package fleet

import (
	"fmt"
	"os"
)

// CheckSecret refuses a file with a secret that others may read. The error is [ErrReadable].
func CheckSecret(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%q (mode %04o): %w", path, info.Mode().Perm(), ErrReadable)
	}
	return nil
}
