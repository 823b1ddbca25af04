package main

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/internal/progress"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// maxCandidates is the most candidates of a sample: a label cannot have more lines.
const maxCandidates = 256

type labelOptions struct {
	makeOptions
	label.Request
	engine      engineOptions
	share       shareOptions
	audit       float64
	calibrate   bool
	checkTables bool
}

func newLabel() *cobra.Command {
	var o labelOptions
	cmd := &cobra.Command{
		Use:   "label DIR --out DIR",
		Short: "Label the samples of a dataset with Stockfish",
		Long: `Label reads a dataset and writes the same lines with a label on every sample: score
(centipawns or mate), chances of win, draw and loss, best move, principal variation,
depth and nodes, all from the view of the side to move.

--nodes and --depth give the same labels on every machine, --movetime does not
(--calibrate measures how many nodes it is worth here). Nothing is searched twice with the
same engine, options and limit. Labels from another engine or limit are kept alongside the
new ones.

Several machines can share the work, with --part and ` + "`talbot join`" + `, or with
--listen and ` + "`talbot worker`" + `. --syzygy adds exact results from endgame tables,
--mates labels positions of three pieces from the rules, and --candidates values the moves
that ` + "`talbot predict`" + ` found most probable. Repeat an interrupted command to
continue it. See docs/4-labels.md and docs/13-many-machines.md.`,
		Example: `  talbot label lines --out labelled
  talbot label lines --out labelled-tenth --fraction 0.1
  talbot label lines --out labelled-nodes --nodes 20000 --workers 2
  talbot label lines --out labelled-more --nodes 20000 --reuse labelled-nodes
  talbot label endgames --out endgames-mates --nodes 800 --mates
  talbot label endgames --out endgames-labelled --syzygy /data/syzygy
  talbot label lines --out part2 --nodes 20000 --part 2/4
  talbot label lines --out many --nodes 20000 --listen :7777 --join-file join
  talbot label predicted --out valued --candidates 20
  talbot label lines --calibrate --movetime 20ms
  talbot label labelled-nodes --audit 1% --out audit
  talbot label lines --out labelled-sf17 --engine /opt/stockfish17/stockfish`,
		SuggestFor:        []string{"analyse", "analyze", "annotate"},
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := flags.Of(cmd)
	o.makeOptions.add(f, &o.Job)
	f.Unless("out", "calibrate")
	o.addStrict(f)
	o.engine.add(f, &o.Engine)
	addWorkers(f, &o.Workers, "number of engines (default: one for each physical core)")
	o.addSamples(f)
	o.share.add(f)
	o.addContradictions(f)
	return cmd
}

// addSamples adds the flags that choose what is labelled.
func (o *labelOptions) addSamples(f *flags.Set) {
	f.Section("Samples to label")
	addFraction(f, &o.Fraction, "label")
	addPart(f, &o.Part, "lines")
	f.Strings(&o.Reuse, "reuse", "datasets from which to reuse labels of the same search, separated by commas")
	completeFolders(f.Command(), "reuse", isDataset)
	f.Bool(&o.SkipImported, "skip-imported", "do not search samples with an imported evaluation")
	f.Section("Endgames")
	f.Bool(&o.Mates, "mates", "label positions of three pieces by their distance to mate, without the engine")
	addSyzygy(f, &o.Syzygy, "add exact results from the Syzygy tables in these folders")
	f.Bool(&o.SkipExact, "skip-exact", "do not search samples that are in the tables (they get no best move)")
	f.Needs([]string{"skip-exact"}, "syzygy")
	addCheckTables(f, &o.checkTables)
	f.Section("Candidate moves")
	flags.Within(f, &o.Candidates, "candidates", 1, maxCandidates,
		"search and value only this many of a sample's moves, the most probable ones by talbot predict")
	f.String(&o.Network, "network",
		"network to take the candidates from, by its `ID` in talbot stats (default: the last one)")
	f.Needs([]string{"network"}, "candidates")
	f.Section("Measure only")
	flags.Parse(f, &o.audit, "audit", "", "0.1%", parseShare[float64],
		"search this `SHARE` of the labels again with a hundred times the nodes and compare")
	f.Bool(&o.calibrate, "calibrate", "measure how many nodes --movetime is worth on this machine (writes nothing)")
}

// addContradictions declares the flags that cannot be used together; all of them have been added.
func (o *labelOptions) addContradictions(f *flags.Set) {
	f.Excludes("calibrate", "out", "audit", "skip-done", "replace", "listen", "nats", "nodes", "depth")
	f.Excludes("mates", "audit", "calibrate", "candidates")
	f.Excludes("audit", "movetime", "nodes", "depth", "fraction", "part")
	f.Excludes("candidates", "movetime", "nodes", "multipv", "hash-scope", "listen", "nats", "audit", "calibrate")
}

// run completes the request and starts what the flags ask for.
func (o *labelOptions) run(cmd *cobra.Command, in string) error {
	r := &o.Request
	r.In, r.Tables = in, tablesCheck(o.checkTables)
	if err := o.engine.limit(cmd.Flags(), &r.Engine, o.Candidates > 0); err != nil {
		return err
	}
	if err := o.share.apply(r); err != nil {
		return err
	}
	path, err := stockfish.Find(o.engine.engine)
	switch {
	case err == nil:
		r.Engine.Path = path
	case o.Mates: // which may need none
		r.Engine.Path = o.engine.engine
	default:
		return err
	}
	warnWorkers(r.Workers)
	cli.Detail("engine: %s, %s, hash of %d MiB, %s", r.Engine.Path, r.Engine.Limit, r.Engine.Hash,
		humanize.Count(int64(r.Engine.MultiPV), "move"))
	switch {
	case o.calibrate:
		return runCalibrate(cmd.Context(), o, label.MeasureNodes{Dir: in, Engine: r.Engine, Workers: r.Workers})
	case o.audit > 0:
		return runAudit(cmd.Context(), o)
	}
	return runLabel(cmd.Context(), o)
}

// warnWorkers warns of engines that share cores.
func warnWorkers(workers int) {
	if cores := stockfish.DefaultWorkers(); workers > cores {
		cli.Warnf("%s on %s: searches will slow each other down",
			humanize.Count(int64(workers), "worker"), humanize.Count(int64(cores), "core"))
	}
}

// watch lets a labelling show its progress, warn and be interrupted. What it returns is called at its end.
func (o *labelOptions) watch(ctx context.Context) (context.Context, func()) {
	var pool atomic.Pointer[label.Searcher]
	ctx, stop := cli.Interruption{Doing: "saving", GiveUp: func() bool {
		p := pool.Load()
		if p != nil {
			(*p).Abort()
		}
		return p != nil
	}, Lost: "giving up the searches in progress; the command that continues makes them again",
		End: func() error { return cli.Resumable(context.Canceled) }}.Watch(ctx)
	end, r, shown := o.begin(), &o.Request, 0
	r.Tables.Progress = showBytes(r.Progress, "checking tables")
	r.Checked = func(done, of int64) {
		progress.Report(r.Progress, "checking the input", "lines", done, of)
	}
	r.Pool = func(s label.Searcher) { pool.Store(&s) }
	r.Failed = func(err error) {
		if shown++; shown <= shownRejects {
			cli.Warnf("no label: %v", err)
		}
	}
	return ctx, func() { end(); stop() }
}

func runLabel(ctx context.Context, o *labelOptions) error {
	ctx, end := o.watch(ctx)
	sum, err := o.Request.Run(ctx)
	end()
	switch {
	case errors.Is(err, dataset.ErrNoPredictions):
		return fault.Hint(err, "use `talbot predict` first, with a network that has a policy")
	case errors.Is(err, label.ErrFewMoves):
		return fault.Hint(err, "use fewer candidates, or `talbot predict` with a larger --top")
	}
	if err != nil {
		return cli.Resumable(err)
	}
	warnUnlabelled(sum.Failed)
	return o.report(made{&sum, sum.Failed, func() {
		switch {
		case o.Part.N > 1:
			next("join", o.Out, "PART...", "--out", newName(o.Out+"-joined", ""))
		case o.Candidates > 0:
			next("train", "--recipe", "probability", "--data", o.Out, "--run", newRun())
		default:
			nextTrain(o.Out)
		}
	}})
}

// warnUnlabelled warns of positions without a label.
func warnUnlabelled(failed int64) {
	if failed > 0 {
		cli.Warnf("%s without a label", humanize.Count(failed, "position"))
	}
}
