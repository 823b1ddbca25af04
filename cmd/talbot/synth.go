package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/pipeline"
	"talbot/synth"
)

type synthOptions struct {
	datasetOptions
	count  int64
	pieces string
	seed   uint64
	split  string
}

func newSynth() *cobra.Command {
	var o synthOptions
	cmd := &cobra.Command{
		Use:   "synth-endgames --count N --out DIR",
		Short: "Draw random legal endgames of 3 to 7 pieces with real history",
		Long: `Synth-endgames draws random legal positions: first the number of pieces, then the
pieces, their squares and the side to move. Four random legal moves are played
from each, and the position they reach is the sample, so that it has a true past.
The moves are marked as invented. No endgame occurs twice, also not with colours
swapped, and none is mate, stalemate or dead.

The same seed gives the same bytes, however many workers there are.`,
		Example: `  talbot synth-endgames --count 10000 --pieces 3-7 --seed 1 --out endgames`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSynth(cmd.Context(), o) },
	}
	o.add(cmd, "drawing workers (default: all cores)")
	cmd.Flags().Int64VarP(&o.count, "count", "n", 0, "how many endgames (required)")
	cmd.Flags().StringVar(&o.pieces, "pieces", "3-7", "number of pieces, kings included: a count or a range")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "seed of the draws")
	cmd.Flags().StringVar(&o.split, "split", dataset.DefaultSplits.String(), "percentages of endgames for train, val and test")
	return cmd
}

func runSynth(ctx context.Context, o synthOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.count <= 0 {
		return usage(fmt.Errorf("--count %d", o.count), "say how many endgames to draw, as --count 10000")
	}
	fewest, most, err := synth.ParsePieces(o.pieces)
	if err != nil {
		return usage(err, "as --pieces 3-7")
	}
	splits, err := dataset.ParseSplits(o.split)
	if err != nil {
		return usage(err, "three percentages that sum to 100, as --split 90,5,5")
	}
	ctx, stop := interrupts(ctx, abortNow)
	defer stop()
	show, end := progress(false)
	sum, err := pipeline.SynthEndgames{
		Count: o.count, Fewest: fewest, MostPieces: most, Seed: o.seed, Out: o.out,
		Splits: splits, Workers: o.workers, Progress: show,
	}.Run(ctx)
	end()
	if err != nil {
		return resumable(err)
	}
	return printSummary(o.datasetOptions, sum, 0)
}

func sortedReasons(m map[dataset.Reason]int64) []dataset.Reason {
	return slices.Sorted(maps.Keys(m))
}
