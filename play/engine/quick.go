package engine

import (
	"fmt"
	"os"

	"talbot/train/checkpoint"
	"talbot/train/recipe"
	"talbot/train/run"
)

// Quick is what is known of a network before it is loaded.
type Quick struct {
	Config  run.Config
	Ratings bool // the network looks at the players' ratings
}

// Look reads what a network says of itself, without its weights where that is possible. path is a run's folder, a
// checkpoint or an exported network. Errors: [run.ErrNoRun], [run.ErrDamaged], [checkpoint.ErrDamaged].
func Look(path string) (Quick, error) {
	var q Quick
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		file, err := checkpoint.Read(path)
		if err != nil {
			return q, err
		}
		d, err := run.Describe(file, path)
		if err != nil {
			return q, err
		}
		q.Config = d.Config
	} else if q.Config, err = run.ReadConfig(path, nil); err != nil {
		return q, err
	}
	var built recipe.Built
	built, err := q.Config.Build()
	if err != nil {
		return q, fmt.Errorf("%q: %w", path, err)
	}
	q.Ratings = built.Encoder.Layout().Ratings
	return q, nil
}
