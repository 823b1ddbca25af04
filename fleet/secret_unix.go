//go:build unix

package fleet

import (
	"fmt"
	"os"
)

// checkSecret refuses a secret that others may read.
func checkSecret(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others may read %q (mode %04o): %w", path, info.Mode().Perm(), ErrReadable)
	}
	return nil
}
