package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"talbot/internal/durable"
	"talbot/network/checkpoint"
)

// ErrDamaged says that a run's folder does not hold what it should.
var ErrDamaged = errors.New("the run is damaged")

// configVersion is the version of run.json. Files of before there were checksums have none; in version 1 the settings
// of the network stood among the others.
const configVersion = 2

// maxConfig is the largest run.json that is read, in bytes.
const maxConfig = 1 << 20

// configFile is run.json.
type configFile struct {
	Version int `json:"version"`
	members
}

// UnmarshalJSON reads run.json.
func (f *configFile) UnmarshalJSON(text []byte) error {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	delete(all, "version")
	rest, err := json.Marshal(all)
	if err != nil {
		return err
	}
	f.members = olderMembers()
	return f.decode(rest)
}

// ReadConfig returns the configuration that a run was last started with. warn, if not nil, is called for a file without
// a checksum, as earlier versions wrote it. The error is [ErrNoRun] for a folder without a run, [ErrDamaged] for a file
// that is not to the byte what was written, and [durable.ErrVersion] for one of a later version.
func ReadConfig(dir string, warn func(error)) (Config, error) {
	c, sealed, err := Read(dir)
	if err == nil && !sealed && warn != nil {
		warn(Unsealed(filepath.Join(dir, ConfigName)))
	}
	return c, err
}

// Unsealed is the warning of a file of a run that is believed without a checksum.
func Unsealed(path string) error {
	return fmt.Errorf("%q has no checksum because an older talbot wrote it; it is used unchecked, and --resume adds "+
		"one", path)
}

// Read is [ReadConfig] that tells whether the file has a checksum.
func Read(dir string) (c Config, sealed bool, err error) {
	path := filepath.Join(dir, ConfigName)
	text, err := durable.ReadFile(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, fmt.Errorf("%q: %w", dir, ErrNoRun)
	}
	if err != nil {
		return c, false, Unreadable(err)
	}
	var file configFile
	if sealed, err = durable.UnsealVersion(text, configVersion, &file); err == nil {
		c = Config(file.members)
		err = c.Validate()
	}
	if errors.Is(err, durable.ErrVersion) {
		return c, sealed, fmt.Errorf("%q: %w", path, err)
	}
	if err != nil {
		return c, sealed, fmt.Errorf("%q: %w: %w", path, ErrDamaged, err)
	}
	return c, sealed, nil
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
	text, err := durable.Seal(configFile{configVersion, members(c)})
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, ConfigName), text)
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
