package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"talbot/network/checkpoint"
	"talbot/network/model"
	"talbot/network/recipe"
)

// Extend gives weights the shapes that the network of a configuration has, where it differs from theirs in nothing but
// settings that add planes at the end of the input ([recipe.Recipe.Extends]), blocks or channels
// ([recipe.Recipe.Grows]). The network says what it said before: new planes and channels weigh nothing in what was
// there, and new blocks add nothing to what they are given. What else is new has the first values of the
// configuration's seed, so that it learns. (Chen, Goodfellow and Shlens, Net2Net, 2016, keep the function by other
// means: they copy channels and begin blocks with the identity.) It may say something else with planes of threats, for
// those of tactics then count pins. Weights of another kind stay as they are, for [Weights.Agree] to refuse, and so
// do those where other planes would come behind the new ones.
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
	var grown []string
	set := func(name string) {
		if err == nil {
			settings, err = r.Set(settings, name, wanted[name])
			grown = append(grown, fmt.Sprintf("%s from %s to %s", name, had[name], wanted[name]))
		}
	}
	for i, name := range r.Extends {
		behind := slices.ContainsFunc(r.Extends[i+1:], func(s string) bool { return had[s] == "true" })
		if had[name] == "false" && wanted[name] == "true" && !behind {
			set(name)
		}
	}
	for _, name := range r.Grows {
		old, _ := strconv.Atoi(had[name])
		if n, _ := strconv.Atoi(wanted[name]); n > old {
			set(name)
		}
	}
	if err != nil {
		return err
	}
	trial := *w
	if trial.Config.Settings = settings; len(grown) == 0 || trial.Fit(c) != nil {
		return nil
	}
	larger, err := r.Build(settings)
	if err != nil {
		return err
	}
	if w.File != nil { // not settings alone
		w.grow(larger.Network.Params(), uint64(c.Seed))
	}
	w.Config.Settings, w.Grown = settings, strings.Join(grown, ", ")
	return nil
}

// grow gives weights the shapes of a larger network's parameters.
func (w *Weights) grow(params []model.Param, seed uint64) {
	prefix := w.Config.Evaluated()
	w.File.Tensors = slices.Clone(w.File.Tensors)
	for _, p := range params {
		i := slices.IndexFunc(w.File.Tensors, func(t checkpoint.Tensor) bool { return t.Name == prefix+p.Name })
		data := p.Initial(seed)
		switch {
		case i < 0: // of a new block
			if strings.HasSuffix(p.Name, ".bn2.weight") {
				clear(data)
			}
			added := checkpoint.Tensor{Name: prefix + p.Name, Shape: p.Shape, Data: data}
			w.File.Tensors = append(w.File.Tensors, added)
		case !slices.Equal(w.File.Tensors[i].Shape, p.Shape):
			t := &w.File.Tensors[i]
			lead, row := len(t.Data)/t.Shape[0], len(data)/p.Shape[0] // what one of its outputs has, before and now
			for k := range t.Shape[0] {
				clear(data[k*row:][:row])
				copy(data[k*row:], t.Data[k*lead:][:lead])
			}
			t.Shape, t.Data = p.Shape, data
		}
	}
}
