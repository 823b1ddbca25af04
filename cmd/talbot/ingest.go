package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/pipeline"
)

// shownRejects is how many rejected games are described one by one.
const shownRejects = 5

// datasetOptions are the flags of every verb that makes a dataset.
type datasetOptions struct {
	out     string
	workers int
	json    bool
	strict  bool
}

func (o *datasetOptions) add(cmd *cobra.Command, workers string) {
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "folder of the dataset to make (required)")
	f.IntVarP(&o.workers, "workers", "w", 0, workers)
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	f.BoolVar(&o.strict, "strict", false, "exit with 3 if anything was left out")
}

func (o *datasetOptions) check() error {
	if o.out == "" {
		return usage(fmt.Errorf("--out is missing"), "name the folder to make, as --out data/lines")
	}
	if o.workers < 0 {
		return usage(fmt.Errorf("--workers %d", o.workers), "leave it out to use every core")
	}
	return nil
}

type ingestOptions struct {
	datasetOptions
	seed           uint64
	split          string
	keepDuplicates bool
}

func newIngest() *cobra.Command {
	var o ingestOptions
	cmd := &cobra.Command{
		Use:   "ingest FILE... --out DIR",
		Short: "Read games (PGN) and puzzles (CSV) into a dataset of lines",
		Long: `Ingest reads PGN games and Lichess puzzle CSVs, plain or compressed (.zst, .gz,
.bz2; found by content, not by name), and writes them as lines: a start position
and the legal moves played from it. "-" reads standard input.

Every move is checked. A game that cannot be used costs that game only and is
counted by reason. A copy of a game that was read before (same start and moves)
is left out as duplicate; a game that another game begins with, wherever that one
was read, is left out as prefix. Nothing else is filtered.

An interrupted command continues when it is repeated; a finished folder is never
changed.`,
		Example: `  talbot ingest games.pgn.zst puzzles.csv --out lines
  zcat games.pgn.gz | talbot ingest - --out lines --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runIngest(cmd.Context(), o, args) },
	}
	o.add(cmd, "parsing workers (default: all cores)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "seed, recorded in the manifest")
	cmd.Flags().StringVar(&o.split, "split", dataset.DefaultSplits.String(), "percentages of games for train, val and test")
	cmd.Flags().BoolVar(&o.keepDuplicates, "keep-duplicates", false, "keep every copy of a game, and games that another begins with")
	return cmd
}

func runIngest(ctx context.Context, o ingestOptions, files []string) error {
	if err := o.check(); err != nil {
		return err
	}
	splits, err := dataset.ParseSplits(o.split)
	if err != nil {
		return usage(err, "three percentages that sum to 100, as --split 90,5,5")
	}
	ctx, stop := interrupts(ctx, abortNow)
	defer stop()
	show, end := progress(false)
	shown := 0
	sum, err := pipeline.Ingest{
		Inputs: files, Out: o.out, Seed: o.seed, Splits: splits, Workers: o.workers,
		KeepDuplicates: o.keepDuplicates, Progress: show,
		Rejected: func(file string, reject *dataset.Reject) {
			if reject.Reason == pipeline.Duplicate || reject.Reason == pipeline.Prefix {
				return // no fault of the game
			}
			if shown++; shown <= shownRejects {
				fmt.Fprintf(os.Stderr, "talbot: left out: %s: %v\n", file, reject)
			}
		},
	}.Run(ctx)
	end()
	if shown > shownRejects {
		fmt.Fprintf(os.Stderr, "talbot: left out: %d more\n", shown-shownRejects)
	}
	if err != nil {
		return resumable(err)
	}
	return printSummary(o.datasetOptions, sum, sum.GamesRead-sum.GamesKept)
}

func printSummary(o datasetOptions, sum pipeline.Summary, skipped int64) error {
	if o.json {
		if err := printJSON(sum); err != nil {
			return err
		}
	} else {
		fmt.Printf("%s: %d of %d lines kept, %d positions, %d samples, %d bytes (%.2f a position), %.1f s\n",
			o.out, sum.GamesKept, sum.GamesRead, sum.Positions, sum.Samples, sum.Bytes,
			float64(sum.Bytes)/float64(max(sum.Positions, 1)), sum.Seconds)
		for _, r := range sortedReasons(sum.Rejects) {
			fmt.Printf("  left out as %s: %d\n", r, sum.Rejects[r])
		}
	}
	if o.strict && skipped > 0 {
		return fmt.Errorf("%d games: %w", skipped, errSkipped)
	}
	return nil
}
