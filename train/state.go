package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"talbot/train/checkpoint"
)

// state is what a run carries from step to step beside the tensors. It is a checkpoint's metadata.
type state struct {
	Config Config          `json:"config"`
	Step   int64           `json:"step"`             // steps done
	Source json.RawMessage `json:"source,omitempty"` // state of the source behind the last batch
	Best   *best           `json:"best,omitempty"`
	Val    *losses         `json:"val,omitempty"` // the last validation
	ValAt  int64           `json:"val_at"`        // its step
	Window window          `json:"window"`
}

// best is the lowest validation loss so far.
type best struct {
	Step int64   `json:"step"`
	Loss float64 `json:"loss"`
}

// window sums the steps since the last train line.
type window struct {
	Steps    int64   `json:"steps"`
	Loss     float64 `json:"loss"`
	PolicyCE float64 `json:"policy_ce"`
	ValueMSE float64 `json:"value_mse"`
	Top1     float64 `json:"top1"`
	GradNorm float64 `json:"grad_norm"`
	Policies int64   `json:"policies"` // steps with a policy target
	Values   int64   `json:"values"`   // steps with a value label
}

func (w *window) add(l losses, norm float64) {
	w.Steps++
	w.Loss += l.Loss
	w.GradNorm += norm
	if l.PolicyCE != nil {
		w.PolicyCE += *l.PolicyCE
		w.Policies++
	}
	w.Top1 += orZero(l.Top1)
	if l.ValueMSE != nil {
		w.ValueMSE += *l.ValueMSE
		w.Values++
	}
}

// means are over the steps that had a target.
func (w *window) means() losses {
	return losses{w.Loss / float64(w.Steps), ratio(w.PolicyCE, float64(w.Policies)),
		ratio(w.ValueMSE, float64(w.Values)),
		ratio(w.Top1, float64(w.Policies))}
}

// snapshot copies the engine's tensors to the host.
func (e *engine) snapshot(s state) (*checkpoint.File, error) {
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
	return e.take(f, e.tensors(), "")
}

// adopt takes over the weights and statistics of a checkpoint whose names have the prefix, under their names without
// it.
func (e *engine) adopt(f *checkpoint.File, prefix string) error {
	return e.take(f, e.tensors()[:len(e.store.Params())], prefix)
}

// take sets tensors to those of the checkpoint whose names have the prefix before them.
func (e *engine) take(f *checkpoint.File, wanted []checkpoint.Tensor, prefix string) error {
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

func stateOf(f *checkpoint.File) (state, error) {
	var s state
	d := json.NewDecoder(bytes.NewReader(f.Meta))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("checkpoint metadata: %w", err)
	}
	if err := s.Config.Validate(); err != nil {
		return s, fmt.Errorf("checkpoint metadata: %w", err)
	}
	if s.Step < 0 {
		return s, errors.New("checkpoint metadata: negative step")
	}
	return s, nil
}

// tensors lists names and shapes in the order of the file: the network's, then the moments, then the averages.
func (e *engine) tensors() []checkpoint.Tensor {
	var list, averages []checkpoint.Tensor
	for _, p := range e.store.Params() {
		list = append(list, checkpoint.Tensor{Name: p.Name, Shape: p.Shape})
		averages = append(averages, checkpoint.Tensor{Name: averagePrefix + p.Name, Shape: p.Shape})
	}
	for _, p := range trainable(e.store) {
		for _, prefix := range []string{firstMomentPrefix, secondMomentPrefix} {
			list = append(list, checkpoint.Tensor{Name: prefix + p.Name, Shape: p.Shape})
		}
	}
	if e.config.EMA > 0 {
		list = append(list, averages...)
	}
	return list
}
