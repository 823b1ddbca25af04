package main

import (
	"context"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/flags"
	"talbot/internal/output"
	"talbot/pipeline/label"
	"talbot/pipeline/selfplay"
)

func newJoin() *cobra.Command {
	var o makeOptions
	var job output.Job
	cmd := &cobra.Command{
		Use:   "join DIR... --out DIR",
		Short: "Join the parts that several machines labelled or played",
		Long: `Join takes all parts of one labelling, made by
` + "`talbot label --part 1/n`" + ` to n/n on machines that share only the dataset they
read. It writes the dataset that one machine would have made (with --nodes or --depth, the
same to the byte). Parts with different inputs, engines, options or limits are refused, as
is an incomplete set.

It also joins parts of ` + "`talbot selfplay --part 1/n`" + `, if network, backend, batch
and kind of processor are the same. See docs/13-many-machines.md.`,
		Example: `  talbot synth-endgames --count 40 --seed 1 --out endgames
  talbot label endgames --nodes 200 --part 1/2 --out part1
  talbot label endgames --nodes 200 --part 2/2 --out part2
  talbot join part1 part2 --out joined`,
		SuggestFor:        []string{"merge", "combine"},
		Args:              operands(1, many, "one or more datasets"),
		ValidArgsFunction: completeDatasets(many),
		RunE: func(cmd *cobra.Command, parts []string) error {
			join, next := label.Join, nextTrain
			if m, err := dataset.ReadManifest(parts[0]); err == nil && m.Verb == selfplay.Verb {
				join, next = selfplay.Join, func(out string) { nextGeneration(out, "RUN") }
			}
			return o.run(cmd.Context(), func(ctx context.Context) (made, error) {
				sum, err := join(ctx, output.Join{Job: job, Parts: parts})
				return made{summary: &sum, next: func() { next(job.Out) }}, err
			})
		},
	}
	o.add(flags.Of(cmd), &job)
	return cmd
}
