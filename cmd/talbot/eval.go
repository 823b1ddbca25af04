package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"talbot/encode"
	"talbot/pipeline"
	"talbot/rows"
	"talbot/stockfish"
	"talbot/train"
	"talbot/train/job"
	"talbot/train/loader"
)

type evalOptions struct {
	run, data, split, label, backend, valueTarget string
	puzzles, report, weights                      string
	syzygy, engine, audit                         string

	samples           int64
	batch, workers    int
	newest, noHistory bool
	json              bool
	force             bool
}

func newEval() *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval --run RUN --data DIR[,DIR…]",
		Short: "Measure a trained network on a split of the data",
		Long: `Eval measures the best checkpoint of a run on the samples of a split, each of them
once. Beside each figure stands what one gets for nothing: the cross-entropy of
playing any legal move alike, and the squared error of always saying the mean.

Openings recur, so positions of the test split occur in the train split too, though
no game does. The figures on positions that do not are reported apart as "unseen",
without all positions of lines that are cut copies of train lines (see 'talbot train
--help'); that takes the datasets the run was trained on, where they were or among --data.

Intervals are of the bootstrap, at 95 %, and draw whole games. With --json there are
also figures by phase, pieces, rating and side to move, and the calibration of both
heads. Every eighth batch is shown to the network in the other colour too, and
as if their games began there: a network that is much worse without the past has
learnt to read it, and perhaps who made it up. --no-history measures all samples so;
puzzles keep their past. All of it, with the curves of the run and the 50 worst misses
on boards, is drawn as a page in RUN/report.html (report-no-history.html, report-raw.html
with those flags).

Where samples carry results of endgame tables (talbot label --syzygy) the value's
verdict is compared with them. --syzygy DIR asks the tables themselves, through
Stockfish, about every position that they have: the move that the network would play
is judged too, by whether it keeps a win won and a draw drawn.

--audit DIR reads what 'talbot label … --audit 1% --out DIR' wrote and prints how far the
labels are from those of a hundred times the nodes, beside the value's error, both by
the same value target. The error of a network that knew the truth would be that.

--puzzles FILE has the network solve puzzles in Lichess's CSV columns, compressed or
not: the first move, and the whole line with the opponent's moves given. A mate other
than the puzzle's counts as right.`,
		Example: `  talbot eval --run run1 --data labelled
  talbot eval --run run1 --data labelled --split val --samples 10000 --json
  talbot eval --run run1 --data labelled --puzzles puzzles.csv
  talbot eval --run run1 --data endgames --syzygy /data/syzygy
  talbot eval --run run1 --data labelled --audit audit`,
		SuggestFor: []string{"evaluate", "test", "measure"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return runEval(cmd.Context(), &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "folder of the run")
	f.StringVar(&o.data, "data", "", "datasets: DIR[,DIR…]")
	f.StringVar(&o.split, "split", "test", "test, val, train or all")
	f.Int64Var(&o.samples, "samples", 0, "that many samples, spread over the data (0 = all)")
	f.StringVar(&o.puzzles, "puzzles", "", "file of puzzles to solve, or - for standard input")
	f.StringVar(&o.syzygy, "syzygy", "",
		"folder of Syzygy endgame tables that judge moves and values, or several separated as in PATH")
	f.StringVar(&o.engine, "engine", "stockfish",
		"with --syzygy: the Stockfish that reads the tables, a path or a name found in the usual places")
	f.StringVar(&o.audit, "audit", "", "folder of an audit of the labels, as talbot label --audit writes it")
	f.StringVar(&o.weights, "weights", "",
		"raw or average, of a run with --ema, which keeps both (default: average where there is one)")
	f.StringVar(&o.report, "report", "",
		"file of the page (default: RUN/report.html, with other names for --no-history and --weights raw; none = no "+
			"page)")
	f.StringVar(&o.label, "label", "",
		"fingerprint whose labels count (default: of each sample the last that has one, with the value of endgame "+
			"tables where they have it)")
	f.StringVar(&o.valueTarget, "value-target", "",
		"what the values are compared with: recipe, tanh, wdl or winprob (default: what the run learnt)")
	f.IntVar(&o.batch, "batch", 256, "positions the network is asked about at a time")
	f.StringVar(&o.backend, "backend", "auto", "auto, go, xla:cpu, xla:cuda or xla:/absolute/path/plugin.so")
	f.BoolVar(&o.newest, "newest", false, "measure the newest checkpoint, not the best")
	f.BoolVar(&o.noHistory, "no-history", false, "show the network positions without history and repetitions")
	f.IntVar(&o.workers, "workers", 0, "goroutines that read and encode (default: one for each core)")
	addForce(f, &o.force)
	f.BoolVar(&o.json, "json", false, "print one JSON object on standard output")
	section(f, "Network", "run", "newest", "weights", "backend", "batch", "workers")
	section(f, "Samples", "data", "split", "samples", "label", "value-target", "no-history")
	section(f, "Other measurements", "puzzles", "syzygy", "engine", "audit")
	section(f, "Output", "report", "force", "json")
	values(cmd, "split", "test", "val", "train", "all")
	values(cmd, "weights", "raw", "average")
	values(cmd, "value-target", valueTargets...)
	values(cmd, "backend", backends...)
	completeFolders(cmd, "run", train.IsRun)
	completeFolders(cmd, "data", isDataset)
	completeFolders(cmd, "audit", isDataset)
	completeFolder(cmd, "syzygy")
	return cmd
}

func (o *evalOptions) job() (job.Eval, error) {
	e := job.Eval{Dir: o.run, Split: o.split, Label: o.label, Samples: o.samples, Batch: o.batch, Backend: o.backend,
		Workers:   o.workers,
		NoHistory: o.noHistory, Audit: o.audit, Weights: o.weights}
	if missing := missingFlag("run", o.run, "data", o.data); missing != nil {
		return e, usage(missing, "for example `talbot eval --run run1 --data labelled`")
	}
	if _, err := job.ParseSplits(o.split); err != nil {
		return e, usage(err, "for example --split test")
	}
	const largest = 1 << 14
	switch {
	case o.samples < 0:
		return e, usage(fmt.Errorf("--samples must not be negative: %d", o.samples), "use 0 for all samples")
	case o.batch < 1 || o.batch > largest:
		return e, usage(fmt.Errorf("--batch must be from 1 to %d: %d", largest, o.batch),
			"a larger batch only needs more memory")
	}
	if o.weights != "" && o.weights != "raw" && o.weights != "average" {
		return e, usage(fmt.Errorf("--weights must be raw or average: %q", o.weights), "")
	}
	if err := checkBackend(o.backend); err != nil {
		return e, err
	}
	if o.valueTarget != "" {
		value, err := encode.ParseValueTarget(o.valueTarget)
		if err != nil {
			return e, usage(err, "for example --value-target wdl")
		}
		e.Value = &value
	}
	if o.newest {
		e.Choice = train.NewestCheckpoint
	}
	var err error
	if e.Report, err = o.page(e.ReportName()); err != nil {
		return e, err
	}
	if e.Data, err = loader.ParseSpecs(o.data); err != nil {
		return e, usage(err, "for example --data games,puzzles")
	}
	if e.Data[0].Weight > 0 {
		return e, usage(fmt.Errorf("data %q: weights are for training only; eval takes every sample once", o.data), "")
	}
	return e, nil
}

// page returns where the page goes, "" for none. The run's own pages are made anew.
func (o *evalOptions) page(name string) (string, error) {
	out := outputFile{flag: "--report", path: o.report, force: o.force}
	switch own := filepath.Join(o.run, name); o.report {
	case "none":
		return "", nil
	case "":
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
	ctx, stop := interruptsSaying(ctx, "stopping", abortNow)
	defer stop()
	if o.syzygy != "" {
		path, err := stockfish.Find(o.engine)
		if err != nil {
			return err
		}
		tables, err := stockfish.OpenTables(ctx, stockfish.Config{Path: path}, o.syzygy)
		if err != nil {
			return err
		}
		defer tables.Close()
		e.Tables = tables
	}
	show, end := phases()
	e.Begun = func(backend string) { tell("backend: %s\n", backend) }
	e.Warn = warn
	e.Progress = func(what string, done, of int64) {
		unit := "blocks"
		switch what {
		case "evaluating":
			unit = "positions"
		case "checking the data":
			unit = pipeline.Bytes
		case "solving puzzles":
			unit = "puzzles"
		}
		show(pipeline.Progress{Verb: what, Done: done, Total: of, Count: done, Rate: done, Unit: unit})
	}
	figures, err := e.Run(ctx)
	end()
	switch {
	case errors.Is(err, context.Canceled):
		return hintError{error: errInterrupted, hint: "repeat the command", status: exitInterrupted}
	case err != nil && !errors.Is(err, job.ErrIncomplete):
		return err
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
		next("export", "--run", o.run, "--format", "onnx", "--out", newName(filepath.Base(o.run), ".onnx"))
	}
	return err
}
