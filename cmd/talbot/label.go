package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"talbot/pipeline"
	"talbot/stockfish"
)

type labelOptions struct {
	datasetOptions
	engine   string
	movetime time.Duration
	nodes    int64
	depth    int
	hash     int
	multipv  int
	fresh    bool
	fraction float64

	skipImported bool
	syzygy       string
	skipExact    bool
}

func newLabel() *cobra.Command {
	var o labelOptions
	cmd := &cobra.Command{
		Use:   "label DIR --out DIR",
		Short: "Have a pool of Stockfish processes value every sample",
		Long: `Label reads a dataset and writes the same lines with an engine's label on every
sample: score (centipawns or mate) and win/draw/loss from the side to move,
best move, principal variation, depth and nodes. The engine is given the moves
that led to the position, so it knows repetitions. Mates, stalemates and dead
positions are never searched.

--movetime takes the same time everywhere but is not reproducible; --nodes clears
the hash before each position and gives the same labels on any machine.

--syzygy DIR adds the exact results of Syzygy endgame tables (.rtbw and .rtbz files,
read through the engine, which must be Stockfish) in a column of their own, with the
fingerprint of the tables: win, draw or loss under the 50-move rule. Training takes
the value from it and the moves from the engine; talbot stats shows where they
disagree. The engine searches without tables, and all samples; with --skip-exact
only those that the tables do not have.

Labels are written to a journal as they are made, in order. An interrupted command
continues when it is repeated; the first Ctrl-C finishes the searches under way,
the second aborts. A position on which the engine fails twice is stored as failed.`,
		Example: `  talbot label lines --out labelled
  talbot label lines --out labelled-tenth --fraction 0.1
  talbot label lines --out labelled-nodes --nodes 20000 --workers 2
  talbot label endgames --out endgames-labelled --syzygy /data/syzygy
  talbot label lines --out labelled-sf17 --engine /opt/stockfish17/stockfish --movetime 20ms`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			limit, err := o.limit(cmd)
			if err != nil {
				return err
			}
			return runLabel(cmd.Context(), o, limit, args[0])
		},
	}
	o.add(cmd, "engine processes (default: physical cores)")
	f := cmd.Flags()
	f.StringVar(&o.engine, "engine", "stockfish", "engine: a path, or a name found in the usual places")
	f.DurationVar(&o.movetime, "movetime", 20*time.Millisecond, "time for each position")
	f.Int64Var(&o.nodes, "nodes", 0, "nodes for each position, with a fresh hash")
	f.IntVar(&o.depth, "depth", 0, "depth for each position, with a fresh hash")
	f.IntVar(&o.hash, "hash", 16, "hash of each process in MiB")
	f.IntVar(&o.multipv, "multipv", 1, "moves to score in each position")
	f.BoolVar(&o.fresh, "fresh", false, "with --movetime: clear the hash before each position too")
	f.Float64Var(&o.fraction, "fraction", 1, "share of the samples to label, spread over all games; the others train the policy alone")
	f.BoolVar(&o.skipImported, "skip-imported", false, "leave out samples whose source carried an evaluation (by default they are searched too, and keep both)")
	f.StringVar(&o.syzygy, "syzygy", "", "folder of Syzygy endgame tables whose exact results are added, or several separated as in PATH")
	f.BoolVar(&o.skipExact, "skip-exact", false, "with --syzygy: do not search samples that the tables have; they get no best move")
	return cmd
}

// limit turns the flags into the one limit they name.
func (o *labelOptions) limit(cmd *cobra.Command) (stockfish.Limit, error) {
	limit := stockfish.MoveTime(o.movetime)
	f, given := cmd.Flags(), 0
	for _, name := range []string{"movetime", "nodes", "depth"} {
		if f.Changed(name) {
			given++
		}
	}
	if given > 1 {
		return limit, usage(errors.New("more than one limit"), "give one of --movetime, --nodes and --depth")
	}
	switch {
	case f.Changed("nodes"):
		limit = stockfish.Nodes(o.nodes)
	case f.Changed("depth"):
		limit = stockfish.Depth(o.depth)
	}
	if err := limit.Check(); err != nil {
		return limit, usage(err, "as --movetime 20ms, --nodes 20000 or --depth 10")
	}
	if o.fresh && limit.Time() == 0 {
		return limit, usage(errors.New("--fresh is for --movetime"), "--nodes and --depth always clear the hash")
	}
	return limit, nil
}

func runLabel(ctx context.Context, o labelOptions, limit stockfish.Limit, in string) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.multipv < 1 || o.hash < 1 {
		return usage(fmt.Errorf("--multipv %d --hash %d", o.multipv, o.hash), "both are at least 1")
	}
	if !(o.fraction > 0 && o.fraction <= 1) {
		return usage(fmt.Errorf("--fraction %g", o.fraction), "more than 0, at most 1, as --fraction 0.1")
	}
	if o.skipExact && o.syzygy == "" {
		return usage(errors.New("--skip-exact without tables"), "name their folder, as --syzygy /data/syzygy")
	}
	path := o.engine
	if path == "stockfish" {
		path = ""
	}
	path, err := stockfish.Find(path)
	if err != nil {
		return err
	}
	if cores := stockfish.DefaultWorkers(); o.workers > cores {
		fmt.Fprintf(os.Stderr, "talbot: warning: %d workers on %d cores: each search gets less than its share\n", o.workers, cores)
	}
	var pool atomic.Pointer[stockfish.Pool]
	ctx, stop := interrupts(ctx, func() {
		if p := pool.Load(); p != nil {
			p.Abort()
			return
		}
		abortNow()
	})
	defer stop()
	show, end := progress(false)
	shown := 0
	sum, err := pipeline.Label{
		In: in, Out: o.out, Workers: o.workers, Fraction: o.fraction, SkipImported: o.skipImported, Progress: show,
		Syzygy: o.syzygy, SkipExact: o.skipExact,
		Engine: stockfish.Config{Path: path, Limit: limit, Hash: o.hash, MultiPV: o.multipv, Fresh: o.fresh},
		Pool:   pool.Store,
		Failed: func(err error) {
			if shown++; shown <= shownRejects {
				fmt.Fprintf(os.Stderr, "talbot: warning: no label: %v\n", err)
			}
		},
	}.Run(ctx)
	end()
	if err != nil {
		return resumable(err)
	}
	if o.json {
		if err := printJSON(sum); err != nil {
			return err
		}
	} else {
		fmt.Printf("%s: %d positions labelled by %s (%s), %d reused, %d terminal, %d failed, %.1f/s with %d workers, %.1f s\n",
			o.out, sum.Labelled, sum.Engine, sum.Limit, sum.Reused, sum.Terminal, sum.Failed,
			sum.PositionsPerSecond, sum.Workers, sum.Seconds)
		if sum.Skipped > 0 {
			fmt.Printf("  not searched, for the evaluation that their source carried: %d\n", sum.Skipped)
		}
		if sum.Exact > 0 || o.syzygy != "" {
			fmt.Printf("  exact results from tables: %d, %d of them not searched\n", sum.Exact, sum.SkippedExact)
		}
		if sum.Utilisation != nil {
			fmt.Printf("  utilisation of the engines: %.1f %%\n", 100**sum.Utilisation)
		}
	}
	if sum.Failed > 0 {
		fmt.Fprintf(os.Stderr, "talbot: warning: %d positions have no label\n", sum.Failed)
		if o.strict {
			return fmt.Errorf("%d positions: %w", sum.Failed, errSkipped)
		}
	}
	return nil
}
