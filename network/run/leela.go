package run

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"talbot/network/checkpoint"
	"talbot/network/leela"
	"talbot/network/recipe"
)

// readLeela reads a network of lc0's as if talbot had exported it.
func readLeela(name string) (*checkpoint.File, error) {
	l, err := leela.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	settings, err := json.Marshal(l.Settings)
	if err != nil {
		return nil, err
	}
	meta, err := json.Marshal(ExportMetadata{Recipe: "leela", Settings: recipe.Settings(settings),
		Step: int64(l.Training.Steps), Checkpoint: filepath.Base(name), ValueTarget: "recipe", PolicyTarget: "played",
		Licence: l.Licence})
	if err != nil {
		return nil, err
	}
	return &checkpoint.File{Meta: meta, Tensors: l.Tensors, Sum: l.Sum}, nil
}
