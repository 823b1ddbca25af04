package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/fault"
)

// Claim is a run folder that belongs to this process until Close. Files of the run are written by its holder alone.
type Claim struct {
	dir  string
	lock *durable.HeldLock
	made bool // the folder
	// Killed reports that the process which had the folder before did not close its claim.
	Killed bool
}

const (
	ConfigName      = "run.json"
	lockName        = "run.lock"
	MetricsName     = "metrics.jsonl"
	EventsName      = "tensorboard"
	CheckpointsName = "checkpoints"
	PageName        = "report.html"
)

// ErrOccupied: the folder holds what a new run would mix with, a dataset or files of an earlier run.
var ErrOccupied = fault.New(fault.ExitUsage, "not usable for a new run",
	"choose an empty or a new folder; to continue a run that lost its run.json, restore that file first")

// occupants are the files that a new run's folder must not hold. Old checkpoints would count as newer than its own, and
// old metrics, or another page, would be lost.
var occupants = []string{dataset.ManifestName, CheckpointsName, MetricsName, EventsName, PageName}

// NewClaim takes the folder of a new run, which is made if it is not there and must hold neither one ([ErrExists]) nor
// what would mix with it ([ErrOccupied]), or that of a run to be resumed, which must hold one ([ErrNoRun]). A folder
// belongs to one process at a time ([durable.ErrLocked]). The owner of a Claim closes it.
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
	c.Killed = !Closed(dir)
	var err error
	if c.lock, err = durable.Lock(filepath.Join(dir, lockName)); err != nil {
		return nil, fmt.Errorf("run %q: %w", dir, err)
	}
	if err := c.check(resume); err != nil { // another process may have begun one meanwhile
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Claim) check(resume bool) error {
	begun, err := c.holds(ConfigName)
	switch {
	case err != nil || begun && resume:
		return err
	case resume:
		return &NoRunError{c.dir}
	case begun:
		return fmt.Errorf("%q: %w", c.dir, ErrExists)
	}
	for _, name := range occupants {
		there, err := c.holds(name)
		if err != nil {
			return err
		}
		if there {
			return fmt.Errorf("%q contains %s: %w", c.dir, name, ErrOccupied)
		}
	}
	return nil
}

func (c *Claim) holds(name string) (bool, error) {
	_, err := os.Stat(filepath.Join(c.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// IsRun reports whether a folder holds a run, or what is left of one.
func IsRun(dir string) bool {
	for _, name := range []string{ConfigName, MetricsName, CheckpointsName} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// AtWork reports whether a run is being trained now, for messages.
func AtWork(dir string) bool { return durable.Locked(filepath.Join(dir, lockName)) }

// Owns reports whether a name is one of the files and folders that talbot makes and reads back in a run's folder: not
// its page.
func Owns(name string) bool {
	switch durable.WithoutTemp(name) {
	// see package loader
	case ConfigName, lockName, MetricsName, EventsName, CheckpointsName, "data.json":
		return true
	}
	return false
}

// Closed reports whether nobody has a claim to a run's folder, and whoever had one closed it.
func Closed(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, lockName))
	return errors.Is(err, fs.ErrNotExist)
}

// Close gives the folder back: its lock is gone then, and without a run the folder that was made for it.
func (c *Claim) Close() error {
	err := c.lock.Remove()
	if _, err := os.Stat(filepath.Join(c.dir, ConfigName)); errors.Is(err, fs.ErrNotExist) {
		if c.made {
			os.Remove(c.dir) // fails if there is anything in it
		}
	}
	return errors.Join(err, c.lock.Close())
}
