package train

import (
	"encoding/json"
	"fmt"

	"talbot/network/checkpoint"
	"talbot/network/run"
)

// snapshot copies the engine's tensors to the host.
func (e *engine) snapshot(s run.State) (*checkpoint.File, error) {
	meta, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	f := &checkpoint.File{Meta: meta}
	for _, t := range e.tensors() {
		if t.Data, err = e.store.Get(t.Name); err != nil {
			return nil, err
		}
		f.Tensors = append(f.Tensors, t)
	}
	return f, nil
}

// restore takes over all tensors of a checkpoint. It must hold exactly those that the engine's configuration has.
func (e *engine) restore(f *checkpoint.File) error {
	if want := len(e.tensors()); len(f.Tensors) != want {
		return fmt.Errorf("checkpoint of %d tensors, training needs %d", len(f.Tensors), want)
	}
	return e.setTensors(f, e.tensors(), "")
}

// adopt takes over the weights and statistics of a checkpoint whose names have the prefix, under their names without
// it.
func (e *engine) adopt(f *checkpoint.File, prefix string) error {
	return e.setTensors(f, e.tensors()[:len(e.store.Params())], prefix)
}

// setTensors sets tensors to those of the checkpoint whose names have the prefix before them.
func (e *engine) setTensors(f *checkpoint.File, wanted []checkpoint.Tensor, prefix string) error {
	have := map[string]checkpoint.Tensor{}
	for _, t := range f.Tensors {
		have[t.Name] = t
	}
	for _, want := range wanted {
		t, ok := have[prefix+want.Name]
		if !ok {
			return fmt.Errorf("checkpoint lacks tensor %q", prefix+want.Name)
		}
		if err := e.store.Set(want.Name, t.Shape, t.Data); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
	}
	return nil
}

// tensors lists names and shapes in the order of the file: the network's, then the moments, then the averages.
func (e *engine) tensors() []checkpoint.Tensor {
	var list, averages []checkpoint.Tensor
	for _, p := range e.store.Params() {
		list = append(list, checkpoint.Tensor{Name: p.Name, Shape: p.Shape})
		averages = append(averages, checkpoint.Tensor{Name: averagePrefix + p.Name, Shape: p.Shape})
	}
	for _, p := range trainable(e.store) {
		for _, name := range optimizerTensors(e.config, p) {
			list = append(list, checkpoint.Tensor{Name: name, Shape: p.Shape})
		}
	}
	if e.config.EMA > 0 {
		list = append(list, averages...)
	}
	return list
}

// initialise gives the engine the weights that its configuration begins with, if the seed does not draw them. They are
// w, or without w read again, and are returned. Moments are zero then, and an average begins at the weights; but where
// a whole training continues, both are as they were.
func (e *engine) initialise(w *run.Weights) (_ *run.Weights, err error) {
	from := e.config.From
	if from == (run.Origin{}) {
		return nil, nil
	}
	if w == nil {
		if w, err = run.ReadWeights(from.Path); err != nil {
			return nil, fmt.Errorf("reading the weights that the run starts from: %w", err)
		}
	}
	if w.Sum != from.Sum {
		return nil, fmt.Errorf("the weights in %q have changed since the run began (step %d)", from.Path, from.Step)
	}
	if err := w.Extend(e.config); err != nil {
		return nil, err
	}
	if err := w.Fit(e.config); err != nil {
		return nil, err
	}
	if from.Whole {
		return w, e.restore(w.File)
	}
	if err := e.adopt(w.File, w.Config.Evaluated()); err != nil || e.config.EMA == 0 {
		return w, err
	}
	for _, p := range e.store.Params() {
		data, err := e.store.Get(p.Name)
		if err != nil {
			return nil, err
		}
		if err := e.store.Set(averagePrefix+p.Name, p.Shape, data); err != nil {
			return nil, err
		}
	}
	return w, nil
}
