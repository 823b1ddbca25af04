package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"talbot/encode"
	"talbot/formats/polyglot"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/plain"
	"talbot/network/backend"
	"talbot/network/builtin"
	"talbot/network/run"
	"talbot/play/engine"
	"talbot/play/mcts"
	"talbot/play/uci"
	"talbot/train/loader"
)

// playerOptions are the flags that choose a network and how it plays.
type playerOptions struct{ run, searcher, backend, engine, probability string }

// searchers are the values of --searcher.
var searchers = append([]string{engine.AutoSearcher}, mcts.Names()...)

func (o *playerOptions) add(f *flags.Set) {
	o.searcher = engine.AutoSearcher
	flags.Choice(f, &o.searcher, "searcher",
		"search to play with: "+strings.Join(mcts.Names(), ", ")+", or auto for what fits the network", searchers...)
	addBackend(f, &o.backend, answering)
	f.String(&o.engine, "engine", "engine that values moves for the searcher rollouts (default: stockfish)")
	f.String(&o.probability, "probability",
		"run of the recipe probability that weighs moves for the searcher rollouts")
	completeFolders(f.Command(), "probability", run.IsRun)
}

// addNetwork adds --run of commands that take the network so.
func addNetwork(f *flags.Set, to *string) {
	*to = builtin.Name
	flags.Parse(f, to, "run", *to, "run1", func(path string) (string, error) {
		if path == "" {
			return "", errors.New("it is empty: leave it out for the network that comes with talbot")
		}
		return path, nil
	}, "folder of the run, a checkpoint, an exported network, or net:, which comes with talbot")
	complete(f.Command(), "run", networks)
}

// look returns what the network's files tell of it.
func (o *playerOptions) look() (engine.Description, error) {
	if o.run == builtin.Name && o.backend == "auto" { // a first game does not wait for a compiler
		o.backend = backend.AtOnce
	}
	return engine.Describe(o.run)
}

// oneSided explains the values of a network that learnt results of the moves of one side only; "" for others.
func (o *playerOptions) oneSided(c run.Config) string {
	id, err := loader.ReadIdentity(o.run)
	if err != nil || id.OneSide == "" || !id.Results && c.ValueFormula != encode.ResultFormula {
		return ""
	}
	return plain.Sprintf("the network learnt from the moves of %s alone: its values are results of that side "+
		"alone, so it may give both colours an advantage", id.OneSide)
}

// player returns a player that opens the network when it is first needed.
func (o *playerOptions) player() *engine.Player {
	return engine.NewPlayer(func(batch int) (engine.PlayerNetwork, error) {
		return engine.Open(engine.Config{Path: o.run, Backend: o.backend, Batch: batch, Fast: true, Engine: o.engine,
			Probability: o.probability})
	})
}

func newUCI() *cobra.Command {
	var o playerOptions
	var book string
	cmd := &cobra.Command{
		Use:   "uci",
		Short: "Play as a UCI engine in a GUI or on a server",
		Long: `UCI runs a network as a chess engine: the one that comes with talbot or, with
--run, one that you trained. In a GUI, match runner or bot, enter the path of talbot as
the program and "uci" or "uci --run RUN" as its arguments.

The network that comes with talbot, ` + "`net:`" + `, is rated ` + builtin.Strength + `.
Networks play only standard chess, not Chess960.

All search settings are UCI options: the GUI shows them, and docs/12-play.md explains them
and the searchers. --searcher auto takes puct, policy for a network without a value, or
napoleon for one without a policy.`,
		Example: `  talbot uci
  talbot uci --run run1
  talbot uci --run run1 --searcher policy --backend go
  echo go nodes 100 | talbot uci`,
		SuggestFor: []string{"engine", "xboard", "winboard"},
		Args:       noArgs,
		RunE:       func(*cobra.Command, []string) error { return o.serve(book) },
	}
	f := flags.Of(cmd)
	addNetwork(f, &o.run)
	o.add(f)
	addBook(f, &book)
	return cmd
}

// byEngine reports whether the searcher asked for takes its values from an engine.
func (o *playerOptions) byEngine() bool {
	m, err := mcts.MethodOf(o.searcher)
	return err == nil && m.Engine
}

// addBook adds --book.
func addBook(f *flags.Set, to *string) {
	f.String(to, "book", "play the moves of this opening book, a `FILE` of the format Polyglot, while it has any")
}

// openBook opens the book that --book names, nil for none.
func openBook(path string) (*polyglot.Book, error) {
	if path == "" {
		return nil, nil
	}
	b, err := polyglot.Open(path)
	if err != nil {
		return nil, fault.Hint(fmt.Errorf("--book: %w", err),
			"`talbot export-data --format polyglot` makes a book of games, see docs/12-play.md")
	}
	return b, nil
}

func (o *playerOptions) serve(book string) error {
	asked := *o
	quick, n, err := o.network()
	if err != nil {
		return err
	}
	name := "talbot " + thisBuild().Version
	if quick.Name != "" {
		name += ", " + quick.Name
	}
	opened, err := openBook(book)
	if err != nil {
		return err
	}
	e := uci.Engine{Name: name, Author: "the talbot authors", Searcher: o.searcher, Network: n, Tables: openTables,
		Book: opened,
		Load: func(path string) (uci.Network, error) {
			other := asked
			if path != "" {
				other.run = path
			}
			_, n, err := other.network()
			return n, err
		}}
	return e.Run(os.Stdin, cli.Stdout.Exact())
}

// network is the network as a UCI engine plays it.
func (o *playerOptions) network() (quick engine.Description, n uci.Network, err error) {
	if quick, err = o.look(); err != nil {
		return quick, n, err
	}
	return quick, uci.Network{Ratings: quick.Ratings || o.byEngine(), Search: &quick.Options, Player: o.player(),
		Note: o.oneSided(quick.Config)}, nil
}
