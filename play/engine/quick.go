package engine

import (
	"fmt"
	"os"
	"strings"

	"talbot/network/checkpoint"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/play/mcts"
)

// Quick is what is known of a network before it is loaded.
type Quick struct {
	Config  run.Config
	Ratings bool // the network looks at the players' ratings
	// Options are what it is played with where nothing else is said.
	Options mcts.Options
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
	q.Options, err = options(q.Config.Recipe)
	return q, err
}

// options are what networks of a recipe are played with where nothing else is said: [recipe.Recipe].Search, and
// otherwise [mcts.Defaults].
func options(name string) (mcts.Options, error) {
	o := mcts.Defaults()
	r, err := recipe.ByName(name)
	if err != nil || r.Search == "" {
		return o, err
	}
	for text := range strings.SplitSeq(r.Search, ",") {
		key, value, _ := strings.Cut(text, "=")
		s := setting(key)
		if s == nil {
			return o, fmt.Errorf("recipe %s: no setting of a search: %q", name, text)
		}
		if err := s.Set(&o, value); err != nil {
			return o, fmt.Errorf("recipe %s: %w", name, err)
		}
	}
	return o, nil
}
