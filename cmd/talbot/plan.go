package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/encode"
	"talbot/pipeline/ingest"
	"talbot/pipeline/plan"
	"talbot/train/loader"
)

type planOptions struct {
	workers   int
	movetime  time.Duration
	passes    float64
	trainRate float64
	split     string
	json      bool
}

func newPlan() *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan FILE...",
		Short: "Estimate size and time of a pipeline before any work",
		Long: `Plan reads the beginning of everything that ingest reads (games, puzzles, EPD,
tables of evaluations, folders and patterns of them) and estimates what the whole
would give and take: positions, size of the shards, hours of labelling with N engines,
memory, hours of training. Nothing is written. Every assumption is printed;
those about speed are for you to replace.`,
		Example: `  talbot plan games.pgn.zst puzzles.csv
  talbot plan games.pgn.zst --workers 32 --movetime 50ms --json`,
		Args: operands(1, many, "one or more files or folders"),
		RunE: func(cmd *cobra.Command, files []string) error { return runPlan(cmd.Context(), &o, files) },
	}
	f := cmd.Flags()
	f.IntVarP(&o.workers, "workers", "w", runtime.GOMAXPROCS(0), "engines that label at a time")
	f.DurationVar(&o.movetime, "movetime", 20*time.Millisecond, "time of a search")
	f.Float64Var(&o.passes, "passes", 1, "times over the train samples")
	f.Float64Var(&o.trainRate, "train-rate", 5000, "positions a second that training makes on your machine")
	f.StringVar(&o.split, "split", dataset.DefaultSplits.String(), "percentages of games for train, val and test")
	f.BoolVar(&o.json, "json", false, "print one JSON object on standard output")
	return cmd
}

func runPlan(ctx context.Context, o *planOptions, files []string) error {
	splits, err := dataset.ParseSplits(o.split)
	if err != nil {
		return usage(err, "three percentages that sum to 100, as --split 90,5,5")
	}
	if o.movetime <= 0 || !(o.passes > 0) || !(o.trainRate > 0) {
		return usage(fmt.Errorf("--movetime %v, --passes %g and --train-rate %g are not all above 0",
			o.movetime, o.passes, o.trainRate), "leave them out for what --help says")
	}
	files, err = ingest.ExpandInputs(files, nil)
	if err != nil {
		return err
	}
	ctx, stop := interrupts(ctx, abortNow)
	defer stop()
	e, err := plan.Request{
		Inputs: files, Workers: o.workers, Movetime: o.movetime, Passes: o.passes, TrainRate: o.trainRate,
		TrainShare: float64(splits.Train) / 100, IngestCores: runtime.GOMAXPROCS(0),
		Loader: plan.Loader{GroupSamples: loader.GroupSamples, SampleBytes: loader.SampleBytes(encode.TalbotBot{}, 1)},
	}.Run(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(e)
	}
	printPlan(e)
	return nil
}

func printPlan(e *plan.Estimate) {
	const mib = 1 << 20
	for _, in := range e.Inputs {
		printf("%s: %.1f %% read: about %d games, %d positions, %d games left out\n", in.Name, 100*in.Read,
			in.Games, in.Positions, in.Rejected)
	}
	printf("\ngames      %12d\npositions  %12d\nsamples    %12d\n", e.Games, e.Positions, e.Samples)
	printf("shards     %12.1f MiB, %.2f bytes a position; %.1f MiB with labels\n", float64(e.ShardBytes)/mib,
		e.BytesPerPosition, float64(e.LabelBytes)/mib)
	printf("ingest     %12.1f s, %d MiB of memory\n", e.IngestSeconds, e.IngestMemory/mib)
	printf("label      %12.2f h\n", e.LabelHours)
	printf("train      %12.2f h, %d MiB of memory for the loader\n\nassumed:\n", e.TrainHours, e.TrainMemory/mib)
	for _, a := range e.Assumptions {
		printf("  %s\n", a)
	}
}
