package fleet

import (
	"errors"
	"fmt"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/fault"
)

// Remedies for damaged files.
const (
	newKey     = "remove it and repeat the command, which makes another key; workers then need the new join file"
	fromBackup = "restore it from a backup, or remove the output folder and label again"
)

// readState reads a sealed file of a coordinator's folder into v, which stays as it is without one.
func readState(what, path string, limit int64, v any) error {
	if err := durable.ReadSealed(path, limit, 1, v); err != nil {
		return fileError(what, path, fromBackup, err)
	}
	return nil
}

// fileError returns the error of reading a file. Damage of any kind is [dataset.ErrDamaged] and has the remedy.
func fileError(what, path, remedy string, err error) error {
	for _, damage := range []error{durable.ErrChanged, durable.ErrNotRegular, durable.ErrTooLong} {
		if errors.Is(err, damage) {
			err = fault.Hint(fmt.Errorf("%w: %w", dataset.ErrDamaged, err), remedy)
			break
		}
	}
	return fmt.Errorf("the %s %q: %w", what, path, err)
}
