package engine

import (
	"fmt"
	"strings"

	"talbot/network/builtin"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/play/mcts"
)

// Quick is what is known of a network before it is loaded.
type Quick struct {
	Config  run.Config
	Name    string // of [builtin.Name]: recipe, size and the beginning of the checksum; "" of others
	Ratings bool   // the network looks at the players' ratings
	// Options are the settings of its searches unless others are chosen.
	Options mcts.Options
}

// Look reads what a network says of itself, without its weights where that is possible. path is as for [predict.Load],
// and so are the errors.
func Look(path string) (Quick, error) {
	var q Quick
	var err error
	if run.IsFile(path) {
		file, err := run.ReadFile(path)
		if err != nil {
			return q, err
		}
		d, err := run.Describe(file, path)
		if err != nil {
			return q, err
		}
		q.Config = d.Config
		if path == builtin.Name {
			q.Name = fmt.Sprintf("%s %.8s", size(q.Config), file.Sum)
		}
	} else if q.Config, err = run.ReadConfig(path); err != nil {
		return q, err
	}
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
			return o, fmt.Errorf("recipe %s: %s %w", name, key, err)
		}
	}
	return o, nil
}
