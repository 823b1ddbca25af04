package main

import (
	"bytes"
	"io"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"talbot/inspect/stats"
	"talbot/internal/output"
	"talbot/internal/table"
)

type statsOptions struct {
	dir     string
	workers int
	json    bool
	unique  bool
	temp    string
	html    string
	force   bool
}

func newStats() *cobra.Command {
	var o statsOptions
	cmd := &cobra.Command{
		Use:   "stats DIR",
		Short: "Show statistics of a dataset",
		Long: `Stats counts what a dataset contains: games, positions and samples by source and split,
results, ratings, lengths, and pieces on the board. For every engine it shows the labels
by status, score, depth and nodes, and, if the dataset has exact results, how often the
engine disagrees with them. It also counts samples by side to move, result, captures in
the last four plies and, up to seven pieces, material; different positions, with and
without mirroring the colours; and how many val and test positions occur in train.
--html draws all of this as a page.

Stats reads and replays every line. The memory it needs does not grow with the dataset:
the keys of more than 16 million positions go to a temporary file, 8 bytes each.
--unique=false avoids that file.`,
		Example: `  talbot synth-endgames --count 1000 --pieces 3-5 --seed 1 --out endgames
  talbot stats endgames
  talbot stats endgames --json
  talbot stats endgames --html endgames.html`,
		SuggestFor:        []string{"count", "info", "statistics"},
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = args[0]
			return runStats(cmd, &o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.workers, "workers", 0, "number of blocks to read at a time (default: one for each core)")
	f.BoolVar(&o.unique, "unique", true, "count different positions, and val and test positions that occur in train")
	f.StringVar(&o.temp, "temp", "",
		"folder for temporary files, needed above 16 million positions (default: the system's)")
	f.StringVar(&o.html, "html", "", "also write a page with charts to this file")
	addForce(f, &o.force)
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	return cmd
}

func runStats(cmd *cobra.Command, o *statsOptions) error {
	if o.html != "" {
		var err error
		if o.html, err = (outputFile{flag: "--html", path: o.html, force: o.force}).check(); err != nil {
			return err
		}
	}
	debug.SetGCPercent(keysGCPercent)
	report, done := showProgress()
	counted, err := stats.Request{Dir: o.dir, Workers: o.workers, Unique: o.unique, Temp: o.temp,
		Progress: report}.Run(cmd.Context())
	done()
	if err != nil {
		return err
	}
	name := o.dir
	if abs, err := filepath.Abs(o.dir); err == nil {
		name = abs
	}
	page, err := counted.Page(filepath.Base(name))
	if err != nil {
		return err
	}
	if o.html != "" {
		if err := writePage(o.html, page); err != nil {
			return err
		}
	}
	if o.json {
		return printJSON(counted)
	}
	if _, err := io.WriteString(stdout, page.Text()); err != nil {
		return err
	}
	if o.html != "" {
		printf("\npage: %s\n", o.html)
	}
	return nil
}

// writePage writes a page to a file.
func writePage(path string, page *table.Page) error {
	var text bytes.Buffer
	if err := page.WriteHTML(&text); err != nil {
		return err
	}
	return output.WriteFile(path, text.Bytes())
}
