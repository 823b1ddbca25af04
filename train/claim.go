package train

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"talbot/dataset"
)

// Claim is a run folder that belongs to this process until Close. Files of the run are written by its holder alone.
type Claim struct {
	dir  string
	lock io.Closer
	made bool // the folder
}

const (
	configName = "run.json"
	lockName   = "run.lock"
)

// NewClaim takes the folder of a new run, which is made if it is not there and must not hold one ([ErrExists]), or that
// of a run to be resumed, which must hold one ([ErrNoRun]). A folder belongs to one process at a time
// ([dataset.ErrLocked]). Whoever has a Claim closes it.
func NewClaim(dir string, resume bool) (*Claim, error) {
	c := &Claim{dir: dir}
	if err := c.check(resume); err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		c.made = true
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var err error
	if c.lock, err = dataset.Lock(filepath.Join(dir, lockName)); err != nil {
		return nil, fmt.Errorf("run %q: %w", dir, err)
	}
	if err := c.check(resume); err != nil { // another process may have begun one meanwhile
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Claim) check(resume bool) error {
	_, err := os.Stat(filepath.Join(c.dir, configName))
	switch {
	case err == nil && !resume:
		return fmt.Errorf("%q: %w", c.dir, ErrExists)
	case errors.Is(err, fs.ErrNotExist) && resume:
		return fmt.Errorf("%q: %w", c.dir, ErrNoRun)
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// Close gives the folder back. If no run was begun, no lock is left there, and no folder that was made for it.
func (c *Claim) Close() error {
	if _, err := os.Stat(filepath.Join(c.dir, configName)); errors.Is(err, fs.ErrNotExist) {
		os.Remove(filepath.Join(c.dir, lockName))
		if c.made {
			os.Remove(c.dir) // fails if there is anything in it
		}
	}
	return c.lock.Close()
}
