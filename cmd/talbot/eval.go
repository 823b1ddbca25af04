package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"talbot/formats/rows"
	"talbot/internal/flags"
	"talbot/internal/progress"
	"talbot/network/run"
	"talbot/train/job"
)

type evalOptions struct {
	measureOptions
	run, puzzles, report     string
	syzygy, engine, audit    string
	noHistory, style         bool
	checkTables, force, json bool
}

func newEval() *cobra.Command { return new(evalOptions).command() }

func (o *evalOptions) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval --run RUN --data DIR[,DIR…]",
		Short: "Measure how good a network is",
		Long: `Eval measures the best checkpoint of a run on every sample of a split, against
baselines. Policy baselines: uniform over legal moves, and statistics by kind of move.
Value baselines: the mean, and a regression on material. "worse" means that the whole 95 %
interval of a figure is worse than its best baseline. --skip-plies and --min-clock leave
out openings and moves of players short of time.

Openings recur, so some test positions also occur in the train split, although no game
does. The figures for the others are reported separately as "unseen"; for this, eval needs
the run's training data, in its original place or in --data.

RUN/report.html shows the figures, the curves of the run and the worst misses on boards.
See docs/6-evaluation.md.`,
		Example: `  talbot eval --run run1 --data labelled
  talbot eval --run run1 --data labelled --split val --samples 10000 --json
  talbot eval --run run1 --data labelled --puzzles puzzles.csv
  talbot eval --run run1 --data endgames --syzygy /data/syzygy
  talbot eval --run run1 --data labelled --audit audit`,
		SuggestFor: []string{"evaluate", "test", "measure"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return runEval(cmd.Context(), o) },
	}
	f := flags.Of(cmd)
	f.Section("Network")
	f.String(&o.run, "run", "run, checkpoint or exported network, or net:, the one that comes with talbot (required)")
	f.Required("run")
	complete(cmd, "run", networks)
	o.addNetwork(f)
	o.addSamples(f, "the run")
	f.Bool(&o.noHistory, "no-history", "hide history and repetitions from the network")
	f.Section("Other measurements")
	f.Bool(&o.style, "style",
		"also measure how aggressive the first choices are, next to the moves played and the network of --from")
	f.String(&o.puzzles, "puzzles", "file of puzzles in Lichess's CSV format to solve, or - for standard input")
	addSyzygy(f, &o.syzygy, "check moves and values against the Syzygy tables in these folders")
	addCheckTables(f, &o.checkTables)
	addEngine(f, &o.engine, "engine for --syzygy, which must be Stockfish")
	f.String(&o.audit, "audit", "folder written by \"talbot label --audit\"; shows how far off the labels are")
	completeFolders(cmd, "audit", isDataset)
	f.Section("Output")
	f.String(&o.report, "report",
		"file for the report, or \"none\" (default: RUN/report.html; other names with --no-history and --weights raw)")
	addForce(f, &o.force)
	addJSON(f, &o.json)
	return cmd
}

func (o *evalOptions) job() (job.Eval, error) {
	e := job.Eval{Measure: o.measure(), Dir: o.run, Style: o.style, NoHistory: o.noHistory, Audit: o.audit}
	var err error
	e.Report, err = o.page(e.ReportName())
	return e, err
}

// page returns where the page goes, "" for none. The run's own pages are overwritten.
func (o *evalOptions) page(name string) (string, error) {
	out := outputFile{flag: "--report", path: o.report, force: o.force, inputs: []string{o.run, o.puzzles}}
	switch own := filepath.Join(o.run, name); {
	case o.report == "none", o.report == "" && run.IsFile(o.run):
		return "", nil
	case o.report == "":
		if _, err := os.Stat(o.run); errors.Is(err, fs.ErrNotExist) {
			return own, nil // opening the run reports it
		}
		out.path, out.own = own, true
	default:
		a, _, err := target(own)
		b, _, err2 := target(o.report)
		out.own = err == nil && err2 == nil && a == b
	}
	if o.puzzles != "" && o.puzzles != "-" {
		out.inputs = append(out.inputs, o.puzzles)
	}
	return out.check()
}

func runEval(ctx context.Context, o *evalOptions) error {
	e, err := o.job()
	if err != nil {
		return err
	}
	if o.puzzles != "" {
		file, err := rows.Open(o.puzzles)
		if err != nil {
			return err
		}
		defer file.Close()
		e.Puzzles = file
	}
	if o.syzygy != "" {
		tables, set, err := openProbe(ctx, o.engine, o.syzygy, o.checkTables)
		if err != nil {
			return err
		}
		defer set.Close()
		defer tables.Close()
		e.Tables = tables
	}
	var show func(progress.Progress)
	e.Progress = measureProgress(&show)
	figures, err := watched(ctx, &e, &show)
	if err != nil && !errors.Is(err, job.ErrIncomplete) {
		return err
	}
	if err != nil {
		e.Report = "" // which was not written
	}
	nextEvaluated(o.run)
	return errors.Join(reportPage(o.json, figures, figures.Text(), "report", e.Report), err)
}
