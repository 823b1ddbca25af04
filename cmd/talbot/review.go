package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"talbot/inspect/review"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/network/run"
	"talbot/play/engine"
)

type reviewOptions struct {
	review.Request
	out, engine, syzygy      string
	people                   []string
	nodes                    int64
	workers                  int
	evals, checkTables, json bool
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
compared with the nearest. With --syzygy it counts and lists won endgames that became drawn
or lost, and drawn ones that became lost.

DIR gets index.html, a page for each game, games.pgn with evaluations, marks and
variations, review.json and moves.csv. Repeat the command after an interruption, or with
more games: what was evaluated is not evaluated again. See docs/25-review.md.`,
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
	f.String(&o.out, "out,o", "folder for the review (required)")
	f.Required("out")
	completeFolder(cmd, "out")
	addJSON(f, &o.json)
	f.Section("Games")
	f.String(&o.Player, "player", "only this player's games; the summary counts only their moves")
	f.Section("Evaluation")
	o.nodes = 100_000
	flags.AtLeast(f, &o.nodes, "nodes", 1, "nodes for each position")
	addEngine(f, &o.engine, "engine to use")
	addWorkers(f, &o.workers, "number of engines (default: one for each physical core)")
	f.Bool(&o.evals, "evals", "use the evaluations in the games' comments, and no engine")
	f.Excludes("evals", "nodes", "workers")
	addSyzygy(f, &o.syzygy, "find endgames thrown away by the Syzygy tables in these folders")
	addCheckTables(f, &o.checkTables)
	f.Section("People")
	f.Strings(&o.people, "people", "networks of human moves: files or runs, or folders of files, separated by commas")
	flags.Within(f, &o.Rating, "rating", 0, 4000, "rating of players whose rating the games do not tell")
	f.Needs([]string{"rating"}, "people")
	return cmd
}

func (o *reviewOptions) review(ctx context.Context, files []string) error {
	close, err := o.openPeople()
	if err != nil {
		return err
	}
	defer close()
	if err := o.evaluate(ctx, files); err != nil {
		return cli.Resumable(err)
	}
	if o.syzygy != "" {
		tables, set, err := openProbe(ctx, o.engine, o.syzygy, o.checkTables)
		if err != nil {
			return err
		}
		defer set.Close()
		defer tables.Close()
		o.Probe = tables.Probe
	}
	var end func()
	o.Progress, end = cli.ShowProgress()
	sum, err := o.Request.Write(ctx, o.out, "talbot "+version)
	end()
	if err != nil {
		return err
	}
	if o.json {
		return cli.PrintJSON(sum)
	}
	return cli.PrintResult(sum.Text() + "\npage: " + filepath.Join(o.out, "index.html") + "\n")
}

// evaluate makes the labelled dataset in the folder, or takes what it has.
func (o *reviewOptions) evaluate(ctx context.Context, files []string) error {
	games := filepath.Join(o.out, "games")
	ingest := append(slices.Clone(files), "--out="+games, "--last-positions", "--keep-duplicates", "--replace")
	if o.Player != "" {
		ingest = append(ingest, "--player="+o.Player)
	}
	if o.evals {
		ingest = append(ingest, "--import-evals")
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	o.In = games
	if _, err := runStep(ctx, append([]string{"ingest"}, ingest...)); err != nil || o.evals {
		return err
	}
	o.In = filepath.Join(o.out, "labelled")
	label := []string{"label", games, "--out=" + o.In, "--nodes=" + strconv.FormatInt(o.nodes, 10),
		"--engine=" + o.engine, "--replace"}
	if o.workers > 0 {
		label = append(label, "--workers="+strconv.Itoa(o.workers))
	}
	if _, err := os.Stat(filepath.Join(o.In, "manifest.json")); err == nil {
		label = append(label, "--reuse="+o.In)
	}
	_, err := runStep(ctx, label)
	return err
}

// inName finds the rating of a network's people in the name of its file.
var inName = regexp.MustCompile(`(?:^|\D)([1-3]\d00)(?:\D|$)`)

// openPeople opens the networks of human moves. The function that it returns closes them.
func (o *reviewOptions) openPeople() (closeAll func(), err error) {
	var open []*engine.Network
	closeAll = func() {
		for _, n := range open {
			n.Close()
		}
	}
	var paths []string
	for _, path := range o.people {
		if info, err := os.Stat(path); err == nil && info.IsDir() && !run.IsRun(path) {
			found, _ := filepath.Glob(filepath.Join(path, "*.pb.gz")) // the pattern is well-formed
			if len(found) == 0 {
				return closeAll, fault.Usage(fmt.Errorf("--people: no networks (*.pb.gz) in %q", path),
					"docs/24-leela.md says where Maia's are")
			}
			paths = append(paths, found...)
			continue
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		n, err := engine.Open(engine.Config{Path: path, Bulk: true})
		if err != nil {
			closeAll()
			return func() {}, err
		}
		open = append(open, n)
		person := review.Person{Evaluator: n.Evaluator()}
		if !person.Evaluator.Capabilities().Prior {
			closeAll()
			return func() {}, fault.Usage(fmt.Errorf("--people: %q says nothing about moves", path),
				"use a network with a policy")
		}
		if found := inName.FindStringSubmatch(filepath.Base(path)); found != nil {
			person.Rating, _ = strconv.Atoi(found[1])
		}
		o.People = append(o.People, person)
	}
	return closeAll, nil
}
