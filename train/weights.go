package train

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"talbot/train/checkpoint"
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
	Config  Config  // of the run they are from
	Damaged []error // better checkpoints that were passed over

	file *checkpoint.File
}

// ReadWeights reads those that the run in a folder is evaluated with, from its best checkpoint or, without a whole best
// one, its newest; or those of a checkpoint's file. Of a run with averaged weights they are the average, with the
// statistics that fit it. Errors: [ErrNoRun], [ErrDamaged], [checkpoint.ErrNone], [checkpoint.ErrDamaged].
func ReadWeights(path string) (*Weights, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	w := &Weights{Origin: Origin{Path: path}}
	if info.IsDir() {
		loaded, _, err := chosen(path, bestOf)
		if err != nil {
			return nil, err
		}
		w.Path, w.file, w.Damaged = loaded.Path, loaded.File, loaded.Damaged
	} else if w.file, err = checkpoint.Read(path); err != nil {
		return nil, err
	}
	s, err := stateOf(w.file)
	var exported struct{ Checkpoint string }
	if err != nil && json.Unmarshal(w.file.Meta, &exported) == nil && exported.Checkpoint != "" {
		return nil, fmt.Errorf("%q is an exported network, without the settings of its run: give the run, or one of "+
			"its checkpoints", w.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("%q is not a checkpoint: %w: %w", w.Path, checkpoint.ErrDamaged, err)
	}
	if w.Path, err = filepath.Abs(w.Path); err != nil {
		return nil, err
	}
	w.Step, w.Sum, w.Config = s.Step, w.file.Sum, s.Config
	return w, nil
}

// Fit returns an error if a network of that configuration has no place for the weights.
func (w *Weights) Fit(c Config) error {
	have := w.Config
	if have.Recipe == c.Recipe && have.Blocks == c.Blocks && have.Filters == c.Filters {
		return nil
	}
	return fmt.Errorf("the weights in %q have %d blocks of %d filters (%s), not %d blocks of %d filters (%s)",
		w.Path,
		have.Blocks, have.Filters, have.Recipe, c.Blocks, c.Filters, c.Recipe)
}

// initialise gives the engine the weights that its configuration begins with, if the seed does not draw them. They are
// w, or without w read again. Moments are zero then, and an average begins at the weights.
func (e *engine) initialise(w *Weights) (err error) {
	from := e.config.From
	if from == (Origin{}) {
		return nil
	}
	if w == nil {
		if w, err = ReadWeights(from.Path); err != nil {
			return fmt.Errorf("reading the weights that the run starts from: %w", err)
		}
	}
	if w.Sum != from.Sum {
		return fmt.Errorf("the weights in %q have changed since the run began (step %d)", from.Path,
			from.Step)
	}
	if err := w.Fit(e.config); err != nil {
		return err
	}
	if err := e.adopt(w.file, w.Config.evaluated()); err != nil || e.config.EMA == 0 {
		return err
	}
	for _, p := range e.store.Params() {
		data, err := e.store.Get(p.Name)
		if err != nil {
			return err
		}
		if err := e.store.Set(averagePrefix+p.Name, p.Shape, data); err != nil {
			return err
		}
	}
	return nil
}
