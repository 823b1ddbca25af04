package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/board"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/network/run"
	"talbot/pipeline/selfplay"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/play/mcts"
	"talbot/synth"
)

type selfPlayOptions struct {
	makeOptions
	selfplay.Request
	run, backend, syzygy, engine string
	checkTables                  bool
	batch                        int
	temperature                  float64
	temperaturePlies             int
	set                          []string
}

func newSelfPlay() *cobra.Command { return new(selfPlayOptions).command() }

func (o *selfPlayOptions) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "selfplay --run RUN --games N --out DIR",
		Short: "Have a network play itself and keep what its searches find",
		Long: `Selfplay has a network play itself. Each position that it searches is a sample:
the search's policy, its value as a label, the game's result, and the network's prediction
before the search. ` + "`talbot train`" + ` reads the dataset like any other; with
--value-target result:0.5 it learns from results and searches equally.

--searcher gumbel learns from few nodes; puct adds noise to the first move's priors, and
policy does not search. Games begin from talbot's book, the start position, a file of
positions or games, or random endgames (--start endgames:KQvK,KRvK), and end by the rules,
after --max-plies, or by --resign or --syzygy.

Game n depends only on the network, backend, --batch, kind of processor, settings, seed
and n. Repeat an interrupted command to continue it. See docs/21-selfplay.md.`,
		Example: `  talbot selfplay --run net: --games 400 --nodes 60 --max-plies 300 --out own
  talbot selfplay --run net: -n 8 --max-plies 40 --start endgames:KQvK --out kqk`,
		SuggestFor: []string{"self-play", "reinforce", "rl"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return o.play(cmd) },
	}
	o.Style, o.Start, o.temperaturePlies = selfplay.DefaultStyle(), "book", 30
	f, s := flags.Of(cmd), &o.Style
	o.add(f, &o.Job)
	flags.AtLeast(f, &o.Games, "games,n", 1, "number of games (required)")
	f.Required("games")
	addPart(f, &o.Part, "games")
	addSplits(f, &o.Splits, "games")
	addSeed(f, &o.Seed, "random seed")
	o.addStrict(f)
	f.Section("Network")
	f.String(&o.run, "run", "network that plays: a run, a checkpoint or net: (required)")
	f.Required("run")
	completeFolders(cmd, "run", run.IsRun)
	addBackend(f, &o.backend, answering)
	flags.Within(f, &o.batch, "batch", 1, engine.MaxBatch,
		"number of positions to evaluate at a time (default: 32, on a GPU 256; fewer for few games)")
	addWorkers(f, &o.AtOnce, "number of games at once (default: four times the batch)")
	f.Section("Search")
	flags.Choice(f, &s.Searcher, "searcher", "search: gumbel, puct, or policy to play without one",
		selfplay.Searchers...)
	flags.Number(f, &s.Nodes, "nodes", "nodes of each search")
	flags.Within(f, &s.FastShare, "fast-share", 0, 1,
		"share of the moves to search with --fast-nodes, without noise and without a policy target")
	flags.Number(f, &s.FastNodes, "fast-nodes", "nodes of fast searches")
	f.Needs([]string{"fast-nodes"}, "fast-share")
	flags.Within(f, &o.temperature, "temperature", 0, 100,
		"temperature for choosing the move to play (default: 0 with gumbel, else 1)")
	flags.AtLeast(f, &o.temperaturePlies, "temperature-plies", 0,
		"number of plies at the start of a game that use --temperature (0: none)")
	f.Each(&o.set, "set", "set an option of the searcher, `NAME=VALUE` (see docs/12-play.md); repeatable")
	f.Bool(&s.BestValue, "best-value", "keep the value of a search's best move, not the mean of all its nodes")
	flags.Within(f, &s.Raw, "raw", 0, 255, "number of moves of the network's own policy to keep with each sample")
	f.Section("Games")
	f.String(&o.Start, "start",
		"where games begin: book, start, a file of positions or games, or random endgames such as endgames:KQvK,KRvK")
	f.Words("start", "book", "start", "endgames:")
	flags.Within(f, &s.Resign, "resign", 0, 1,
		"value at which to resign; one such game in ten is played on, to see how often that is wrong (0: never)")
	flags.Within(f, &s.MostPlies, "max-plies", 1, 1000, "maximum length of a game, in searched plies")
	f.Bool(&s.Truncate, "truncate",
		"give games that reach --max-plies the value of their last search instead of a draw")
	addSyzygy(f, &o.syzygy, "end games that the Syzygy tables in these folders decide")
	addCheckTables(f, &o.checkTables)
	addEngine(f, &o.engine, "engine for --syzygy, which must be Stockfish")
	f.Needs([]string{"engine"}, "syzygy")
	return cmd
}

// check completes the request; the network is missing.
func (o *selfPlayOptions) check(f *pflag.FlagSet) error {
	s := &o.Style
	if s.Options.Temperature = o.temperature; !f.Changed("temperature") && s.Searcher != "gumbel" {
		s.Options.Temperature = 1
	}
	if s.Options.TempCutoffPly = o.temperaturePlies; o.temperaturePlies == 0 { // which is all plies to a searcher
		s.Options.Temperature = 0
	}
	for _, text := range o.set {
		if err := s.Set(text); err != nil {
			return fault.Usage(fmt.Errorf("--set: %w", err), "docs/12-play.md explains the options")
		}
	}
	if err := s.Check(); err != nil {
		return fault.Usage(err, "see `talbot selfplay --help`")
	}
	if o.Games < int64(o.Part.I) {
		return fault.Usage(fmt.Errorf("%s have no part %s", humanize.Count(o.Games, "game"), o.Part),
			"take fewer parts")
	}
	return o.begin()
}

// begin finds out where games begin.
func (o *selfPlayOptions) begin() (err error) {
	if list, ok := strings.CutPrefix(o.Start, "endgames:"); ok {
		c := synth.DefaultConfig()
		c.Seed, c.Pieces = o.Seed, synth.PieceWeights{}
		if c.Materials, err = synth.ParseMaterials(list); err != nil {
			return fault.Usage(fmt.Errorf("--start: %w", err), "for example --start endgames:KQvK,KRvK")
		}
		o.Endgames, err = synth.NewDrawer(c)
		return err
	}
	switch o.Start {
	case "start":
		o.Openings = []match.Opening{{Start: board.StartPosition()}}
	case "book":
		o.Openings, _, err = openingsOf("")
	default:
		o.Openings, o.Start, err = openingsOf(o.Start)
	}
	return err
}

func (o *selfPlayOptions) play(cmd *cobra.Command) error {
	if err := o.check(cmd.Flags()); err != nil {
		return err
	}
	return o.makeOptions.run(cmd.Context(), func(ctx context.Context) (made, error) {
		if o.syzygy != "" {
			t, set, err := openProbe(ctx, o.engine, o.syzygy, o.checkTables)
			if err != nil {
				return made{}, err
			}
			defer set.Close()
			defer t.Close()
			o.Tables = &selfplay.Tables{Identity: set.Identity(), Pieces: t.Pieces(), Probe: t.Probe}
		}
		n, err := selfplay.Open(o.run, o.backend, o.batch, o.Games)
		if err != nil {
			return made{}, err
		}
		defer n.Close()
		warnDamaged(n)
		if _, err := mcts.New(o.Style.Searcher, n.Evaluator(), o.Style.Options); err != nil {
			return made{}, fault.Usage(fmt.Errorf("%q: %w", o.run, err),
				"take a network with priors and values, for example --run net:, or --searcher policy")
		}
		if err := n.Compile(ctx); err != nil {
			return made{}, err
		}
		o.Use(n)
		sum, err := o.Request.Run(ctx)
		m := made{summary: &sum}
		if o.Part.N < 2 {
			m.next = func() { nextGeneration(o.Out, o.run) }
		}
		return m, err
	})
}

// warnDamaged warns of checkpoints that were skipped because they are damaged.
func warnDamaged(n *engine.Network) {
	for _, d := range n.Damaged {
		cli.Warn(fmt.Errorf("skipped a damaged checkpoint: %w", d))
	}
}
