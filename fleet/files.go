package fleet

import (
	"errors"
	"fmt"

	"talbot/dataset"
	"talbot/internal/durable"
)

// FileError says that a file of a coordinator or a worker cannot be used, with a remedy. If its content is damaged it
// wraps [dataset.ErrDamaged].
type FileError struct {
	What, Path string
	Remedy     string
	Err        error
}

func (e *FileError) Error() string { return fmt.Sprintf("the %s %q: %v", e.What, e.Path, e.Err) }

// Unwrap returns what is wrong with it.
func (e *FileError) Unwrap() error { return e.Err }

// Remedies for damaged files.
const (
	newKey     = "remove it and repeat the command, which makes another key; workers then need the new join file"
	fromBackup = "restore it from a backup, or remove the output folder and label again"
)

// ReadState reads a sealed file of a coordinator's folder into v, which stays as it is without one. The error is a
// [FileError].
func readState(what, path string, limit int64, v any) error {
	if err := durable.ReadSealed(path, limit, 1, v); err != nil {
		return fileError(what, path, fromBackup, err)
	}
	return nil
}

// fileError is the error of reading a file, with [dataset.ErrDamaged] for any kind of damage.
func fileError(what, path, remedy string, err error) error {
	for _, damage := range []error{durable.ErrChanged, durable.ErrNotRegular, durable.ErrTooLong} {
		if errors.Is(err, damage) {
			err = fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
			break
		}
	}
	return &FileError{What: what, Path: path, Remedy: remedy, Err: err}
}
