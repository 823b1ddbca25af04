package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/inspect/solve"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/output"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/stockfish"
)

type solveOptions struct {
	solve.Input
	nodes    []int64
	movetime time.Duration
	count    int
	seed     uint64
	misses   string
	workers  int
	json     bool
	force    bool
}

func newSolve() *cobra.Command {
	o := solveOptions{count: 1000, seed: 1}
	cmd := &cobra.Command{
		Use:   "solve PLAYER PUZZLES",
		Short: "Have a player solve puzzles, by rating and theme",
		Long: `Solve has a player solve puzzles: a file of Lichess puzzles, an EPD suite with
best moves (bm) or moves to avoid (am), or a dataset made from them. Players and their
settings are those of ` + "`talbot match`" + `.

A puzzle is solved if all its moves are found, one after the other as in a game; any move
that mates is right. With several --nodes, the player solves each puzzle once with each
number. The rating is that of someone who would solve the same share, on the scale of the
puzzles' ratings. If you trained on puzzles, solve a dataset with --split test. See
docs/12-play.md.`,
		Example: `  talbot solve net: puzzles.csv --nodes 400
  talbot solve net: puzzles.csv --nodes 100,400,1600 --count 300
  talbot solve cmd:stockfish puzzles.csv --nodes 100 --misses misses.csv
  talbot solve run:run1,searcher=policy puzzles --json`,
		SuggestFor: []string{"puzzles", "tactic", "epd"},
		Args:       operands(2, 2, "a player and puzzles"),
		RunE:       func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := flags.Of(cmd)
	f.Section("Player")
	flags.List(f, &o.nodes, "nodes", "100,400,1600", wholeNumber[int64],
		"nodes for each move: one `NUMBER` or several, separated by commas (default: 400)")
	flags.Above(f, &o.movetime, "movetime", 0, "time for each move, instead of --nodes")
	f.AtMostOne("nodes", "movetime")
	addWorkers(f, &o.workers, "puzzles to solve at the same time (default: one for each physical core)")
	f.Section("Puzzles")
	flags.AtLeast(f, &o.count, "count,n", 0, "number of puzzles to draw (0 = all)")
	addSeed(f, &o.seed, "seed for drawing puzzles and for random choices of the player")
	addSplitFilter(f, &o.Splits, "only puzzles in these `SPLITS` of a dataset, separated by commas: train, val, test")
	f.Section("Output")
	f.String(&o.misses, "misses", "write the puzzles that were not solved to this CSV `FILE`")
	addForce(f, &o.force)
	addJSON(f, &o.json)
	return cmd
}

// limits returns the limits of the player.
func (o *solveOptions) limits(f *pflag.FlagSet, s match.Spec) (all []match.Limits, err error) {
	switch {
	case s.Limits != (match.Limits{}):
		if f.Changed("nodes") || f.Changed("movetime") {
			return nil, fault.Usage(fmt.Errorf("player %q has a limit of its own", s.Text),
				"leave out --nodes and --movetime")
		}
		if s.Limits.Control != (match.TimeControl{}) {
			return nil, fault.Usage(fmt.Errorf("player %q: a puzzle has no clock", s.Text),
				"give nodes=100, depth=5 or movetime=100ms in place of tc=")
		}
		return []match.Limits{s.Limits}, s.Limits.Check()
	case o.movetime != 0:
		return []match.Limits{{MoveTime: o.movetime}}, nil
	case s.Kind != "random" && engine.NeedsLimit(s) || s.Kind == "run":
		if o.nodes == nil {
			o.nodes = []int64{400}
		}
		for _, n := range o.nodes {
			all = append(all, match.Limits{Nodes: n})
		}
		return all, nil
	}
	return []match.Limits{{}}, nil
}

func (o *solveOptions) run(cmd *cobra.Command, args []string) error {
	spec, err := match.ParsePlayer(args[0])
	if err != nil {
		return fault.Usage(err, "for example net: or cmd:stockfish")
	}
	if err := checkSettings(spec); err != nil {
		return err
	}
	limits, err := o.limits(cmd.Flags(), spec)
	if err != nil {
		return err
	}
	in := o.Input
	in.Path = args[1]
	if o.misses != "" {
		to := outputFile{flag: "--misses", path: o.misses, force: o.force, inputs: args[1:]}
		if o.misses, err = to.check(); err != nil {
			return err
		}
	}
	ctx, stop := cli.Stops(cmd.Context())
	defer stop()
	var networks engine.Shared
	defer networks.Close()
	e, err := match.Enter(ctx, spec, limits[0], networks.Entrant)
	if err != nil {
		return cli.Repeatable(err)
	}
	if e.Instant {
		limits = []match.Limits{{}}
	}
	puzzles, all, err := solve.Choose(ctx, &in, o.count, o.seed)
	if err != nil {
		return cli.Repeatable(err)
	}
	if o.workers == 0 {
		o.workers = stockfish.DefaultWorkers()
	}
	show, end := cli.ShowProgress()
	r := solve.Request{Puzzles: puzzles, Limits: limits, Seed: o.seed, Workers: o.workers, Progress: show,
		New: func(seat int) (match.Player, error) { return e.New(seat, match.NewEngineLog(io.Discard, false)) }}
	answers, err := r.Run(ctx)
	end()
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	result := solve.Result{Player: e.Name, Puzzles: all, Rejects: in.Rejects, Seed: o.seed}
	for i, l := range limits {
		result.Results = append(result.Results, solve.Summarise(puzzles, answers[i], l))
	}
	if err == nil && o.misses != "" {
		table, err := r.Misses(answers)
		if err == nil {
			err = output.WriteFile(o.misses, table)
		}
		if err != nil {
			return err
		}
	}
	if o.json {
		return errors.Join(cli.PrintJSON(result), cli.Repeatable(err))
	}
	io.WriteString(cli.Stdout, result.Text()) // which remembers its error
	return cli.Repeatable(err)
}
