package run

import (
	"bytes"
	"encoding/json"
	"fmt"

	"talbot/network/checkpoint"
	"talbot/network/recipe"
)

// ExportMetadata is the metadata of an exported network. It says what is needed to use it, and not how it was trained.
type ExportMetadata struct {
	Recipe     string          `json:"recipe"`
	Settings   recipe.Settings `json:"settings"` // of the recipe's network
	Step       int64           `json:"step"`
	Checkpoint string          `json:"checkpoint"` // file name

	// Of its run: what values and policies mean. See [Config].
	ValueTarget  string `json:"value_target,omitempty"`
	PolicyTarget string `json:"policy_target,omitempty"`

	Card    *Card  `json:"card,omitempty"`    // of a network that is given away
	Licence string `json:"licence,omitempty"` // of a network of lc0's, which has no card
}

// Description describes a file of weights.
type Description struct {
	Config   Config // of an exported network recipe, settings and targets alone
	Step     int64
	Exported bool
	Card     *Card // of a network that is given away; nil: it has none
	Licence  string
}

// Describe describes a checkpoint or an exported network. path is for errors, which wrap
// [checkpoint.ErrDamaged] for a file that is neither.
func Describe(f *checkpoint.File, path string) (Description, error) {
	var named struct{ Checkpoint string }
	if json.Unmarshal(f.Meta, &named) == nil && named.Checkpoint != "" {
		d, err := describeExported(f.Meta)
		if err != nil {
			return d, fmt.Errorf("%q: exported network: %w", path, err)
		}
		return d, nil
	}
	s, err := StateOf(f)
	if err != nil {
		return Description{}, fmt.Errorf("%q is not a checkpoint: %w: %w", path, checkpoint.ErrDamaged, err)
	}
	return Description{Config: s.Config, Step: s.Step}, nil
}

func describeExported(meta json.RawMessage) (Description, error) {
	var x ExportMetadata
	d := json.NewDecoder(bytes.NewReader(meta))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return Description{}, err
	}
	c := Config{Recipe: x.Recipe, Settings: x.Settings, ValueTarget: x.ValueTarget, PolicyTarget: x.PolicyTarget}
	if x.Card != nil {
		x.Licence = x.Card.Licence
	}
	_, err := recipe.BuildWhole(x.Recipe, x.Settings)
	return Description{Config: c, Step: x.Step, Exported: true, Card: x.Card, Licence: x.Licence}, err
}
