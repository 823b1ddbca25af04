package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/pipeline/tactics"
)

func newTactics() *cobra.Command {
	var o makeOptions
	r := tactics.Request{Advantage: 150, Second: 50, Gap: 200}
	cmd := &cobra.Command{
		Use:   "tactics DIR --out DIR",
		Short: "Find positions where only one move keeps the advantage",
		Long: `Tactics reads a dataset that was labelled with
` + "`talbot label --multipv 2`" + ` or more, and keeps the positions where the best move
has an advantage that the second best does not. They keep their line, history, split,
predictions and labels. The engine's move becomes the policy target, and the source of the
lines becomes "puzzle". Labels of candidates (label --candidates) do not count.

Scores are in centipawns from the view of the side to move, limited to ±1500; a mate
counts as ±2000. What is left out is counted by reason. See docs/4-labels.md.`,
		Example: `  talbot label lines --out scored --nodes 20000 --multipv 2
  talbot tactics scored --out tactics
  talbot tactics scored --out sharp --advantage 300 --second 0 --gap 400`,
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.In = args[0]
			if r.Second > r.Advantage {
				return fault.Usage(fmt.Errorf("--second %d is above --advantage %d", r.Second, r.Advantage),
					"--second must be below --advantage")
			}
			return o.run(cmd.Context(), func(ctx context.Context) (made, error) {
				sum, err := r.Run(ctx)
				return made{summary: &sum, next: func() { nextTrain(r.Out) }}, err
			})
		},
	}
	f := flags.Of(cmd)
	o.add(f, &r.Job)
	f.Section("Tactics")
	flags.Number(f, &r.Advantage, "advantage", "minimum score of the best move, in centipawns")
	flags.Number(f, &r.Second, "second", "maximum score of the second best move, in centipawns")
	flags.AtLeast(f, &r.Gap, "gap", 0, "minimum gap between the two scores, in centipawns")
	f.String(&r.Label, "label",
		"fingerprint of the labels to use (default: each sample's last one with two scored moves)")
	return cmd
}
