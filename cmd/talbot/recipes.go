package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/network/model"
	"talbot/network/recipe"
)

// recipeView is a recipe as the command shows it.
type recipeView struct {
	Name       string          `json:"name"`
	About      string          `json:"about"`
	Parameters int             `json:"parameters"` // trainable, of the default network
	Network    string          `json:"network"`
	Input      []int           `json:"input"` // shape
	Heads      []headView      `json:"heads"`
	Targets    string          `json:"targets"`
	Data       string          `json:"data"`
	Value      string          `json:"value"` // formula; "" if it has none
	Search     string          `json:"search,omitempty"`
	Settings   recipe.Settings `json:"settings"`
	Presets    []presetView    `json:"presets"`
}

type headView struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"` // [] for one number
	About string `json:"about"`
}

type presetView struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func newRecipes() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "recipes",
		Short: "List the recipes that train knows",
		Long: `Recipes lists what ` + "`talbot train --recipe`" + ` can train: the input and the network of each
recipe, what it learns, and its settings and presets. The settings are those of the
default network; train --set changes them. "search" are settings of the search that uci,
play and match take for its networks in place of their usual ones. See docs/10-recipes.md.`,
		Example: `  talbot recipes
  talbot recipes --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return runRecipes(asJSON) },
	}
	flags.Of(cmd).Bool(&asJSON, "json", "print the list as a JSON array")
	return cmd
}

func runRecipes(asJSON bool) error {
	var list []recipeView
	for _, r := range recipe.All() {
		view, err := viewOf(r)
		if err != nil {
			return err
		}
		list = append(list, view)
	}
	if asJSON {
		return printJSON(list)
	}
	for i, r := range list {
		if i > 0 {
			printf("\n")
		}
		var heads, settings, presets []string
		for _, h := range r.Heads {
			heads = append(heads, h.Name+" "+shapeText(h.Shape))
		}
		values := r.Settings.Values()
		for _, name := range slices.Sorted(maps.Keys(values)) {
			settings = append(settings, name+"="+values[name])
		}
		for _, p := range r.Presets {
			presets = append(presets, p.Name)
		}
		printf("%s: %s\n", r.Name, r.About)
		printf("  network   %s, %s\n", r.Network, humanize.Count(int64(r.Parameters), "parameter"))
		printf("  input     %s\n", shapeText(r.Input))
		printf("  heads     %s\n", strings.Join(heads, ", "))
		printf("  targets   %s\n", r.Targets)
		if r.Value != "" {
			printf("  value     %s\n", r.Value)
		}
		printf("  data      %s\n", r.Data)
		if r.Search != "" {
			printf("  search    %s\n", r.Search)
		}
		if len(settings) > 0 {
			printf("  settings  %s\n", strings.Join(settings, " "))
		}
		if len(presets) > 0 {
			printf("  presets   %s\n", strings.Join(presets, ", "))
		}
	}
	return nil
}

// viewOf describes a recipe with its default settings.
func viewOf(r *recipe.Recipe) (recipeView, error) {
	built, err := r.Build("")
	if err != nil {
		return recipeView{}, fmt.Errorf("recipe %s: %w", r.Name, err)
	}
	v := recipeView{Name: r.Name, About: r.About, Network: built.Network.String(), Targets: r.Targets, Data: r.Data,
		Parameters: model.CountTrainable(built.Network.Params()), Input: built.Encoder.Layout().Shape,
		Search: r.Search, Settings: r.Presets[0].Settings, Presets: []presetView{}}
	if built.HasValue() {
		v.Value = built.Encoder.ValueFormula()
	}
	for _, h := range built.Network.Heads() {
		v.Heads = append(v.Heads, headView{h.Name, append([]int{}, h.Shape...), h.About})
	}
	for _, p := range r.Presets[1:] {
		v.Presets = append(v.Presets, presetView{p.Name, p.About})
	}
	return v, nil
}

// shapeText is such as 68×8×8, and 1 for one number.
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

// presets lists those of all recipes.
func presets() (names []string) {
	for _, r := range recipe.All() {
		for _, p := range r.Presets[1:] {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}
