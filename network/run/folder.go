package run

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/network/checkpoint"
)

// ErrDamaged reports that a run's folder does not hold what it should.
var ErrDamaged = fault.New(fault.ExitDamaged, "the run is damaged",
	"restore run.json (and checkpoints/ if lost) from a backup, or train again in another folder")

// configVersion is the version of run.json.
const configVersion = 1

// maxConfig is the largest run.json that is read, in bytes.
const maxConfig = 1 << 20

// configFile is the content of run.json.
type configFile struct {
	Version int `json:"version"`
	Config
}

// ReadConfig returns the configuration that a run was last started with. The error is [ErrNoRun] for a folder without a
// run, [ErrDamaged] for a file that is not to the byte what was written, and [durable.ErrVersion] for another version.
func ReadConfig(dir string) (Config, error) {
	path := filepath.Join(dir, ConfigName)
	text, err := durable.ReadFile(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, &NoRunError{dir}
	}
	if err != nil {
		return Config{}, Unreadable(err)
	}
	var file configFile
	if err = durable.UnsealVersion(text, configVersion, &file); err == nil {
		err = file.Validate()
	}
	if errors.Is(err, durable.ErrVersion) {
		return Config{}, fmt.Errorf("%q: %w", path, err)
	}
	if err != nil {
		return Config{}, fmt.Errorf("%q: %w: %w", path, ErrDamaged, err)
	}
	return file.Config, nil
}

// Unreadable is the error of a file of a run that could not be read: what is no file is damage.
func Unreadable(err error) error {
	if errors.Is(err, durable.ErrNotRegular) || errors.Is(err, durable.ErrTooLong) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// Write makes c the configuration of the run in that folder.
func (c Config) Write(dir string) error {
	return durable.WriteSealed(filepath.Join(dir, ConfigName), configFile{configVersion, c})
}

// SameSettings returns [ErrDamaged] if the run.json of a folder, which says c, and a checkpoint of its run, which says
// s, tell of different computations: no talbot lets them.
func SameSettings(dir string, c Config, loaded *checkpoint.Loaded, s State) error {
	field, file, truth := c.Differs(s.Config)
	if field == "" {
		return nil
	}
	return fmt.Errorf("%q: %w: its %s is %s, and that of %q is %s", filepath.Join(dir, ConfigName), ErrDamaged, field,
		file, loaded.Path, truth)
}
