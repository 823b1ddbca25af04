package main

import (
	"fmt"
	"slices"
	"strings"

	"talbot/internal/cli"
	"talbot/internal/humanize"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// networkFile describes a file of weights.
type networkFile struct {
	File       string          `json:"file"`
	Recipe     string          `json:"recipe"`
	Network    string          `json:"network"` // its size, such as "6 blocks of 64 filters"
	Parameters int             `json:"parameters"`
	Step       int64           `json:"step"`
	Settings   recipe.Settings `json:"settings"`
	Input      []int           `json:"input"` // shape of one sample
	Heads      []networkHead   `json:"heads"`
	Licence    string          `json:"licence,omitempty"`
	SHA256     string          `json:"sha256"`
}

type networkHead struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	About string `json:"about"`
}

// inspectNetwork shows what a file of weights holds, or a run's best checkpoint.
func inspectNetwork(path string, asJSON bool) error {
	if run.IsRun(path) {
		w, err := run.OpenWeights(path, 0)
		if err != nil {
			return err
		}
		path = w.Path
	}
	file, err := run.ReadFile(path)
	if err != nil {
		return err
	}
	d, err := run.Describe(file, path)
	if err != nil {
		return err
	}
	built, err := d.Config.Build()
	if err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	x := networkFile{File: path, Recipe: d.Config.Recipe, Network: built.Network.String(),
		Parameters: model.CountTrainable(built.Network.Params()), Step: d.Step, Settings: d.Config.Settings,
		Input: built.Encoder.Layout().Shape, Licence: d.Licence, SHA256: file.Sum}
	for _, h := range built.Network.Heads() {
		x.Heads = append(x.Heads, networkHead(h))
	}
	if asJSON {
		return cli.PrintJSON(x)
	}
	var settings []string
	for name, value := range x.Settings.Values() {
		if value != "0" && value != `""` && value != "false" {
			settings = append(settings, name+"="+strings.Trim(value, `"`))
		}
	}
	slices.Sort(settings)
	cli.Printf("%s: %s, %s, %s, step %s\n", strings.TrimSuffix(path, ":"), x.Recipe, x.Network,
		humanize.Count(int64(x.Parameters), "parameter"), humanize.Thousands(x.Step))
	cli.Printf("settings  %s\ninput     %s\n", strings.Join(settings, ", "), humanize.Shape(x.Input))
	for _, h := range x.Heads {
		cli.Printf("output    %s %s: %s\n", h.Name, humanize.Shape(h.Shape), h.About)
	}
	if x.Licence != "" {
		cli.Printf("licence   %s\n", x.Licence)
	}
	cli.Printf("sha256    %s\n", x.SHA256)
	return nil
}
