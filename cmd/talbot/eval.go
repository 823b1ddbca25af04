package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"talbot/formats/rows"
	"talbot/internal/cache"
	"talbot/network/builtin"
	"talbot/stockfish"
	"talbot/train/job"
)

type evalOptions struct {
	measureOptions
	run, puzzles, report  string
	syzygy, engine, audit string

	noHistory   bool
	style       bool
	json        bool
	force       bool
	checkTables bool
}

func newEval() *cobra.Command { return new(evalOptions).command() }

func (o *evalOptions) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval --run RUN --data DIR[,DIR…]",
		Short: "Measure how good a network is",
		Long: `Eval measures the best checkpoint of a run on every sample of a split. Next to figures it
prints baselines. For the policy they are all legal moves alike and statistics by the
kind of move; for the value, always the mean and a regression on material, colour and a
constant. Statistics and regression are fitted on the train split of --data. "worse"
means that the 95 % interval of a figure does not reach the best of its baselines.

Openings recur, so positions of the test split also occur in the train split, although
no game does. The figures for positions that do not are reported separately as "unseen".
For this, eval needs the datasets that the run was trained on, in their original place or
in --data.

Intervals are 95 % bootstrap intervals over whole games. --json adds figures by phase,
number of pieces, rating and side to move, and the calibration of both heads. Figures of
heads that a network does not have are left out (null with --json).

Eval also runs the network on every eighth batch with colours swapped, and without the
past, if its recipe sees these. A network that is much worse without the past has
learned to rely on it. --no-history measures all samples without their past, except
puzzles.

Where targets are lists of moves, as in aggregated positions, their entropy is printed
under the cross-entropy; no network can score lower. A second table has the bands of ratings for
such data, for networks trained on it, and for recipes that read ratings. A network that
reads them is also run with the rating of each band in turn, for bands with 5,000 moves;
this takes several times as long.

RUN/report.html shows the figures, the curves of the run and the 50 worst misses on
boards. With --no-history the page is report-no-history.html, with --weights raw it is
report-raw.html. For net: give --report FILE.

If samples have exact results (see ` + "`talbot label --help`" + `), eval compares the
value with them. With --syzygy DIR, eval looks up every position that the tables
contain, through Stockfish. It then also checks whether the network's move keeps a won
position won and a drawn position drawn. Damaged tables are refused, as by talbot label.

--audit DIR reads the result of ` + "`talbot label --audit`" + `. Eval then prints how far the
labels are from those of a hundred times the nodes, next to the error of the value for
the same target. Even a perfect network would have the first error.

--puzzles FILE lets the network solve puzzles in Lichess's CSV format, compressed or
not. Eval counts the puzzles whose first move is found, and those whose whole line is
found if the opponent's moves are given. Any mate counts as solved.`,
		Example: `  talbot eval --run run1 --data labelled
  talbot eval --run run1 --data labelled --split val --samples 10000 --json
  talbot eval --run run1 --data labelled --puzzles puzzles.csv
  talbot eval --run run1 --data endgames --syzygy /data/syzygy
  talbot eval --run run1 --data labelled --audit audit`,
		SuggestFor: []string{"evaluate", "test", "measure"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return runEval(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "folder of the run, or net:, the network that comes with talbot (required)")
	f.StringVar(&o.puzzles, "puzzles", "", "file of puzzles to solve, or - for standard input")
	f.StringVar(&o.syzygy, "syzygy", "",
		"folders of Syzygy tables to check moves and values against, separated as in PATH")
	addCheckTables(f, &o.checkTables)
	f.StringVar(&o.engine, "engine", "stockfish",
		"engine for --syzygy, which must be Stockfish: a path, or a name to look up")
	f.StringVar(&o.audit, "audit", "", "folder written by \"talbot label --audit\"")
	f.StringVar(&o.weights, "weights", "", "for a run with --ema: raw or average weights (default: average)")
	f.StringVar(&o.report, "report", "",
		"file for the report, or \"none\" (default: RUN/report.html; other names with --no-history and --weights raw)")
	f.StringVar(&o.valueTarget, "value-target", "",
		"target to compare the value with: recipe, tanh, wdl, winprob or result:Q (default: that of the run)")
	f.BoolVar(&o.newest, "newest", false, "use the newest checkpoint, not the best")
	f.BoolVar(&o.noHistory, "no-history", false, "hide history and repetitions from the network")
	f.BoolVar(&o.style, "style", false,
		"also compare how aggressive the first choices are with the moves played, and the network before --from")
	o.addFlags(cmd)
	addForce(f, &o.force)
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	section(f, "Network", "run", "newest", "weights", "backend", "batch", "workers")
	section(f, "Samples", "data", "split", "samples", "label", "value-target", "no-history")
	section(f, "Other measurements", "style", "puzzles", "syzygy", "check-tables", "engine", "audit")
	section(f, "Output", "report", "force", "json")
	complete(cmd, "run", networks)
	completeFolders(cmd, "audit", isDataset)
	completeFolder(cmd, "syzygy")
	return cmd
}

func (o *evalOptions) job() (job.Eval, error) {
	e := job.Eval{Dir: o.run, Split: o.split, Label: o.label, Samples: o.samples, Batch: o.batch, Backend: o.backend,
		Workers: o.workers, Cache: cache.User(),
		Style: o.style, NoHistory: o.noHistory, Audit: o.audit, Weights: o.weights}
	if o.checkTables && o.syzygy == "" {
		return e, usage(errors.New("--check-tables needs --syzygy"), "for example --syzygy /data/syzygy")
	}
	if missing := missingFlag("run", o.run, "data", o.data); missing != nil {
		return e, usage(missing, "for example `talbot eval --run run1 --data labelled`")
	}
	if info, err := os.Stat(o.run); err == nil && !info.IsDir() {
		return e, usage(fmt.Errorf("--run %q is a file", o.run),
			"give the folder of the run; --newest measures its newest checkpoint")
	}
	var err error
	if e.Value, e.Choice, err = o.check(); err != nil {
		return e, err
	}
	if e.Report, err = o.page(e.ReportName()); err != nil {
		return e, err
	}
	e.Data, err = o.specs("eval")
	return e, err
}

// page returns where the page goes, "" for none. The run's own pages are overwritten.
func (o *evalOptions) page(name string) (string, error) {
	out := outputFile{flag: "--report", path: o.report, force: o.force}
	switch own := filepath.Join(o.run, name); {
	case o.report == "none", o.report == "" && o.run == builtin.Name:
		return "", nil
	case o.report == "":
		if _, err := os.Stat(o.run); errors.Is(err, fs.ErrNotExist) {
			return own, nil // to open the run says so
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
	ctx, stop := stops(ctx)
	defer stop()
	if o.syzygy != "" {
		path, err := stockfish.Find(o.engine)
		if err != nil {
			return err
		}
		set, err := findTables(ctx, o.syzygy, o.checkTables)
		if err != nil {
			return err
		}
		tables, err := stockfish.OpenTables(ctx, stockfish.Config{Path: path}, set)
		if err != nil {
			return err
		}
		defer tables.Close()
		e.Tables = tables
	}
	show, end := phases()
	e.Begun = func(backend string) { tell("backend: %s\n", backend) }
	e.Warn = warn
	e.Progress = measureProgress(show)
	figures, err := e.Run(ctx)
	end()
	switch {
	case err != nil && !errors.Is(err, job.ErrIncomplete):
		return repeatable(err)
	}
	if o.json {
		return errors.Join(printJSON(figures), err)
	}
	if e := printFigures(stdout, figures); e != nil {
		return e
	}
	if e.Report != "" && err == nil {
		printf("\nreport: %s\n", e.Report)
	}
	if err == nil {
		nextEvaluated(o.run)
	}
	return err
}
