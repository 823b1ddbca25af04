package engine

import (
	"fmt"
	"strings"

	"talbot/network/builtin"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/play/mcts"
)

// Description describes a network before it is loaded.
type Description struct {
	Config  run.Config
	Name    string // of [builtin.Name]: recipe, size and the beginning of the checksum; "" of others
	Ratings bool   // the network looks at the players' ratings
	// Options are the settings of its searches unless others are chosen.
	Options mcts.Options
}

// Describe reads the description of a network, without its weights where that is possible. path is as for
// [predict.Load], and so are the errors.
func Describe(path string) (Description, error) {
	var d Description
	var err error
	if run.IsFile(path) {
		file, err := run.ReadFile(path)
		if err != nil {
			return d, err
		}
		described, err := run.Describe(file, path)
		if err != nil {
			return d, err
		}
		d.Config = described.Config
		if path == builtin.Name {
			d.Name = fmt.Sprintf("%s %.8s", size(d.Config), file.Sum)
		}
	} else if d.Config, err = run.ReadConfig(path); err != nil {
		return d, err
	}
	built, err := d.Config.Build()
	if err != nil {
		return d, fmt.Errorf("%q: %w", path, err)
	}
	d.Ratings = built.Encoder.Layout().Ratings
	d.Options, err = options(d.Config.Recipe)
	return d, err
}

// options returns the settings that networks of a recipe are played with by default: [recipe.Recipe].Search, and
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
