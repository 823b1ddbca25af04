package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/pipeline/enginegames"
	"talbot/play/match"
	"talbot/stockfish"
)

type gamesOptions struct {
	makeOptions
	enginegames.Request
	engine, openings string
	nodes            int64
	hash, workers    int
}

func newGames() *cobra.Command {
	o := gamesOptions{Request: enginegames.Request{Style: enginegames.DefaultStyle}, nodes: 800, hash: 1}
	cmd := &cobra.Command{
		Use:   "synth-games --games N --out DIR",
		Short: "Have Stockfish play itself and keep its evaluations",
		Long: `Synth-games makes training data from scratch: Stockfish plays itself, and each
position it searches becomes a labelled sample. A game begins with an opening from
talbot's book and up to --random-plies random moves.

A network that has seen only good moves does not know what a lost piece costs. So some
moves, a share of up to --blunders in a game, are weak on purpose. The target in training
is always the engine's choice, never such a move.

Game n depends only on the engine, the settings, the seed and n: the same command gives
the same bytes on every machine. Repeat an interrupted command to continue it. See
docs/2-inputs.md, section 8.`,
		Example: `  talbot synth-games --games 100 --nodes 200 --seed 1 --out games
  talbot synth-games --games 15000 --seed 2 --blunders 0.1 --out games2`,
		SuggestFor: []string{"games", "generate", "teach"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return o.play(cmd.Context()) },
	}
	f := flags.Of(cmd)
	o.add(f, &o.Job)
	flags.AtLeast(f, &o.Games, "games,n", 1, "number of games (required)")
	f.Required("games")
	addSplits(f, &o.Splits, "games")
	addSeed(f, &o.Seed, "random seed")
	o.addStrict(f)
	f.Section("Engine")
	addEngine(f, &o.engine, "engine to use")
	flags.AtLeast(f, &o.nodes, "nodes", 1, "nodes for each position")
	flags.AtLeast(f, &o.hash, "hash", 1, "hash of each engine in MiB; it is cleared before each position")
	addWorkers(f, &o.workers, "number of engines (default: one for each physical core)")
	f.Section("Games")
	f.String(&o.openings, "openings", "file of games, FENs or EPD to begin with (default: talbot's own openings)")
	s := &o.Style
	flags.AtLeast(f, &s.RandomPlies, "random-plies", 0, "maximum number of random moves after the opening")
	flags.Within(f, &s.Blunders, "blunders", 0, 1, "maximum share of weak moves in a game, 0 to 1")
	flags.AtLeast(f, &s.Decided, "decided", 0,
		"lead in centipawns at which two of three games end as won (0: play all to mate)")
	flags.AtLeast(f, &s.MostPlies, "max-plies", 1, "maximum length of a game in plies")
	return cmd
}

func (o *gamesOptions) play(ctx context.Context) (err error) {
	r := &o.Request
	if err := r.Style.Check(); err != nil {
		return fault.Usage(err, "see --random-plies, --blunders, --decided and --max-plies")
	}
	engine := stockfish.Config{Limit: stockfish.Nodes(o.nodes), Hash: o.hash, Scope: stockfish.PositionScope}
	if engine.Path, err = stockfish.Find(o.engine); err != nil {
		return err
	}
	if r.Openings, r.Book, err = openingsOf(o.openings); err != nil {
		return err
	}
	if o.workers == 0 {
		o.workers = stockfish.DefaultWorkers()
	}
	warnWorkers(o.workers)
	return o.run(ctx, func(ctx context.Context) (made, error) {
		var err error
		if r.Pool, err = stockfish.NewPool(ctx, engine, o.workers); err != nil {
			return made{}, err
		}
		sum, err := r.Run(ctx)
		return made{summary: &sum, next: func() { nextTrain(r.Out) }}, errors.Join(err, r.Pool.Close())
	})
}

// openingsOf returns the openings of a file, or talbot's own where there is none, and their name for a manifest.
func openingsOf(file string) (list []match.Opening, name string, err error) {
	var all *match.Openings
	if file == "" {
		all, err = match.Book()
		name = "talbot's own"
	} else if all, err = readOpenings(file, 0); err == nil {
		name, err = stockfish.HashFile(file)
	}
	if err == nil && len(all.List) == 0 {
		err = fmt.Errorf("%q: no openings", file)
	}
	if err != nil {
		return nil, "", err
	}
	return all.List, name, nil
}
