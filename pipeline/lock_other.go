//go:build !unix

package pipeline

import "os"

// lockFile does not lock: these systems have no flock.
func lockFile(path string) (*os.File, error) { return os.Create(path) }
