package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"talbot/internal/humanize"
	"talbot/internal/output"
)

// datasetOptions are the flags of every verb that makes a dataset.
type datasetOptions struct {
	existingOptions
	out     string
	workers int
	json    bool
	strict  bool
}

func (o *datasetOptions) add(cmd *cobra.Command, workers string) {
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "folder for the new dataset (required)")
	f.IntVarP(&o.workers, "workers", "w", 0, workers)
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	f.BoolVar(&o.strict, "strict", false, "exit with status 3 if anything was left out")
	o.existingOptions.add(f)
}

func (o *datasetOptions) check() error {
	if o.out == "" {
		return usage(fmt.Errorf("--out is missing"), "give the folder to create, for example --out data/lines")
	}
	return nil
}

// printTotals prints what a dataset holds that was just made.
func printTotals(out string, sum output.Summary) {
	summarise("%s: %s of %s kept, %s, %s, %s (%.2f bytes a position), %.1f s\n", out,
		humanize.Thousands(sum.GamesKept), humanize.Count(sum.GamesRead, "line"),
		humanize.Count(sum.Positions, "position"),
		humanize.Count(sum.Samples, "sample"), humanize.Size(float64(sum.Bytes)),
		float64(sum.Bytes)/float64(max(sum.Positions, 1)), sum.Seconds)
	for _, r := range sortedReasons(sum.Rejects) {
		summarise("  left out as %s: %s\n", r, humanize.Thousands(sum.Rejects[r]))
	}
	for _, r := range sortedReasons(sum.SamplesDropped) {
		summarise("  samples left out by %s: %s\n", r, humanize.Thousands(sum.SamplesDropped[r]))
	}
}

// skipped is the error of a strict command that left out games.
func skipped(o datasetOptions, games int64) error {
	if o.strict && games > 0 {
		return fmt.Errorf("%s left out: %w", humanize.Thousands(games), errSkipped)
	}
	return nil
}
