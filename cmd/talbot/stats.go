package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"talbot/inspect/stats"
	"talbot/internal/flags"
	"talbot/internal/output"
)

type statsOptions struct {
	stats.Request
	json, force bool
	html        string
}

func newStats() *cobra.Command {
	var o statsOptions
	cmd := &cobra.Command{
		Use:   "stats DIR",
		Short: "Show statistics of a dataset",
		Long: `Stats counts what a dataset contains: games, positions and samples by source and
split; results, ratings, lengths and pieces on the board; labels by engine; distinct
positions; and how many val and test positions occur in train. --html draws all this as a
page.

With more than 16 million positions, their keys go to a temporary file, 8 bytes each;
--unique=false avoids this. See docs/3-datasets.md.`,
		Example: `  talbot synth-endgames --count 1000 --pieces 3-5 --seed 1 --out endgames
  talbot stats endgames
  talbot stats endgames --json
  talbot stats endgames --html endgames.html`,
		SuggestFor:        []string{"count", "info", "statistics"},
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			return runStats(cmd.Context(), &o)
		},
	}
	o.Unique = true
	f := flags.Of(cmd)
	addWorkers(f, &o.Workers, "number of blocks to read at a time (default: one for each core)")
	f.Bool(&o.Unique, "unique", "count distinct positions, and val and test positions that occur in train")
	addTemp(f, &o.Temp)
	f.String(&o.html, "html", "also write a page with charts to this file")
	addForce(f, &o.force)
	addJSON(f, &o.json)
	return cmd
}

// addTemp adds --temp of a command that compares positions.
func addTemp(f *flags.Set, to *string) {
	f.String(to, "temp", "folder for temporary files, needed above 16 million positions (default: the system's)")
}

func runStats(ctx context.Context, o *statsOptions) error {
	if o.html != "" {
		var err error
		if o.html, err = (outputFile{flag: "--html", path: o.html, force: o.force}).check(); err != nil {
			return err
		}
	}
	limitHeap(keysGCPercent)
	counted, err := watched(ctx, &o.Request, &o.Progress)
	if err != nil {
		return err
	}
	name := o.Dir
	if abs, err := filepath.Abs(o.Dir); err == nil {
		name = abs
	}
	page := counted.Page(filepath.Base(name))
	if o.html != "" {
		if err := output.WritePage(o.html, page); err != nil {
			return err
		}
	}
	return reportPage(o.json, counted, page.Text(), "page", o.html)
}
