package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"talbot/shards"
)

func newVerify() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify DIR...",
		Short: "Re-read datasets: checksums, every move of every line, totals",
		Long: `Verify reads datasets from the first byte to the last: the manifest's own
checksum, the SHA-256 of every shard, the checksum of every column, and every
line, whose moves are replayed. The totals must be those of the manifest.`,
		Example: `  talbot verify lines labelled`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, dirs []string) error { return runVerify(cmd.Context(), dirs, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each dataset")
	return cmd
}

func runVerify(ctx context.Context, dirs []string, asJSON bool) error {
	ctx, stop := interrupts(ctx, abortNow)
	defer stop()
	var first error
	for _, dir := range dirs {
		report, err := shards.Verify(ctx, dir, shards.VerifyWorkers(runtime.GOMAXPROCS(0)))
		if err != nil && first == nil {
			first = err
		}
		if asJSON {
			if err := printJSON(newVerified(dir, report, err)); err != nil {
				return err
			}
			continue
		}
		if err == nil {
			fmt.Printf("%s: whole: %d shards, %d lines, %d positions, %d samples, %d labels\n",
				dir, report.Shards, report.Lines, report.Positions, report.Samples, report.Labelled)
		}
		for _, damage := range report.Damage {
			fmt.Printf("%s: damaged: %v\n", dir, damage)
		}
	}
	return first
}

// verified is what verify reports of one dataset.
type verified struct {
	Dataset   string   `json:"dataset"`
	Whole     bool     `json:"whole"`
	Shards    int      `json:"shards"`
	Bytes     int64    `json:"bytes"`
	Lines     int64    `json:"lines"`
	Positions int64    `json:"positions"`
	Samples   int64    `json:"samples"`
	Labelled  int64    `json:"labelled"`
	Terminal  int64    `json:"terminal"`
	Failed    int64    `json:"failed"`
	Damage    []string `json:"damage"`
}

func newVerified(dir string, r shards.Report, err error) verified {
	v := verified{
		Dataset: dir, Whole: err == nil, Shards: r.Shards, Bytes: r.Bytes, Lines: r.Lines, Positions: r.Positions,
		Samples: r.Samples, Labelled: r.Labelled, Terminal: r.Terminal, Failed: r.Failed, Damage: []string{},
	}
	for _, d := range r.Damage {
		v.Damage = append(v.Damage, d.Error())
	}
	return v
}
