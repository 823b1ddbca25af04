package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"talbot/pipeline/diff"
)

// errDifferent ends a diff of datasets that are not the same.
var errDifferent = errors.New("the datasets differ")

func newDiff() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Explain how two datasets differ",
		Long: `Diff compares two datasets: fields of the manifests, inputs, engines, and then
the lines, by start and moves: only in A, only in B, in both; and of those in both
the ones in another split, with other samples, policies, labels or headers. Where
labels differ it says by how much, for every engine.

Exit status 0 means that both hold the same lines with the same samples, policies
and labels in the same splits, in whatever order and with whatever headers; 1 that
they do not.`,
		Example: `  talbot diff lines lines-old
  talbot diff labelled-20ms labelled-100ms --json`,
		SuggestFor:        []string{"compare"},
		Args:              operands(2, 2, "two datasets"),
		ValidArgsFunction: completeDatasets(2),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			return runDiff(cmd.Context(), dirs,
				asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object on standard output")
	return cmd
}

func runDiff(ctx context.Context, dirs []string, asJSON bool) error {
	ctx, stop := interrupts(ctx, abortNow)
	defer stop()
	show, end := phases()
	d, err := diff.Request{A: dirs[0], B: dirs[1], Progress: show}.Run(ctx)
	end()
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(d)
	} else {
		err = d.WriteText(stdout, dirs[0], dirs[1])
	}
	if err == nil && !d.Same {
		err = errDifferent
	}
	return err
}
