package main

import (
	"context"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/pipeline/label"
	"talbot/pipeline/selfplay"
)

type joinOptions struct {
	existingOptions
	out  string
	json bool
}

func newJoin() *cobra.Command {
	var o joinOptions
	cmd := &cobra.Command{
		Use:   "join DIR... --out DIR",
		Short: "Join the parts that several machines labelled or played",
		Long: `Join takes all parts of one labelling, made by ` + "`talbot label --part 1/n`" + ` to n/n on
machines that share only the dataset they read. It writes the dataset that one machine
would have made; with --nodes and --depth it is the same to the byte.

Each line is taken from the part that had to label it. Join refuses parts with different
inputs, engines, options or limits, and an incomplete set of parts.

It joins the parts of ` + "`talbot selfplay --part 1/n`" + ` likewise: to the same bytes where the
machines have the same network, backend, batch and kind of processor; parts that differ in
these are refused.`,
		Example: `  talbot synth-endgames --count 40 --seed 1 --out endgames
  talbot label endgames --nodes 200 --part 1/2 --out part1
  talbot label endgames --nodes 200 --part 2/2 --out part2
  talbot join part1 part2 --out joined`,
		SuggestFor:        []string{"merge", "combine"},
		Args:              operands(1, many, "one or more datasets"),
		ValidArgsFunction: completeDatasets(many),
		RunE:              func(cmd *cobra.Command, args []string) error { return runJoin(cmd.Context(), o, args) },
	}
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "folder for the new dataset (required)")
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&o.json, "json", false, "print the result as one JSON object")
	completeFolder(cmd, "out")
	return cmd
}

func runJoin(ctx context.Context, o joinOptions, parts []string) error {
	if err := (&datasetOptions{out: o.out}).check(); err != nil {
		return err
	}
	ctx, stop := interrupts(ctx)
	defer stop()
	if m, err := dataset.ReadManifest(parts[0]); err == nil && m.Verb == selfplay.Verb {
		return o.joinGames(ctx, parts)
	}
	show, end := showProgress()
	sum, err := label.Join{Parts: parts, Out: o.out, Existing: o.existing(), Progress: show, ResumeCommand: invocation()}.Run(ctx)
	end()
	if err != nil {
		return resumable(err)
	}
	if o.json {
		return printJSON(sum)
	}
	summarise("%s: %s of %s, %s, %s, %s terminal, %s failed, %s, %.1f s\n", o.out,
		humanize.Count(int64(sum.Games), "line"), humanize.Count(int64(sum.Parts), "part"),
		humanize.Count(int64(sum.Samples), "sample"), humanize.Count(int64(sum.Labelled), "label"),
		humanize.Thousands(int64(sum.Terminal)), humanize.Thousands(int64(sum.Failed)),
		humanize.Size(float64(sum.Bytes)), sum.Seconds)
	nextTrain(o.out)
	return nil
}

// joinGames joins the parts of self-play.
func (o joinOptions) joinGames(ctx context.Context, parts []string) error {
	show, end := showProgress()
	sum, err := selfplay.Join{Parts: parts, Out: o.out, Existing: o.existing(), Progress: show,
		ResumeCommand: invocation()}.Run(ctx)
	end()
	if err != nil {
		return resumable(err)
	}
	if o.json {
		return printJSON(sum)
	}
	summarise("%s: %s of %s, %s, %s, %.1f s\n", o.out, humanize.Count(sum.GamesKept, "game"),
		humanize.Count(int64(len(parts)), "part"), humanize.Count(sum.Samples, "sample"),
		humanize.Size(float64(sum.Bytes)), sum.Seconds)
	nextGeneration(o.out, "RUN")
	return nil
}
