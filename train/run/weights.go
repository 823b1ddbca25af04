package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"talbot/train/checkpoint"
	"talbot/train/model"
)

// Origin names the checkpoint that a run took its initial weights from.
type Origin struct {
	Path string `json:"path"`   // absolute; where it was then
	Step int64  `json:"step"`   // its step, in its own run
	Sum  string `json:"sha256"` // its checksum
}

// Weights are parameters and normalisation statistics to begin a run with.
type Weights struct {
	Origin
	Config  Config  // of the run they are from; of an exported network recipe, settings and targets alone
	Damaged []error // better checkpoints that were passed over

	File *checkpoint.File // all of it; the names of the weights begin with Config.Evaluated
}

// ReadWeights reads those that the run in a folder is evaluated with, from its best checkpoint or, without a whole best
// one, its newest; or those of a file: a checkpoint or an exported network. Of a run with averaged weights they are the
// average, with the statistics that fit it. Errors: [ErrNoRun], [ErrDamaged], [checkpoint.ErrNone],
// [checkpoint.ErrDamaged].
func ReadWeights(path string) (*Weights, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	w := &Weights{Origin: Origin{Path: path}}
	if info.IsDir() {
		loaded, _, err := Load(path, BestCheckpoint)
		if err != nil {
			return nil, err
		}
		w.Path, w.File, w.Damaged = loaded.Path, loaded.File, loaded.Damaged
	} else if w.File, err = checkpoint.Read(path); err != nil {
		return nil, err
	}
	d, err := Describe(w.File, w.Path)
	if err != nil {
		return nil, err
	}
	if w.Path, err = filepath.Abs(w.Path); err != nil {
		return nil, err
	}
	w.Step, w.Sum, w.Config = d.Step, w.File.Sum, d.Config
	return w, nil
}

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
	return fmt.Errorf("the weights in %q have %s (%s), not %s (%s)", w.Path, have.Network, w.Config.Recipe,
		mine.Network, c.Recipe)
}
