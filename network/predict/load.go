package predict

import (
	"fmt"
	"slices"

	"talbot/network/checkpoint"
	"talbot/network/recipe"
	"talbot/network/run"
)

// About says where a network is from.
type About struct {
	Path     string     // the file
	Sum      string     // its checksum
	Step     int64      // of training
	Config   run.Config // of its run; of an exported network recipe, settings and targets alone
	Averaged bool       // the weights are the average that the run kept
	Exported bool       // the file is an exported network; whether that is of averaged weights it does not say
	Damaged  []error    // better checkpoints that were passed over
}

// Network is a network with its weights.
type Network struct {
	About
	recipe.Built
	Tensors []checkpoint.Tensor // parameters and statistics in the order of the network's
}

// Load reads the network in path, which is a run's folder or one of [run.ReadFile]. Errors: [run.ErrNoRun],
// [run.ErrDamaged], [checkpoint.ErrNone], [checkpoint.ErrDamaged].
func Load(path string, choice run.Choice) (*Network, error) {
	w, err := run.OpenWeights(path, choice)
	if err != nil {
		return nil, err
	}
	prefix := w.Config.Evaluated()
	if choice&run.RawWeights != 0 {
		prefix = ""
	}
	t := &Network{About: About{Path: w.Path, Sum: w.Sum, Step: w.Step, Config: w.Config, Averaged: prefix != "",
		Exported: w.Exported, Damaged: w.Damaged}}
	if t.Built, err = t.Config.Build(); err != nil {
		return nil, fmt.Errorf("%q: %w", t.Path, err)
	}
	if err := t.setTensors(w.File, prefix); err != nil {
		return nil, fmt.Errorf("%q: %w: %w", t.Path, checkpoint.ErrDamaged, err)
	}
	return t, nil
}

// setTensors picks the tensors of the network, whose names have the prefix in the file.
func (t *Network) setTensors(f *checkpoint.File, prefix string) error {
	have := map[string]checkpoint.Tensor{}
	for _, tensor := range f.Tensors {
		have[tensor.Name] = tensor
	}
	for _, p := range t.Network.Params() {
		tensor, ok := have[prefix+p.Name]
		if !ok {
			return fmt.Errorf("tensor %q is missing", prefix+p.Name)
		}
		if !slices.Equal(tensor.Shape, p.Shape) {
			return fmt.Errorf("tensor %q has shape %v, not %v", prefix+p.Name, tensor.Shape, p.Shape)
		}
		tensor.Name = p.Name
		t.Tensors = append(t.Tensors, tensor)
	}
	return nil
}
