package main

import (
	"bytes"
	"path/filepath"

	"github.com/spf13/cobra"

	"talbot/internal/durable"
	"talbot/pipeline/stats"
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
		Short: "Count what a dataset holds",
		Long: `Count what the dataset in DIR holds: games, positions and samples per source and
split, results, ratings, lengths, pieces on the board of the samples, and for
every engine that labelled it the statuses, scores, depth and nodes, and where the
results of endgame tables are there too (talbot label --syzygy) how often it
disagrees with them. Samples are counted by side to move, result, captures in the
last four plies and, with up to seven pieces, by material. It counts
different positions, as they are and with the colours mirrored, and how much of val
and test occurs in train. --html draws it all as a page of its own.

Every block of the dataset is read and every line replayed. Memory does not grow
with the dataset; the keys of more than 16 million positions go to a temporary file
of 8 bytes each, which --unique=false saves.`,
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
	f.IntVar(&o.workers, "workers", 0, "blocks read at a time (default: one for each core)")
	f.BoolVar(&o.unique, "unique", true, "count different positions, and those of val and test that are in train")
	f.StringVar(&o.temp, "temp", "",
		"folder for position keys over 16 million, 8 bytes each (default: that of the system)")
	f.StringVar(&o.html, "html", "", "also draw the distributions as a page in this file")
	addForce(f, &o.force)
	f.BoolVar(&o.json, "json", false, "print one JSON object on standard output")
	return cmd
}

func runStats(cmd *cobra.Command, o *statsOptions) error {
	if o.html != "" {
		var err error
		if o.html, err = (outputFile{flag: "--html", path: o.html, force: o.force}).check(); err != nil {
			return err
		}
	}
	report, done := progress()
	stats, err := stats.Request{Dir: o.dir, Workers: o.workers, Unique: o.unique, Temp: o.temp,
		Progress: report}.Run(cmd.Context())
	done()
	if err != nil {
		return err
	}
	if o.html != "" {
		if err := writePage(o.html, o.dir, stats); err != nil {
			return err
		}
	}
	if o.json {
		return printJSON(stats)
	}
	return stats.WriteText(stdout)
}

// writePage writes the page of a dataset's statistics.
func writePage(path, dir string, stats *stats.Statistics) error {
	name := dir
	if abs, err := filepath.Abs(dir); err == nil {
		name = abs
	}
	var page bytes.Buffer
	if err := stats.WriteHTML(&page, filepath.Base(name)); err != nil {
		return err
	}
	return durable.WriteFile(path, page.Bytes())
}
