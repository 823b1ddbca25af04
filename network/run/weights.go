package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/internal/fault"
	"talbot/network/builtin"
	"talbot/network/checkpoint"
	"talbot/network/model"
	"talbot/network/recipe"
)

// Origin names the checkpoint that a run took its initial weights from.
type Origin struct {
	Path string `json:"path"`   // absolute; where it was then, or [builtin.Name]
	Step int64  `json:"step"`   // its step, in its own run
	Sum  string `json:"sha256"` // its checksum
	// Whole reports that not the weights alone were taken: optimizer, averages, step and schedule continue too.
	Whole bool `json:"whole,omitempty"`
}

// Weights are parameters and normalisation statistics: what a run begins with, and what a network answers with.
type Weights struct {
	Origin
	Config   Config  // of the run they are from; of an exported network recipe, settings and targets alone
	Exported bool    // the file is an exported network
	Damaged  []error // better checkpoints that were passed over
	Grown    string  // by [Weights.Extend], such as "blocks from 6 to 8, threats from false to true"

	File *checkpoint.File // all of it; the names of the weights begin with Config.Evaluated
}

// OpenWeights reads the weights in path, which is a run's folder or one of [ReadFile]. Errors: [ErrNoRun],
// [ErrDamaged], [checkpoint.ErrNone], [checkpoint.ErrDamaged].
func OpenWeights(path string, choice Choice) (*Weights, error) {
	w := &Weights{Origin: Origin{Path: path}}
	var err error
	if IsFile(path) {
		w.File, err = ReadFile(path)
	} else {
		var loaded *checkpoint.Loaded
		if loaded, _, err = Load(path, choice); err == nil {
			w.Path, w.File, w.Damaged = loaded.Path, loaded.File, loaded.Damaged
		}
	}
	if err != nil {
		return nil, err
	}
	d, err := Describe(w.File, w.Path)
	if err != nil {
		return nil, err
	}
	w.Step, w.Sum, w.Config, w.Exported = d.Step, w.File.Sum, d.Config, d.Exported
	return w, nil
}

// ReadWeights reads those that the run in a folder is evaluated with, from its best checkpoint or, without a whole best
// one, its newest; or those of [ReadFile]. Of a run with averaged weights they are the average, with the statistics
// that fit it. The path becomes absolute. Errors: [ErrNoRun], [ErrDamaged], [checkpoint.ErrNone],
// [checkpoint.ErrDamaged].
func ReadWeights(path string) (*Weights, error) { return readWeights(path, BestCheckpoint) }

func readWeights(path string, choice Choice) (*Weights, error) {
	if path != builtin.Name {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	w, err := OpenWeights(path, choice)
	if err == nil && w.Path != builtin.Name {
		w.Path, err = filepath.Abs(w.Path)
	}
	return w, err
}

// ReadTraining is [ReadWeights] of all that a training continues with: the newest checkpoint of the run in a folder, or
// a checkpoint's file. An exported network is [ErrNoTraining].
func ReadTraining(path string) (*Weights, error) {
	w, err := readWeights(path, NewestCheckpoint|RawWeights)
	if err != nil {
		return nil, err
	}
	state, err := StateOf(w.File)
	if err != nil { // an exported network
		return nil, fmt.Errorf("%q: %w: it has weights alone, with which --from begins", path, ErrNoTraining)
	}
	if state.Stopped {
		return nil, fmt.Errorf("%q: %w: its schedule has ended it at step %d", path, ErrNoTraining, state.Step)
	}
	w.Whole = true
	return w, nil
}

// ErrNoTraining reports that a file has no optimizer to continue with, or that there is nothing left to train.
var ErrNoTraining = errors.New("not a training that can go on")

// Fit returns an error if the network of that configuration has no place for the weights.
func (w *Weights) Fit(c Config) error {
	mine, err := c.Build()
	if err != nil {
		return err
	}
	have, err := w.Config.Build()
	if err != nil {
		return err
	}
	same := func(a, b model.Param) bool { return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) }
	if slices.EqualFunc(have.Network.Params(), mine.Network.Params(), same) {
		return nil
	}
	if w.Config.Recipe == c.Recipe && have.Network.String() == mine.Network.String() {
		var has, asked []string
		r, err := recipe.ByName(c.Recipe)
		if err != nil {
			return err
		}
		values, wanted := w.Config.Settings.Values(), c.Settings.Values()
		for _, name := range r.Size {
			if values[name] != wanted[name] {
				has, asked = append(has, name+"="+values[name]), append(asked, name+"="+wanted[name])
			}
		}
		return fmt.Errorf("the weights in %q are of a network with %s, and do not fit one with %s", w.Path,
			strings.Join(has, ", "), strings.Join(asked, ", "))
	}
	return fmt.Errorf("the weights in %q have %s (%s), not %s (%s)", w.Path, have.Network, w.Config.Recipe,
		mine.Network, c.Recipe)
}

// Inherit gives a configuration of the same recipe the network of the weights, with all its settings, and what it was
// trained to say.
func (w *Weights) Inherit(c *Config) {
	c.Settings = w.Config.Settings
	w.InheritTargets(c)
}

// InheritTargets gives a configuration the targets of the weights' run, where they are known.
func (w *Weights) InheritTargets(c *Config) {
	if w.Config.ValueTarget != "" {
		c.ValueTarget = w.Config.ValueTarget
	}
	if w.Config.PolicyTarget != "" {
		c.PolicyTarget = w.Config.PolicyTarget
	}
}

// Agree returns an error if the network of that configuration computes something else with the weights than the one
// that they were trained in: in another recipe, of another size, or with another setting that decides it.
func (w *Weights) Agree(c Config) error {
	r, err := recipe.ByName(w.Config.Recipe)
	if err != nil {
		return err
	}
	if err := w.Fit(c); err != nil && c.Recipe == r.Name && len(r.Grows) > 0 {
		remedy := "give at least as many " + strings.Join(r.Grows, " and ")
		if len(r.Extends) > 0 {
			remedy += "; planes can be added at the end alone, in the order " + strings.Join(r.Extends, ", ")
		}
		return fault.Hint(err, remedy+"; what else is of the network's size cannot change")
	} else if err != nil {
		return err
	}
	if c.Recipe != w.Config.Recipe {
		return fmt.Errorf("the weights in %q are of the recipe %s, not %s", w.Path, w.Config.Recipe, c.Recipe)
	}
	have, mine := w.Config.Settings.Values(), c.Settings.Values()
	for _, name := range r.Computes {
		if have[name] != mine[name] {
			return fmt.Errorf("the weights in %q were trained with %s=%s, and would compute something else with %s=%s",
				w.Path, name, have[name], name, mine[name])
		}
	}
	return nil
}
