package run

import (
	"slices"

	"talbot/network/model"
	"talbot/network/recipe"
)

// Extend gives weights the shapes that the network of a configuration has, where it differs from theirs in nothing but
// settings that add planes at the end of the input ([recipe.Recipe.Extends]). The weights of the new planes are zeros,
// so the network says what it said before. Weights of another kind stay as they are, for [Weights.Agree] to refuse, and
// so do those where other planes would come behind the new ones.
func (w *Weights) Extend(c Config) error {
	r, err := recipe.ByName(w.Config.Recipe)
	if err != nil {
		return err
	}
	settings, had := w.Config.Settings, w.Config.Settings.Values()
	if c.Recipe != w.Config.Recipe || w.Whole || settings == c.Settings {
		return nil
	}
	wanted := c.Settings.Values()
	for i, name := range r.Extends {
		behind := slices.ContainsFunc(r.Extends[i+1:], func(s string) bool { return had[s] == "true" })
		if had[name] == "false" && wanted[name] == "true" && !behind {
			if settings, err = r.Set(settings, name, "true"); err != nil {
				return err
			}
		}
	}
	have, err := r.Build(w.Config.Settings)
	if err != nil {
		return err
	}
	other, err := r.Build(settings)
	if err != nil {
		return err
	}
	news := other.Network.Params()
	for i, old := range have.Network.Params() {
		if !slices.Equal(old.Shape, news[i].Shape) {
			w.pad(old, news[i])
		}
	}
	w.Config.Settings = settings
	return nil
}

// pad adds zeros at the end of the second axis of a parameter, among the weights that a run begins with.
func (w *Weights) pad(old, wider model.Param) {
	if w.File == nil { // settings alone
		return
	}
	w.File.Tensors = slices.Clone(w.File.Tensors)
	for i := range w.File.Tensors {
		t := &w.File.Tensors[i]
		if t.Name != w.Config.Evaluated()+old.Name {
			continue
		}
		rest := 1
		for _, n := range old.Shape[2:] {
			rest *= n
		}
		from, to := old.Shape[1]*rest, wider.Shape[1]*rest
		data := make([]float32, old.Shape[0]*to)
		for k := range old.Shape[0] {
			copy(data[k*to:], t.Data[k*from:][:from])
		}
		t.Shape, t.Data = wider.Shape, data
	}
}
