package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/pipeline/aggregate"
)

type aggregateOptions struct {
	datasetOptions
	gameFilterOptions
	bands    string
	minCount int
	minBand  int
	gamesOf  string
	split    string
}

func newAggregate() *cobra.Command {
	var o aggregateOptions
	cmd := &cobra.Command{
		Use:   "aggregate DIR... --out DIR",
		Short: "Count the moves played in each position, by rating",
		Long: `Aggregate reads datasets of games and counts how often each move was played in each
position, separately for each band of ratings of the side to move. Positions are the same
if pieces, side to move, castling rights and en passant are; move counters do not count,
and en passant counts only where a capture is legal.

The result is a dataset of positions. Each sample is a position in a band, without
history; its policy lists the moves with their counts, and its rating is the centre of
the band. All bands of a position are in the same split, and so is its mirror image with
the colours swapped.

A position needs --min-count moves over all bands, and --min-band moves in a band to be
kept in that band. Moves of players without a rating are left out, unless you use --bands
none. With --games-of the games must be split by the same percentages. Everything left
out is counted by reason. Puzzles, endgames and single positions are left out as
not_a_game.

A game that occurs in two of the datasets counts twice. If files overlap, read them with
one ` + "`talbot ingest`" + `, which leaves out copies. It takes short games that were really
played twice for copies too; ingest --keep-duplicates keeps all games.

Positions are sorted on disk in the output folder. With the default minima memory does not
grow with the number of games. Repeat an interrupted command to continue it. The result has the same
bytes with any number of workers.`,
		Example: `  talbot aggregate lines --out positions
  talbot aggregate lichess-01 lichess-02 --out prior --preset prior
  talbot aggregate lines --out by-band --bands 1200,1600,2000 --min-band 5
  talbot aggregate lines --out train-only --games-of train --min-count 1`,
		SuggestFor:        []string{"count", "unique", "distribution", "explorer"},
		Args:              operands(1, many, "one or more datasets"),
		ValidArgsFunction: completeDatasets(many),
		RunE:              func(cmd *cobra.Command, args []string) error { return runAggregate(cmd, o, args) },
	}
	o.datasetOptions.add(cmd, "number of workers (default: all cores)")
	f := cmd.Flags()
	f.StringVar(&o.split, "split", dataset.DefaultSplits.String(), "percentages of positions in train, val and test")
	f.StringVar(&o.bands, "bands", aggregate.DefaultBands.String(),
		"ratings at which a new band begins, separated by commas, or none")
	f.IntVar(&o.minCount, "min-count", aggregate.DefaultMinCount,
		"minimum number of moves in a position, over all bands")
	f.IntVar(&o.minBand, "min-band", aggregate.DefaultMinBand,
		"minimum number of moves in a position in one band")
	f.StringVar(&o.gamesOf, "games-of", "all", "games to count by their split: all, train, val or test")
	o.gameFilterOptions.add(f, "prior (both ratings known, at least 3 minutes on the clock)")
	section(f, "Output", "out", "skip-done", "replace", "split", "json", "strict")
	section(f, "Counting", "bands", "min-count", "min-band", "workers")
	section(f, "Game filters", "preset", "games-of", "min-elo", "max-elo", "elo-of", "unknown-elo", "no-bots",
		"time-control", "min-base-time", "result", "termination", "min-plies", "since", "until")
	o.complete(cmd, slices.Sorted(maps.Keys(aggregate.Presets)))
	values(cmd, "games-of", "all", "train", "val", "test")
	completeFolder(cmd, "out")
	return cmd
}

// request turns the flags into what is asked for.
func (o *aggregateOptions) request(cmd *cobra.Command, dirs []string) (r aggregate.Request, err error) {
	r = aggregate.Request{In: dirs, Out: o.out, Existing: o.existing(), MinCount: o.minCount, MinBand: o.minBand,
		Workers: o.workers}
	if r.Bands, err = aggregate.ParseBands(o.bands); err != nil {
		return r, usage(fmt.Errorf("--bands: %w", err), "for example --bands 1500,2000,2500")
	}
	for _, n := range []struct {
		name  string
		count int
	}{{"min-count", o.minCount}, {"min-band", o.minBand}} {
		if n.count < 1 {
			return r, usage(fmt.Errorf("--%s must be at least 1: %d", n.name, n.count), "use 1 to keep everything")
		}
	}
	if r.Splits, err = dataset.ParseSplits(o.split); err != nil {
		return r, usage(err, "give three percentages that sum to 100, for example --split 90,5,5")
	}
	if o.gamesOf != "all" {
		split, err := dataset.ParseSplit(o.gamesOf)
		if err != nil {
			return r, usage(fmt.Errorf("--games-of: %w", err), "use all, train, val or test")
		}
		r.GamesOf = &split
	}
	preset, err := presetOf(&o.gameFilterOptions, aggregate.Presets)
	if err != nil {
		return r, err
	}
	if preset != nil {
		preset(&r.Filter)
	}
	if err := o.filter(cmd, &r.Filter); err != nil {
		return r, err
	}
	if err := r.Filter.Check(); err != nil {
		return r, usage(err, "see `talbot aggregate --help`")
	}
	return r, nil
}

func runAggregate(cmd *cobra.Command, o aggregateOptions, dirs []string) error {
	if err := o.check(); err != nil {
		return err
	}
	r, err := o.request(cmd, dirs)
	if err != nil {
		return err
	}
	// most of the heap is one table that stays: waiting until it has doubled would cost as much again
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(aggregate.GCPercent)
	}
	ctx, stop := interrupts(cmd.Context())
	defer stop()
	show, end := showProgress()
	r.Progress, r.Warn, r.ResumeCommand = show, warn, invocation()
	sum, err := r.Run(ctx)
	end()
	if errors.Is(err, aggregate.ErrNothingKept) {
		return hint(err, "lower --min-count and --min-band, give more games, or use --bands none for games without "+
			"ratings")
	}
	if err != nil {
		return resumable(err)
	}
	if err := printAggregate(&o, sum); err != nil {
		return err
	}
	nextTrain(o.out)
	return nil
}

func printAggregate(o *aggregateOptions, sum aggregate.Summary) error {
	left := sum.GamesRead - sum.GamesKept
	if o.json {
		if err := printJSON(sum); err != nil {
			return err
		}
		return skipped(o.datasetOptions, left)
	}
	n := humanize.Thousands
	summarise("%s: %s of %s counted, %s in %s, %s (%s), %.1f s\n", o.out, n(sum.GamesKept),
		humanize.Count(sum.GamesRead, "line"), humanize.Count(sum.Moves, "move"),
		humanize.Count(sum.Different, "position"), humanize.Count(sum.Samples, "sample"),
		humanize.Size(float64(sum.Bytes)), sum.Seconds)
	for _, b := range sum.Bands {
		summarise("  %s: %s, %s\n", b, humanize.Count(b.Samples, "sample"), humanize.Count(b.Moves, "move"))
	}
	for _, reason := range sortedReasons(sum.Rejects) {
		summarise("  lines left out as %s: %s\n", reason, n(sum.Rejects[reason]))
	}
	for _, reason := range sortedReasons(sum.SamplesDropped) {
		summarise("  moves left out as %s: %s\n", reason, n(sum.SamplesDropped[reason]))
	}
	return skipped(o.datasetOptions, left)
}
