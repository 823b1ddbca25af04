package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/pipeline/aggregate"
)

func newAggregate() *cobra.Command {
	var o makeOptions
	var games gameFilterOptions
	r := aggregate.Request{Bands: aggregate.DefaultBands, MinCount: aggregate.DefaultMinCount,
		MinBand: aggregate.DefaultMinBand}
	cmd := &cobra.Command{
		Use:   "aggregate DIR... --out DIR",
		Short: "Count the moves played in each position, by rating",
		Long: `Aggregate counts how often each move was played in each position of datasets of
games, separately for each rating band of the side to move. The result is a dataset of
positions: each sample is a position in a band, without history; its policy is the moves
with their counts, its rating the centre of the band.

Moves of unrated players are left out, unless you use --bands none, and with --min-clock
so are those of players short of time. Everything left out is counted by reason. A game in
two of the datasets counts twice: read overlapping files with a single
` + "`talbot ingest`" + `. Repeat an interrupted command to continue it. See
docs/3-datasets.md, section 5.`,
		Example: `  talbot aggregate lines --out positions
  talbot aggregate lichess-01 lichess-02 --out prior --preset prior
  talbot aggregate lines --out by-band --bands 1200,1600,2000 --min-band 5
  talbot aggregate lines --out train-only --games-of train --min-count 1`,
		SuggestFor:        []string{"count", "unique", "distribution", "explorer"},
		Args:              operands(1, many, "one or more datasets"),
		ValidArgsFunction: completeDatasets(many),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			games.merge(cmd.Flags(), &r.Filter, aggregate.Presets[games.preset])
			if err := r.Filter.Check(); err != nil {
				return fault.Usage(err, "see `talbot aggregate --help`")
			}
			r.In = dirs
			return runAggregate(cmd.Context(), &o, &r)
		},
	}
	f := flags.Of(cmd)
	o.add(f, &r.Job)
	o.addStrict(f)
	addSplits(f, &r.Splits, "positions")
	f.Section("Counting")
	flags.Parse(f, &r.Bands, "bands", r.Bands.String(), "1500,2000,2500", aggregate.ParseBands,
		"ratings at which a new band begins, separated by commas, or none")
	addMinClock(f, &r.MinClock)
	flags.AtLeast(f, &r.MinCount, "min-count", 1, "minimum number of moves played in a position, over all bands")
	flags.AtLeast(f, &r.MinBand, "min-band", 1, "minimum number of moves played in a position in one band")
	addWorkers(f, &r.Workers, "number of workers (default: all cores)")
	f.Section("Game filters")
	games.addPreset(f, "prior (both ratings known, at least 3 minutes on the clock)",
		slices.Sorted(maps.Keys(aggregate.Presets)))
	flags.Parse(f, &r.GamesOf, "games-of", "all", "train", func(name string) (*dataset.Split, error) {
		if name == "all" {
			return nil, nil
		}
		return pointer(dataset.ParseSplit)(name)
	}, "split of the games to count: all, train, val or test")
	f.Words("games-of", "all", "train", "val", "test")
	games.add(f)
	return cmd
}

func runAggregate(ctx context.Context, o *makeOptions, r *aggregate.Request) error {
	limitHeap(aggregate.GCPercent)
	return o.run(ctx, func(ctx context.Context) (made, error) {
		sum, err := r.Run(ctx)
		if errors.Is(err, aggregate.ErrNothingKept) {
			err = fault.Hint(err,
				"lower --min-count and --min-band, give more games, or use --bands none for games without "+
					"ratings")
		}
		return made{&sum, sum.GamesRead - sum.GamesKept, func() { nextTrain(r.Out) }}, err
	})
}
