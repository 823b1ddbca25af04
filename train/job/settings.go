package job

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"talbot/internal/output"
	"talbot/network/run"
	"talbot/train/loader"
	"talbot/train/report"
)

// facts are what a run is made from and with: its settings, its first weights and its data, by their contents. With
// paths it also has where the weights and the datasets were.
func facts(c run.Config, id loader.Identity, paths bool) (output.Facts, error) {
	from := c.From
	c.From = run.Origin{}
	all, err := output.FactsOf(c)
	if err != nil {
		return nil, err
	}
	where := func(path string) string {
		if !paths {
			return ""
		}
		return path + ", "
	}
	if from.Sum != "" {
		all.Add("from", "%sstep %d (SHA-256 %.16s)", where(from.Path), from.Step, from.Sum)
	}
	if from.Whole {
		all.Add("after", "the whole training")
	}
	for _, s := range id.Sets {
		weight := ""
		if s.Weight != 0 {
			weight = fmt.Sprintf(", weight %g", s.Weight)
		}
		all.Add("data", "%smanifest %.16s%s", where(filepath.Base(s.Dir)), s.Manifest, weight)
	}
	if id.Label != "" {
		all.Add("label", "%s", id.Label)
	}
	if id.MaxCopies > 0 {
		all.Add("max-copies", "%d", id.MaxCopies)
	}
	if id.MinClock != "" {
		all.Add("min-clock", "%s", id.MinClock)
	}
	return all, nil
}

// operational are the settings of a run that change nothing in its network, or repeat others.
var operational = []string{"log_every", "checkpoint_every", "keep", "value_formula"}

// settings are the facts of a run for display. An exported network does not tell how it was trained.
func settings(path string, c run.Config, exported bool) (output.Facts, error) {
	if run.IsFile(path) {
		path = runOf(path)
	}
	id, _ := loader.ReadIdentity(path) // without one the data is not shown
	all, err := facts(c, id, true)
	if err != nil {
		return nil, err
	}
	known := []string{"recipe", "value_target", "policy_target"}
	all = slices.DeleteFunc(all, func(f output.Fact) bool {
		ofNetwork := strings.HasPrefix(f.Name, "settings.") || slices.Contains(known, f.Name)
		return slices.Contains(operational, f.Name) || exported && !ofNetwork
	})
	for i := range all {
		all[i].Name = strings.TrimPrefix(all[i].Name, "settings.")
	}
	return all, nil
}

// Settings are the settings and the data of runs side by side, in the order of run.json. The paths are those of their
// folders.
func Settings(paths []string, configs []run.Config) ([]report.Differing, error) {
	all := make([]output.Facts, len(paths))
	for i, path := range paths {
		var err error
		if all[i], err = settings(path, configs[i], false); err != nil {
			return nil, err
		}
	}
	return align(all), nil
}

// align brings the settings of runs together by their names.
func align(all []output.Facts) (list []report.Differing) {
	var order []string
	values := make([]map[string]string, len(all))
	for i, facts := range all {
		values[i] = map[string]string{}
		for at, f := range facts {
			if old, ok := values[i][f.Name]; ok {
				f.Value = old + "; " + f.Value
			}
			values[i][f.Name] = f.Value
			if !slices.Contains(order, f.Name) {
				order = slices.Insert(order, min(at, len(order)), f.Name)
			}
		}
	}
	for _, name := range order {
		d := report.Differing{Name: name}
		for i := range values {
			d.Values = append(d.Values, values[i][name])
		}
		list = append(list, d)
	}
	return list
}
