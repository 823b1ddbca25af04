package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"talbot/internal/durable"
)

// ErrDamaged says that a run's folder does not hold what it should.
var ErrDamaged = errors.New("the run is damaged")

// ReadConfig returns the configuration a run was last begun with. For a folder without a run the error is [ErrNoRun],
// for a file that holds no configuration [ErrDamaged].
func ReadConfig(dir string) (Config, error) {
	var c Config
	path := filepath.Join(dir, configName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("%q: %w", dir, ErrNoRun)
	}
	if err != nil {
		return c, err
	}
	if err = json.Unmarshal(text, &c); err == nil {
		err = c.Validate()
	}
	if err != nil {
		return c, fmt.Errorf("%q: %w: %w", path, ErrDamaged, err)
	}
	return c, nil
}

// write makes c the configuration of the run in that folder.
func (c Config) write(dir string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, configName), append(text, '\n'))
}
