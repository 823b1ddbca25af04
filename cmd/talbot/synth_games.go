package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/pipeline/enginegames"
	"talbot/play/match"
	"talbot/stockfish"
)

type gamesOptions struct {
	datasetOptions
	games    int64
	engine   string
	nodes    int64
	hash     int
	openings string
	style    enginegames.Style
	seed     uint64
	split    string
}

func newGames() *cobra.Command {
	o := gamesOptions{style: enginegames.DefaultStyle}
	cmd := &cobra.Command{
		Use:   "synth-games --games N --out DIR",
		Short: "Have Stockfish play itself and keep what it says",
		Long: `Synth-games makes training data from nothing: Stockfish plays itself, and each position
that it searches is a sample with its label (score, chances, best move). A game begins
with an opening of talbot's book and up to --random-plies random moves.

A network that has seen good moves only does not know that a piece less is a piece less.
So some moves are weak on purpose, half of them any legal move, half the best of two to
four random ones. Each game has its own share of them, from 0 to --blunders, in most
games a small one. Training always takes the engine's choice as its target,
never such a move.

Two of three games end when one side has been ahead by --decided centipawns for eight
plies; the others are played to mate. Games that stay level end as draws.

Game n depends only on the engine, the settings, the seed and n: the same command gives
the same bytes on every machine, with any number of workers, also if it was interrupted.
Repeat an interrupted command to continue it; at most 512 games are played again.`,
		Example: `  talbot synth-games --games 100 --nodes 200 --seed 1 --out games
  talbot synth-games --games 15000 --seed 2 --blunders 0.1 --out games2`,
		SuggestFor: []string{"games", "generate", "teach"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.add(cmd, "number of engines (default: one for each physical core)")
	f := cmd.Flags()
	f.Int64VarP(&o.games, "games", "n", 0, "number of games (required)")
	f.StringVar(&o.engine, "engine", "stockfish", "engine to use: a path, or a name to look up")
	f.Int64Var(&o.nodes, "nodes", 800, "nodes for each position")
	f.IntVar(&o.hash, "hash", 1, "hash of each engine in MiB; it is cleared before each position")
	f.StringVar(&o.openings, "openings", "",
		"file of games, FENs or EPD to begin with (default: talbot's own openings)")
	f.IntVar(&o.style.RandomPlies, "random-plies", o.style.RandomPlies, "most random moves after the opening")
	f.Float64Var(&o.style.Blunders, "blunders", o.style.Blunders, "largest share of weak moves in a game, 0 to 1")
	f.IntVar(&o.style.Decided, "decided", o.style.Decided,
		"centipawns from which two of three games count as won (0: all are played to mate)")
	f.IntVar(&o.style.MostPlies, "max-plies", o.style.MostPlies, "longest game, in plies")
	f.Uint64Var(&o.seed, "seed", 0, "random seed")
	f.StringVar(&o.split, "split", dataset.DefaultSplits.String(), "percentages of games in train, val and test")
	section(f, "Output", "out", "skip-done", "replace", "games", "split", "seed", "json", "strict")
	section(f, "Engine", "engine", "nodes", "hash", "workers")
	section(f, "Games", "openings", "random-plies", "blunders", "decided", "max-plies")
	completeFolder(cmd, "out")
	return cmd
}

// request turns the flags into what is played; the pool is missing.
func (o *gamesOptions) request() (r enginegames.Request, c stockfish.Config, err error) {
	if err := o.check(); err != nil {
		return r, c, err
	}
	if o.games < 1 {
		return r, c, usage(fmt.Errorf("--games must be above 0: %d", o.games),
			"give the number of games, for example --games 1000")
	}
	if err := o.style.Check(); err != nil {
		return r, c, usage(err, "see --random-plies, --blunders, --decided and --max-plies")
	}
	c = stockfish.Config{Limit: stockfish.Nodes(o.nodes), Hash: o.hash, Scope: stockfish.PositionScope}
	if err := c.Limit.Check(); err != nil {
		return r, c, usage(err, "for example --nodes 800")
	}
	if o.hash < 1 {
		return r, c, usage(fmt.Errorf("--hash must be at least 1: %d", o.hash), "")
	}
	splits, err := dataset.ParseSplits(o.split)
	if err != nil {
		return r, c, usage(err, "give three percentages that sum to 100, for example --split 90,5,5")
	}
	if c.Path, err = stockfish.Find(o.engine); err != nil {
		return r, c, err
	}
	r = enginegames.Request{Games: o.games, Seed: o.seed, Style: o.style, Out: o.out, Existing: o.existing(), Splits: splits,
		ResumeCommand: invocation(),
		Warn:          warn}
	all, err := match.Book()
	r.Book = "talbot's own"
	if o.openings != "" {
		all, err = readOpenings(o.openings, 0)
		if err == nil {
			r.Book, err = stockfish.HashFile(o.openings)
		}
	}
	if err == nil && len(all.List) == 0 {
		err = fmt.Errorf("%q: no openings", o.openings)
	}
	if err != nil {
		return r, c, err
	}
	r.Openings = all.List
	return r, c, nil
}

func (o *gamesOptions) run(ctx context.Context) error {
	r, config, err := o.request()
	if err != nil {
		return err
	}
	warnWorkers(o.workers)
	if o.workers <= 0 {
		o.workers = stockfish.DefaultWorkers()
	}
	ctx, stop := interrupts(ctx)
	defer stop()
	if r.Pool, err = stockfish.NewPool(ctx, config, o.workers); err != nil {
		return err
	}
	show, end := showProgress()
	r.Progress = show
	sum, err := r.Run(ctx)
	end()
	if err := errors.Join(err, r.Pool.Close()); err != nil {
		return resumable(err)
	}
	if o.json {
		return printJSON(sum)
	}
	printGames(o.out, sum)
	nextTrain(o.out)
	return nil
}

func printGames(out string, sum enginegames.Summary) {
	summarise("%s: %s, %s, %s, %.1f s\n", out, humanize.Count(sum.GamesKept, "game"),
		humanize.Count(sum.Samples, "labelled position"), humanize.Size(float64(sum.Bytes)), sum.Seconds)
	ends := slices.SortedFunc(maps.Keys(sum.Ends), func(a, b string) int {
		return int(sum.Ends[b]-sum.Ends[a])*2 + strings.Compare(a, b)
	})
	for _, end := range ends {
		summarise("  ended by %s: %s\n", end, humanize.Thousands(sum.Ends[end]))
	}
	if n := sum.GamesRead - sum.GamesKept; n > 0 {
		summarise("  played again because they were copies: %s\n", humanize.Thousands(n))
	}
}
