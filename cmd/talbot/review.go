package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/inspect/review"
	"talbot/internal/cache"
	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/pipeline/ingest"
	"talbot/stockfish"
)

type reviewOptions struct {
	review.Making
	engine, syzygy    string
	people            []string
	nodes             int64
	checkTables, json bool
}

func newReview() *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:   "review FILE... --out DIR",
		Short: "Find what each move of games lost",
		Long: `Review evaluates every position with Stockfish. For each move it shows how much winning
chance it lost and whether it was an inaccuracy, mistake or blunder; for each player it
shows the accuracy. The formulas are Lichess's.

With --people, networks of human moves such as Maia's, it also says how likely a player of
this rating was to play the move, and to find the best one. The rating in a file name
(maia-1500.pb.gz) is the rating of the players that network imitates; each player is
compared with the nearest. It counts the traps that each side met, fell into and set, and
predicts the ratings of the puzzles. With --syzygy it counts and lists won endgames that
became drawn or lost, and drawn ones that became lost.

DIR gets index.html, a page for each game, games.pgn with evaluations, marks and
variations, puzzles.csv with the positions where one move wins (by the rule of Lichess's
puzzles, searched with ten times the nodes), review.json and moves.csv. Repeat the command
after an interruption, or with more games: what was evaluated is not evaluated again. See
docs/25-review.md.`,
		Example: `  talbot review games.pgn --out my-games
  talbot review me.pgn --player Tal --people maia-1500.pb.gz --out mine
  talbot review lichess.pgn --evals --out as-lichess
  talbot review endgames.pgn --syzygy /data/syzygy --out by-tables`,
		SuggestFor: []string{"analyse", "analyze", "annotate", "accuracy"},
		Args:       operands(1, many, "one file of games or more"),
		RunE:       func(cmd *cobra.Command, files []string) error { return o.review(cmd.Context(), files) },
	}
	f := flags.Of(cmd)
	f.Section("Output")
	f.String(&o.Out, "out,o", "folder for the review (required)")
	f.Required("out")
	completeFolder(cmd, "out")
	addJSON(f, &o.json)
	f.Section("Games")
	f.String(&o.Player, "player", "only this player's games; the summary counts only their moves")
	f.Section("Evaluation")
	o.nodes = 100_000
	flags.AtLeast(f, &o.nodes, "nodes", 1, "nodes for each position")
	addEngine(f, &o.engine, "engine to use")
	addWorkers(f, &o.Label.Workers, "number of engines (default: one for each physical core)")
	f.Bool(&o.Evals, "evals", "use the evaluations in the games' comments, and no engine")
	f.Excludes("evals", "nodes", "workers")
	addSyzygy(f, &o.syzygy, "find endgames thrown away by the Syzygy tables in these folders")
	addCheckTables(f, &o.checkTables)
	f.Section("People")
	f.Strings(&o.people, "people", "networks of human moves: files or runs, or folders of files, separated by commas")
	flags.Within(f, &o.Rating, "rating", 0, 4000, "rating of players whose rating the games do not tell")
	f.Needs([]string{"rating"}, "people")
	return cmd
}

func (o *reviewOptions) review(ctx context.Context, files []string) (err error) {
	var ignored []string
	o.Read.Inputs, err = ingest.ExpandInputs(files, func(path string) { ignored = append(ignored, path) })
	if sayIgnored(ignored); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	people, end, err := review.OpenPeople(o.people, "")
	if err != nil {
		return fmt.Errorf("--people: %w", err)
	}
	defer end()
	o.People = people
	if o.syzygy != "" {
		tables, set, err := openProbe(ctx, o.engine, o.syzygy, o.checkTables)
		if err != nil {
			return err
		}
		defer set.Close()
		defer tables.Close()
		o.Probe = tables.Probe
	}
	if !o.Evals {
		o.Label.Engine = review.Engine(o.nodes)
		if o.Label.Engine.Path, err = stockfish.Find(o.engine); err != nil {
			return err
		}
	}
	shown, failed := 0, 0
	o.Read.Cache = cache.User()
	o.Read.Rejected = func(file string, reject *dataset.Reject) { sayRejected(file, reject, &shown) }
	o.Label.Failed = func(err error) {
		if failed++; failed <= shownRejects {
			cli.Warnf("no label: %v", err)
		}
	}
	o.Read.Warn, o.Label.Warn, o.Tool = cli.Warn, cli.Warn, "talbot "+thisBuild().Version
	o.Read.ResumeCommand, o.Label.ResumeCommand = cli.Invocation(), cli.Invocation()
	ctx, stop := cli.Interrupts(ctx)
	defer stop()
	var shownEnd func()
	o.Progress, shownEnd = cli.ShowProgress()
	sum, err := o.Making.Run(ctx)
	if shownEnd(); err != nil {
		return cli.Resumable(hintDamaged(err))
	}
	if o.json {
		return cli.PrintJSON(sum)
	}
	return cli.PrintResult(sum.Text() + "\npage: " + filepath.Join(o.Out, "index.html") + "\n")
}
