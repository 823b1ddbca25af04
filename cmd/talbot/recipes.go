package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/network/recipe"
)

func newRecipes() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "recipes",
		Short: "List the recipes that train knows",
		Long: `Recipes lists what ` + "`talbot train --recipe`" + ` can train: the input and the
network of each recipe, what it learns, and its settings and presets. Settings are those
of the default network; train --set changes them. "search" lists the search settings that
uci, play and match use for its networks instead of the usual ones. See
docs/10-recipes.md.`,
		Example: `  talbot recipes
  talbot recipes --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return runRecipes(asJSON) },
	}
	flags.Of(cmd).Bool(&asJSON, "json", "print the list as a JSON array")
	return cmd
}

func runRecipes(asJSON bool) error {
	var list []recipe.View
	for _, r := range recipe.All() {
		view, err := r.View()
		if err != nil {
			return err
		}
		list = append(list, view)
	}
	if asJSON {
		return cli.PrintJSON(list)
	}
	for i := range list {
		if i > 0 {
			cli.Printf("\n")
		}
		io.WriteString(cli.Stdout, list[i].Text()) // which remembers its error
	}
	return nil
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
