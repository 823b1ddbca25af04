package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"talbot/encode"
	"talbot/pgn"
	"talbot/pipeline"
	"talbot/train"
	"talbot/train/job"
	"talbot/train/loader"
)

type evalOptions struct {
	run, data, split, label, backend, valueTarget string
	puzzles, report                               string

	samples           int64
	batch, workers    int
	newest, noHistory bool
	json, quiet       bool
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
no game does. The figures on positions that do not are reported apart as "unseen";
that takes the datasets the run was trained on, where they were or among --data.

--no-history shows the network each position as if its game began there. A network
that is much worse then has learnt to read the past, and perhaps who made it up.
Puzzles keep theirs.

With --json there are 95 % bootstrap intervals (whole games are drawn), figures by
source, phase, pieces, rating and side to move, the calibration of both heads, the
share of mates in one that are found, and how far the answers to a position and to
its mirror image in the other colour lie apart. All of it, with the curves of the run
and the 50 worst misses on boards, is drawn as a page in RUN/report.html.

--puzzles FILE has the network solve puzzles in Lichess's CSV columns, compressed or
not: the first move, and the whole line with the opponent's moves given. A mate other
than the puzzle's counts as right.`,
		Example: `  talbot eval --run run1 --data labelled
  talbot eval --run run1 --data labelled --split val --samples 10000 --json
  talbot eval --run run1 --data labelled --puzzles puzzles.csv --report page.html`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runEval(cmd.Context(), &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "folder of the run")
	f.StringVar(&o.data, "data", "", "datasets: DIR[,DIR…]")
	f.StringVar(&o.split, "split", "test", "test, val, train or all")
	f.Int64Var(&o.samples, "samples", 0, "that many samples, spread over the data (0 = all)")
	f.StringVar(&o.puzzles, "puzzles", "", "file of puzzles to solve, or - for standard input")
	f.StringVar(&o.report, "report", "", "file of the page (default: RUN/report.html; none = no page)")
	f.StringVar(&o.label, "label", "", "fingerprint whose labels count (default: of each sample the last that has one, with the value of endgame tables where they have it)")
	f.StringVar(&o.valueTarget, "value-target", "", "what the values are compared with: recipe, tanh, wdl or winprob (default: what the run learnt)")
	f.IntVar(&o.batch, "batch", 256, "positions the network is asked about at a time")
	f.StringVar(&o.backend, "backend", "auto", "auto, go, xla:cpu, xla:cuda or xla:/absolute/path/plugin.so")
	f.BoolVar(&o.newest, "newest", false, "measure the newest checkpoint, not the best")
	f.BoolVar(&o.noHistory, "no-history", false, "show the network positions without history and repetitions")
	f.IntVar(&o.workers, "workers", 0, "goroutines that read and encode (0 = one for each core)")
	f.BoolVar(&o.json, "json", false, "print one JSON object on standard output")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	return cmd
}

func (o *evalOptions) job() (job.Eval, error) {
	e := job.Eval{Dir: o.run, Split: o.split, Label: o.label, Samples: o.samples, Batch: o.batch, Backend: o.backend, Workers: o.workers, NoHistory: o.noHistory}
	if o.run == "" || o.data == "" {
		return e, usage(errors.New("--run or --data is missing"), "as `talbot eval --run run1 --data labelled`")
	}
	if _, err := job.ParseSplits(o.split); err != nil {
		return e, usage(err, "as --split test")
	}
	if o.samples < 0 || o.batch < 1 {
		return e, usage(fmt.Errorf("--samples %d is negative or --batch %d is not positive", o.samples, o.batch), "")
	}
	if err := checkWorkers(o.workers); err != nil {
		return e, err
	}
	if err := checkBackend(o.backend); err != nil {
		return e, err
	}
	if o.valueTarget != "" {
		value, err := encode.ParseValueTarget(o.valueTarget)
		if err != nil {
			return e, usage(err, "as --value-target wdl")
		}
		e.Value = &value
	}
	if o.newest {
		e.Choice = train.NewestCheckpoint
	}
	switch o.report {
	case "":
		e.Report = filepath.Join(o.run, job.ReportName)
	case "none":
	default:
		e.Report = o.report
	}
	var err error
	if e.Data, err = loader.ParseSpecs(o.data); err != nil {
		return e, usage(err, "as --data games,puzzles")
	}
	if e.Data[0].Weight > 0 {
		return e, usage(fmt.Errorf("data %q: an evaluation takes every sample once and knows no weights", o.data), "")
	}
	return e, nil
}

func runEval(ctx context.Context, o *evalOptions) error {
	e, err := o.job()
	if err != nil {
		return err
	}
	if o.puzzles != "" {
		file, err := pgn.Open(o.puzzles)
		if err != nil {
			return err
		}
		defer file.Close()
		e.Puzzles = file
	}
	ctx, stop := interruptsSaying(ctx, "stopping", abortNow)
	defer stop()
	show, end := phases(o.quiet)
	e.Begun = func(backend string) { fmt.Fprintf(os.Stderr, "backend: %s\n", backend) }
	e.Warn = func(err error) { fmt.Fprintf(os.Stderr, "talbot: warning: %v\n", err) }
	e.Progress = func(what string, done, of int64) {
		unit := "blocks"
		switch what {
		case "evaluating":
			unit = "positions"
		case "checking the data":
			unit = "MB"
		case "solving puzzles":
			unit = "puzzles"
		}
		show(pipeline.Progress{Verb: what, Done: done, Total: of, Count: done, Rate: done, Unit: unit})
	}
	figures, err := e.Run(ctx)
	end()
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return hintError{error: errInterrupted, hint: "repeat the command", status: exitInterrupted}
		}
		return err
	}
	if o.json {
		return printJSON(figures)
	}
	if err := printFigures(os.Stdout, figures); err != nil {
		return err
	}
	if e.Report != "" {
		fmt.Printf("\nreport: %s\n", e.Report)
	}
	return nil
}

// printFigures prints a table with a column for all samples, for the unseen ones and for each source.
func printFigures(out io.Writer, f job.Figures) error {
	fmt.Fprintf(out, "%s, step %d, on the split %s: %d samples in %.1f s\n\n", f.Checkpoint, f.Step, f.Split, f.Samples, f.Seconds)
	heads, columns := []string{"all"}, []train.Figures{f.Figures}
	if f.Unseen != nil {
		heads, columns = append(heads, "unseen"), append(columns, *f.Unseen)
	}
	for _, source := range slices.Sorted(maps.Keys(f.BySource)) {
		heads, columns = append(heads, source), append(columns, f.BySource[source])
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, cell func(f *train.Figures) string) {
		fmt.Fprintf(w, "%s\t", name)
		for i := range columns {
			fmt.Fprintf(w, "%s\t", cell(&columns[i]))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "\t")
	for _, h := range heads {
		fmt.Fprintf(w, "%s\t", h)
	}
	fmt.Fprintln(w)
	row("samples", func(f *train.Figures) string { return fmt.Sprint(f.Samples) })
	for _, r := range []struct {
		name  string
		field func(f *train.Figures) *float64
		share bool
	}{
		{"policy cross-entropy, all moves", func(f *train.Figures) *float64 { return f.PolicyCE }, false},
		{"legal moves", func(f *train.Figures) *float64 { return f.PolicyCELegal }, false},
		{"legal moves alike", func(f *train.Figures) *float64 { return f.PolicyCEUniform }, false},
		{"target is the first move", func(f *train.Figures) *float64 { return f.Top1 }, true},
		{"of the first three", func(f *train.Figures) *float64 { return f.Top3 }, true},
		{"of the first five", func(f *train.Figures) *float64 { return f.Top5 }, true},
		{"mass on illegal moves", func(f *train.Figures) *float64 { return f.IllegalMass }, true},
		{"mates in one found", func(f *train.Figures) *float64 { return f.MateInOne }, true},
		{"value squared error", func(f *train.Figures) *float64 { return f.ValueMSE }, false},
		{"always the mean", func(f *train.Figures) *float64 { return f.ValueMSEMean }, false},
		{"right sign", func(f *train.Figures) *float64 { return f.ValueSignAccuracy }, true},
	} {
		row(r.name, func(f *train.Figures) string { return cell(r.field(f), r.share) })
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, r := range []struct {
		name, of string
		share    bool
	}{
		{"policy cross-entropy, legal moves", "policy_ce_legal", false},
		{"target is the first move", "top1", true},
		{"value squared error", "value_mse", false},
	} {
		if i, ok := f.Intervals[r.of]; ok {
			fmt.Fprintf(out, "%s: %s to %s (95 %% bootstrap interval)\n", r.name, cell(&i[0], r.share), cell(&i[1], r.share))
		}
	}
	if s := f.Symmetry; s != nil {
		fmt.Fprintf(out, "colours mirrored, %d samples: values %.4f apart, %.2f %% with the same first move\n", s.Samples, s.ValueGap, 100*s.SameMove)
	}
	if p := f.Puzzles; p != nil {
		fmt.Fprintf(out, "puzzles: %d, first move right %.2f %%, whole line %.2f %%\n", p.Puzzles, 100*p.FirstMove, 100*p.WholeLine)
	}
	return nil
}

func cell(x *float64, share bool) string {
	switch {
	case x == nil:
		return "-"
	case share:
		return fmt.Sprintf("%.2f %%", 100**x)
	}
	return fmt.Sprintf("%.4f", *x)
}
