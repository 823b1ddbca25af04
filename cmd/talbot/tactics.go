package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"talbot/internal/humanize"
	"talbot/pipeline/tactics"
)

type tacticsOptions struct {
	existingOptions
	tactics.Request
	json bool
}

func newTactics() *cobra.Command {
	var o tacticsOptions
	cmd := &cobra.Command{
		Use:   "tactics DIR --out DIR",
		Short: "Find positions where only one move keeps the advantage",
		Long: `Tactics reads a dataset that was labelled with ` + "`talbot label --multipv 2`" + ` or more, and
keeps the positions where the best move has an advantage that the second best does not.
They stay on the line of their game and keep its history and split, predictions and
labels. The engine's move becomes the policy target, and the source of the lines becomes
"puzzle". Labels of candidates (label --candidates) do not count: the best move may not
be among them.

Scores are in centipawns from the view of the side to move, limited to ±1500; a mate
counts as ±2000. What is left out is counted by reason: only_move, no_advantage,
others_hold, small_gap, uncertain (the search ended while the engine was changing its
mind), one_line and unlabelled.`,
		Example: `  talbot label lines --out scored --nodes 20000 --multipv 2
  talbot tactics scored --out tactics
  talbot tactics scored --out sharp --advantage 300 --second 0 --gap 400`,
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.In = args[0]
			return runTactics(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "", "folder for the new dataset (required)")
	f.IntVar(&o.Advantage, "advantage", 150, "minimum score of the best move, in centipawns")
	f.IntVar(&o.Second, "second", 50, "maximum score of the second best move, in centipawns")
	f.IntVar(&o.Gap, "gap", 200, "minimum gap between the two scores, in centipawns")
	f.StringVar(&o.Label, "label", "",
		"fingerprint of the labels to use (default: of each sample the last one with two scored moves)")
	o.add(f)
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	completeFolder(cmd, "out")
	return cmd
}

func runTactics(ctx context.Context, o tacticsOptions) error {
	if err := (&datasetOptions{out: o.Out}).check(); err != nil {
		return err
	}
	if o.Gap < 0 || o.Second > o.Advantage {
		return usage(fmt.Errorf("--advantage %d --second %d --gap %d", o.Advantage, o.Second, o.Gap),
			"--second must be below --advantage")
	}
	ctx, stop := interrupts(ctx)
	defer stop()
	show, end := showProgress()
	o.Progress, o.Warn, o.ResumeCommand, o.Existing = show, warn, invocation(), o.existing()
	sum, err := o.Run(ctx)
	end()
	if err != nil {
		return resumable(err)
	}
	if o.json {
		return printJSON(sum)
	}
	n := humanize.Thousands
	summarise("%s: %s in %s of %s, %s, %.1f s\n", o.Out, humanize.Count(sum.Samples, "tactic"), n(sum.GamesKept),
		humanize.Count(sum.GamesRead, "game"), humanize.Size(float64(sum.Bytes)), sum.Seconds)
	for _, reason := range sortedReasons(sum.Rejects) {
		summarise("  games left out as %s: %s\n", reason, n(sum.Rejects[reason]))
	}
	for _, reason := range slices.Sorted(maps.Keys(sum.Dropped)) {
		summarise("  positions left out as %s: %s\n", reason, n(sum.Dropped[reason]))
	}
	nextTrain(o.Out)
	return nil
}
