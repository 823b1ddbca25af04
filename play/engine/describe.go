package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"talbot/internal/humanize"
	"talbot/network/builtin"
	"talbot/network/checkpoint"
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
			d.Name = shippedName(d.Config, file)
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

func shippedName(c run.Config, file *checkpoint.File) string {
	return fmt.Sprintf("%s %.8s", size(c), file.Sum)
}

// ShippedNetwork describes the network that comes with talbot.
type ShippedNetwork struct {
	Name   string          `json:"name"`   // recipe, size and the beginning of the checksum
	SHA256 string          `json:"sha256"` // the checksum: see package checkpoint
	About  json.RawMessage `json:"about"`  // a [run.ExportMetadata], with the card
	card   *run.Card
}

// Shipped returns the network that comes with talbot.
func Shipped() (s ShippedNetwork, err error) {
	file, err := builtin.Read()
	if err != nil {
		return s, err
	}
	d, err := run.Describe(file, builtin.Name)
	if err != nil {
		return s, err
	}
	if d.Card == nil {
		return s, fmt.Errorf("%q: %w: it has no card", builtin.Name, checkpoint.ErrDamaged)
	}
	return ShippedNetwork{Name: shippedName(d.Config, file), SHA256: file.Sum, About: file.Meta, card: d.Card}, nil
}

// String returns the card in a line.
func (s ShippedNetwork) String() string {
	hours, positions := 0.0, int64(0)
	for _, p := range s.card.Training {
		hours += p.Hours
		positions += (p.To - p.From) * int64(p.Batch)
	}
	return fmt.Sprintf("%s, %s, trained for %.1f h on %s, %s", s.Name,
		humanize.Count(int64(s.card.Parameters), "parameter"), hours, humanize.Count(positions, "position"),
		s.card.Licence)
}
