package main

import (
	"context"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/internal/progress"
	"talbot/pipeline/label"
	"talbot/pipeline/selfplay"
)

func newJoin() *cobra.Command {
	var o makeOptions
	cmd := &cobra.Command{
		Use:   "join DIR... --out DIR",
		Short: "Join the parts that several machines labelled or played",
		Long: `Join takes all parts of one labelling, made by ` + "`talbot label --part 1/n`" + ` to n/n on
machines that share only the dataset they read. It writes the dataset that one machine
would have made; with --nodes and --depth it is the same to the byte. Parts with
different inputs, engines, options or limits are refused, and so is an incomplete set.

It joins the parts of ` + "`talbot selfplay --part 1/n`" + ` likewise, if network, backend, batch
and kind of processor are the same. See docs/13-many-machines.md.`,
		Example: `  talbot synth-endgames --count 40 --seed 1 --out endgames
  talbot label endgames --nodes 200 --part 1/2 --out part1
  talbot label endgames --nodes 200 --part 2/2 --out part2
  talbot join part1 part2 --out joined`,
		SuggestFor:        []string{"merge", "combine"},
		Args:              operands(1, many, "one or more datasets"),
		ValidArgsFunction: completeDatasets(many),
		RunE: func(cmd *cobra.Command, parts []string) error {
			join := o.labels
			if m, err := dataset.ReadManifest(parts[0]); err == nil && m.Verb == selfplay.Verb {
				join = o.games
			}
			return o.run(cmd.Context(), func(ctx context.Context, show func(progress.Progress)) (made, error) {
				return join(ctx, parts, show)
			})
		},
	}
	o.add(flags.Of(cmd))
	return cmd
}

// labels joins the parts of a labelling.
func (o *makeOptions) labels(ctx context.Context, parts []string, show func(progress.Progress)) (made, error) {
	sum, err := label.Join{Parts: parts, Out: o.out, Existing: o.existing(), Progress: show,
		ResumeCommand: cli.Invocation()}.Run(ctx)
	return made{summary: sum, text: sum.Text(o.out), next: func() { nextTrain(o.out) }}, err
}

// games joins the parts of self-play.
func (o *makeOptions) games(ctx context.Context, parts []string, show func(progress.Progress)) (made, error) {
	j := selfplay.Join{Parts: parts, Out: o.out, Existing: o.existing(), Progress: show,
		ResumeCommand: cli.Invocation()}
	sum, err := j.Run(ctx)
	return made{summary: sum, text: j.Text(sum), next: func() { nextGeneration(o.out, "RUN") }}, err
}
