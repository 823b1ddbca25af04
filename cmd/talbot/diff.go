package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"talbot/inspect/diff"
	"talbot/internal/flags"
)

// errDifferent ends a diff of datasets that are not the same.
var errDifferent = errors.New("the datasets differ")

func newDiff() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Explain how two datasets differ",
		Long: `Diff compares two datasets: first the manifests, inputs and engines, then the
lines (by start position and moves). It counts the lines only in A, only in B and in both,
and of those in both, how many differ in split, samples, policies, labels or headers. For
labels that differ, it shows by how much, for each engine.

The exit status is 0 if both datasets hold the same lines with the same samples, policies,
labels and splits, in any order and with any headers, otherwise 1. See docs/3-datasets.md.`,
		Example: `  talbot diff lines lines-old
  talbot diff labelled-20ms labelled-100ms --json`,
		Args:              operands(2, 2, "two datasets"),
		ValidArgsFunction: completeDatasets(2),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			return runDiff(cmd.Context(), dirs, asJSON)
		},
	}
	addJSON(flags.Of(cmd), &asJSON)
	return cmd
}

func runDiff(ctx context.Context, dirs []string, asJSON bool) error {
	r := diff.Request{A: dirs[0], B: dirs[1]}
	d, err := watched(ctx, &r, &r.Progress)
	if err != nil {
		return err
	}
	if err := report(asJSON, d); err != nil || d.Same {
		return err
	}
	return errDifferent
}
