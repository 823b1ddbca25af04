package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadConfig returns the configuration a run was started with. For a folder without a run the error is [ErrNoRun].
func ReadConfig(dir string) (Config, error) {
	var c Config
	path := filepath.Join(dir, "run.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("%q: %w", dir, ErrNoRun)
	}
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%q: %w", path, err)
	}
	return c, nil
}
