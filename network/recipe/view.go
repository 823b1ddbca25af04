package recipe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"talbot/internal/humanize"
	"talbot/network/model"
)

// View describes a recipe with its default settings.
type View struct {
	Name       string       `json:"name"`
	About      string       `json:"about"`
	Parameters int          `json:"parameters"` // trainable, of the default network
	Network    string       `json:"network"`
	Input      []int        `json:"input"` // shape
	Heads      []HeadView   `json:"heads"`
	Targets    string       `json:"targets"`
	Data       string       `json:"data"`
	Value      string       `json:"value"` // formula; "" if it has none
	Search     string       `json:"search,omitempty"`
	Settings   Settings     `json:"settings"`
	Presets    []PresetView `json:"presets"`
}

// HeadView describes an output of a network.
type HeadView struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"` // [] for one number
	About string `json:"about"`
}

// PresetView describes a preset.
type PresetView struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// View returns the description of a recipe.
func (r *Recipe) View() (View, error) {
	built, err := r.Build("")
	if err != nil {
		return View{}, fmt.Errorf("recipe %s: %w", r.Name, err)
	}
	v := View{Name: r.Name, About: r.About, Network: built.Network.String(), Targets: r.Targets, Data: r.Data,
		Parameters: model.CountTrainable(built.Network.Params()), Input: built.Encoder.Layout().Shape,
		Search: r.Search, Settings: r.Presets[0].Settings, Presets: []PresetView{}}
	if built.HasValue() {
		v.Value = built.Encoder.ValueFormula()
	}
	for _, h := range built.Network.Heads() {
		v.Heads = append(v.Heads, HeadView{h.Name, append([]int{}, h.Shape...), h.About})
	}
	for _, p := range r.Presets[1:] {
		v.Presets = append(v.Presets, PresetView{p.Name, p.About})
	}
	return v, nil
}

// Text returns the description as lines.
func (v *View) Text() string {
	var heads, settings, presets []string
	for _, h := range v.Heads {
		heads = append(heads, h.Name+" "+shapeText(h.Shape))
	}
	values := v.Settings.Values()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		settings = append(settings, name+"="+strings.Trim(values[name], `"`))
	}
	for _, p := range v.Presets {
		presets = append(presets, p.Name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", v.Name, v.About)
	for _, line := range [][2]string{
		{"network", v.Network + ", " + humanize.Count(int64(v.Parameters), "parameter")}, {"input", shapeText(v.Input)},
		{"heads", strings.Join(heads, ", ")}, {"targets", v.Targets}, {"value", v.Value}, {"data", v.Data},
		{"search", v.Search}, {"settings", strings.Join(settings, " ")}, {"presets", strings.Join(presets, ", ")},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "  %-8s  %s\n", line[0], line[1])
		}
	}
	return b.String()
}

// shapeText writes a shape as 68×8×8, and as 1 for one number.
func shapeText(shape []int) string {
	if len(shape) == 0 {
		return "1"
	}
	var parts []string
	for _, n := range shape {
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, "×")
}
