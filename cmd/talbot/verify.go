package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"talbot/inspect/verify"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
)

type verifyOptions struct {
	verify.Request
	json bool
}

func newVerify() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify DIR...",
		Short: "Check datasets for damage and for leaks between splits",
		Long: `Verify reads whole datasets and checks the checksums of the manifest, of every
shard and of every column. It replays every line and its labels, and compares the totals
with the manifest.

Then it compares the splits of all the datasets. Different percentages are an error, since
a game may be in two splits then. For val and test, it prints how many samples have a
position that also occurs in train; only more than --max-overlap percent is an error.

Either error exits with status 1, damage with 12. See docs/3-datasets.md, section 4.`,
		Example: `  talbot verify lines labelled
  talbot verify games puzzles endgames --max-overlap 30 --json`,
		SuggestFor:        []string{"check", "fsck"},
		Args:              operands(1, many, "one or more datasets"),
		ValidArgsFunction: completeDatasets(many),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			o.Dirs = dirs
			return runVerify(cmd.Context(), &o)
		},
	}
	f := flags.Of(cmd)
	flags.Parse(f, &o.MaxOverlap, "max-overlap", "100", "30", parsePercentage,
		"maximum percentage of val and of test samples that occur in train")
	addWorkers(f, &o.Workers, "number of blocks to read at a time (default: one for each core)")
	addTemp(f, &o.Temp)
	addJSON(f, &o.json)
	return cmd
}

func parsePercentage(text string) (*float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= 100) {
		return nil, fmt.Errorf("%q is not a percentage from 0 to 100", text)
	}
	return &x, nil
}

// keysGCPercent keeps commands that hold keys ([dataset.Keys]) near the memory that these take. The garbage collector
// does not look into keys, so it costs little that it works more often.
const keysGCPercent = 50

func runVerify(ctx context.Context, o *verifyOptions) error {
	limitHeap(keysGCPercent)
	result, err := watched(ctx, &o.Request, &o.Progress)
	if errors.Is(err, cli.ErrRepeat) {
		return unverified(result, o.Dirs)
	}
	if result == nil {
		return err
	}
	return errors.Join(report(o.json, result), err)
}

// unverified ends a verification that was interrupted: it prints no totals, which would look like findings.
func unverified(v *verify.Report, dirs []string) error {
	var open []string
	for i, dir := range dirs {
		if i >= len(v.Datasets) || !v.Datasets[i].Whole && len(v.Datasets[i].Damage) == 0 {
			open = append(open, fmt.Sprintf("%q", dir))
			continue
		}
		found := "intact"
		if d := v.Datasets[i].Damage; len(d) > 0 {
			found = "damaged: " + d[0]
		}
		cli.Say("%s: %s\n", dir, found)
	}
	what := "which positions the splits share"
	if len(open) > 0 {
		what = "whether " + strings.Join(open, ", ") + " is intact, " + what
	}
	return fault.With(fmt.Errorf("interrupted; not checked: %s", what), fault.ExitInterrupted,
		"repeat the command; verify always starts from the beginning")
}
