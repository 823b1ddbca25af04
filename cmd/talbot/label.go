package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/internal/progress"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

type labelOptions struct {
	datasetOptions
	engineOptions
	shareOptions
	fraction  string
	part      string
	reuse     []string
	audit     string
	calibrate bool

	skipImported bool
	mates        bool
	syzygy       string
	checkTables  bool
	skipExact    bool
	candidates   int
	network      string
}

func newLabel() *cobra.Command {
	var o labelOptions
	cmd := &cobra.Command{
		Use:   "label DIR --out DIR",
		Short: "Label the samples of a dataset with Stockfish",
		Long: `Label reads a dataset and writes the same lines with a label on every sample: score
(centipawns or mate), chances of win, draw and loss, best move, principal variation,
depth and nodes, all from the view of the side to move. The engine receives the moves
that led to the position, so it knows about repetitions. Mates, stalemates and dead
positions are not searched.

--movetime takes the same time on every machine, but its labels are not reproducible.
--nodes and --depth give the same labels on every machine, because they clear the hash
before each position. With --hash-scope line they clear it before each line, which is
faster and searches deeper; labels are then reproducible as whole lines. --calibrate
measures how many nodes --movetime is worth on this machine.

Nothing is searched twice with the same engine, options and limit, whether the label is
in the input, in a dataset of --reuse, or belongs to an earlier sample with the same
start and moves. Labels from another engine or limit are kept next to the new ones.

--part 2/4 labels the second of four parts, so that four machines can share the work.
` + "`talbot join`" + ` puts the parts together and gives the same bytes as one machine.

--listen ADDRESS --join-file FILE lets ` + "`talbot worker`" + ` take part on other machines,
which get no dataset, only positions. The bytes are the same as from one machine. One
percent of the workers' labels is searched again; a worker that gives wrong ones is
banned and all its labels are made again.

--mates labels positions of three pieces, such as KRvK, from the rules, not by the engine:
win, draw or loss, the distance to mate, and all moves that are best. If a dataset has
only such positions, no engine is needed.

--syzygy DIR adds exact results from Syzygy endgame tables (.rtbw and .rtbz files) in a
column of their own: win, draw or loss under the 50-move rule. The engine must be
Stockfish, which reads the tables but searches without them. Training takes the value
from the tables and the move from the engine; ` + "`talbot stats`" + ` shows where they disagree.
With --skip-exact only samples that are not in the tables are searched. Tables are
checked first, and one that is damaged is refused: those of up to five pieces each time,
larger ones once, or again with --check-tables.

--candidates 20 searches only the 20 moves that a network finds most probable, which
` + "`talbot predict`" + ` has stored, and values each of them at the depths of --depth, by default
1,3,7,10. These are depths after the move: the search of the position goes one deeper.
Such labels do not count as labels of the position. Of each variation only the first move
is kept.

--audit 0.1% searches a share of the labels again with a hundred times the nodes and
shows how far off they were.

Labels are written to a journal as they are made. Repeat an interrupted command to
continue it. After the first Ctrl-C the searches in progress have three seconds to end;
the second aborts them. A position on which the engine fails twice is stored as failed.`,
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
	o.datasetOptions.add(cmd, "number of engines (default: one for each physical core)")
	f := cmd.Flags()
	o.engineOptions.add(f)
	f.StringVar(&o.fraction, "fraction", "1", "share of the samples to label, spread over all games")
	f.StringVar(&o.part, "part", "", "label only one part of the lines, such as 1/4 (see talbot join)")
	f.StringVar(&o.part, "shard", "", "the former name of --part")
	f.Lookup("shard").Hidden = true
	f.StringSliceVar(&o.reuse, "reuse", nil, "datasets to take labels of the same search from, separated by commas")
	f.BoolVar(&o.skipImported, "skip-imported", false, "do not search samples with an imported evaluation")
	f.BoolVar(&o.mates, "mates", false,
		"label positions of three pieces by their distance to mate, without the engine")
	f.StringVar(&o.syzygy, "syzygy", "",
		"add exact results from the Syzygy tables in these folders, separated as in PATH")
	addCheckTables(f, &o.checkTables)
	f.BoolVar(&o.skipExact, "skip-exact", false, "do not search samples that are in the tables (they get no best move)")
	f.IntVar(&o.candidates, "candidates", 0,
		"search only this many of a sample's moves, the most probable ones by talbot predict, and value each")
	f.StringVar(&o.network, "network", "",
		"network to take the candidates from, by its `ID` in talbot stats (default: the last one)")
	f.StringVar(&o.audit, "audit", "",
		"search this `SHARE` of the labels again with a hundred times the nodes and compare")
	f.BoolVar(&o.calibrate, "calibrate", false,
		"measure how many nodes --movetime is worth on this machine (writes nothing)")
	section(f, "Output", "out", "skip-done", "replace", "json", "strict")
	section(f, "Engine", "engine", "workers", "hash", "hash-scope", "multipv")
	section(f, "Search limit (choose one)", "movetime", "nodes", "depth")
	section(f, "Samples to label", "fraction", "part", "reuse", "skip-imported")
	section(f, "Endgames", "mates", "syzygy", "skip-exact", "check-tables")
	section(f, "Candidate moves", "candidates", "network")
	section(f, "Measure only", "audit", "calibrate")
	o.shareOptions.add(cmd)
	values(cmd, "hash-scope", "position", "line")
	completeFolders(cmd, "reuse", isDataset)
	completeFolder(cmd, "out", "syzygy")
	return cmd
}

// run checks the flags and starts what they ask for.
func (o *labelOptions) run(cmd *cobra.Command, in string) error {
	engine, err := o.config(cmd)
	if err != nil {
		return err
	}
	f := cmd.Flags()
	if err := o.chooseMoves(cmd, &engine); err != nil {
		return err
	}
	switch {
	case o.calibrate && (o.audit != "" || o.asked() || o.listen != "" || o.nats != "" || f.Changed("nodes") ||
		f.Changed("depth") || o.out != ""):
		return usage(errors.New("--calibrate only measures --movetime; it takes no --out, --audit, --listen, --nodes "+
			"or --depth"),
			"for example `talbot label lines --calibrate --movetime 20ms`")
	case o.mates && (o.audit != "" || o.calibrate || o.candidates > 0):
		return usage(errors.New("--mates takes no --audit, --calibrate or --candidates"), "leave out --mates")
	case o.audit != "" && (f.Changed("movetime") || f.Changed("nodes") || f.Changed("depth") || f.Changed("fraction") ||
		o.part != ""):
		return usage(errors.New("--audit takes no --movetime, --nodes, --depth, --fraction or --part"),
			"for example `talbot label labelled --audit 0.1% --out audit`")
	}
	if !o.calibrate {
		if err := o.check(); err != nil {
			return err
		}
	}
	r := label.Request{In: in, Out: o.out, Existing: o.existing(), Workers: o.workers, SkipImported: o.skipImported,
		Reuse: o.reuse,
		Mates: o.mates, Syzygy: o.syzygy, SkipExact: o.skipExact,
		Tables: tablesCheck(o.checkTables), Candidates: o.candidates, Network: o.network}
	if o.syzygy == "" && (o.skipExact || o.checkTables) {
		return usage(errors.New("--skip-exact and --check-tables need --syzygy"), "for example --syzygy /data/syzygy")
	}
	fraction, err := parseShare(o.fraction)
	if err != nil {
		return usage(err, "for example --fraction 0.1")
	}
	r.Fraction = dataset.Fraction(fraction)
	if f.Changed("part") && f.Changed("shard") {
		return usage(errors.New("--part and --shard are the same flag"), "leave out --shard")
	}
	if r.Part, err = partOf(o.part); err != nil {
		return err
	}
	audit := 0.0
	if o.audit != "" {
		if audit, err = parseShare(o.audit); err != nil {
			return usage(err, "for example --audit 0.1%")
		}
	}
	if err := o.apply(cmd, &r, &engine); err != nil {
		return err
	}
	if err := o.find(&engine); err != nil {
		if !o.mates { // which may need none
			return err
		}
		engine.Path = o.engine
	}
	r.Engine = engine
	warnWorkers(o.workers)
	detail("engine: %s, %s, hash of %d MiB, %s", engine.Path, engine.Limit, engine.Hash,
		humanize.Count(int64(engine.MultiPV), "move"))
	switch {
	case o.calibrate:
		return runCalibrate(cmd.Context(), o, label.MeasureNodes{Dir: in, Engine: engine, Workers: o.workers})
	case o.audit != "":
		return runAudit(cmd.Context(), o, label.Audit{Request: r, Share: audit})
	}
	return runLabel(cmd.Context(), o, r)
}

// warnWorkers warns of engines that share cores.
func warnWorkers(workers int) {
	if cores := stockfish.DefaultWorkers(); workers > cores {
		sayKind("warning", "%s on %s: searches will slow each other down",
			humanize.Count(int64(workers), "worker"), humanize.Count(int64(cores), "core"))
	}
}

// watch lets a labelling show its progress, warn and be interrupted. What it returns is called at its end.
func (o *labelOptions) watch(ctx context.Context, r *label.Request) (context.Context, func()) {
	var pool atomic.Pointer[label.Searcher]
	ctx, stop := interruption{says: "saving", giveUp: func() bool {
		p := pool.Load()
		if p != nil {
			(*p).Abort()
		}
		return p != nil
	}, lost: "giving up the searches in progress; the command that continues makes them again",
		words: func() error { return resumable(context.Canceled) }}.watch(ctx)
	show, end := phases()
	shown := 0
	r.Progress, r.Tables.Progress = show, showBytes(show, "checking tables")
	r.Checked = func(done, of int64) {
		show(progress.Progress{Verb: "checking the input", Done: done, Total: of, Count: done, Rate: done,
			Unit: "lines"})
	}
	r.Pool = func(s label.Searcher) { pool.Store(&s) }
	r.Warn, r.ResumeCommand = warn, invocation()
	r.Failed = func(err error) {
		if shown++; shown <= shownRejects {
			sayKind("warning", "no label: %v", err)
		}
	}
	return ctx, func() { end(); stop() }
}

func runLabel(ctx context.Context, o *labelOptions, r label.Request) error {
	ctx, end := o.watch(ctx, &r)
	sum, err := r.Run(ctx)
	end()
	switch {
	case errors.Is(err, dataset.ErrNoPredictions):
		return hint(err, "use `talbot predict` first, with a network that has a policy")
	case errors.Is(err, label.ErrFewMoves):
		return hint(err, "use fewer candidates, or `talbot predict` with a larger --top")
	}
	if err != nil {
		return resumable(err)
	}
	if err := o.finish(sum, sum, func() error { printLabelled(o, sum); return nil }); err != nil {
		return err
	}
	switch {
	case r.Part.N > 1:
		next("join", o.out, "PART...", "--out", newName(o.out+"-joined", ""))
	case r.Candidates > 0:
		next("train", "--recipe", "probability", "--data", o.out, "--run", newRun())
	default:
		nextTrain(o.out)
	}
	return nil
}

// finish prints what a command that labels reports, as JSON or as text, and warns of positions without a label.
func (o *labelOptions) finish(report any, sum label.Summary, text func() error) error {
	if o.json {
		text = func() error { return printJSON(report) }
	}
	if err := text(); err != nil {
		return err
	}
	if sum.Failed > 0 {
		failed := humanize.Count(sum.Failed, "position") + " without a label"
		sayKind("warning", "%s", failed)
		if o.strict {
			return fmt.Errorf("%s: %w", failed, errSkipped)
		}
	}
	return nil
}

func printLabelled(o *labelOptions, sum label.Summary) {
	n := humanize.Thousands
	if sum.Limit == dataset.SolvedLimit {
		summarise("%s: %s labelled by their distance to mate, %s terminal, %.1f s\n", o.out,
			humanize.Count(sum.Solved, "position"), n(sum.Terminal), sum.Seconds)
		return
	}
	summarise("%s: %s labelled by %s (%s, hash cleared for each %s), %s reused, %s terminal, %s failed, "+
		"%s with %s, %.1f s\n",
		o.out, humanize.Count(sum.Labelled, "position"), sum.Engine, sum.Limit, sum.HashScope, n(sum.Reused),
		n(sum.Terminal), n(sum.Failed), humanize.Rate(sum.PositionsPerSecond),
		humanize.Count(int64(sum.Workers), "worker"), sum.Seconds)
	if o.listen != "" || o.nats != "" {
		summarise("  by workers: %s; searched again: %s, of which %s wrong\n",
			humanize.Count(sum.Remote, "position"), n(sum.Checked), n(sum.Disagreed))
	}
	if sum.Reused > 0 {
		s := sum.Saved
		summarise("  reused labels: %s from before the interruption, %s from the input, %s from other lines or "+
			"--reuse, %s of repeated positions\n",
			n(s.Resumed),
			n(s.Input), n(s.Found), n(s.Repeated))
	}
	if sum.Skipped > 0 {
		summarise("  not searched because of an imported evaluation: %s\n", n(sum.Skipped))
	}
	if o.mates {
		summarise("  labelled by their distance to mate: %s\n", n(sum.Solved))
	}
	if sum.Exact > 0 || o.syzygy != "" {
		summarise("  exact results from tables: %s; not searched: %s\n", n(sum.Exact),
			humanize.Count(sum.SkippedExact, "sample"))
	}
	if sum.Unpredicted > 0 {
		summarise("  not searched because the network was not asked about them: %s\n", humanize.Count(sum.Unpredicted,
			"sample"))
	}
	if sum.Utilisation != nil {
		summarise("  engines busy: %.1f %%\n", 100**sum.Utilisation)
	}
	if sum.Restarts > 0 {
		summarise("  %s repeated, %s restarted\n", humanize.Count(sum.Retried, "search"),
			humanize.Count(sum.Restarts, "engine"))
	}
}
