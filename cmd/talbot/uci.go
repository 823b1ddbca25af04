package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/encode"
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

func (o *playerOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.searcher, "searcher", engine.AutoSearcher,
		"search to play with: "+strings.Join(mcts.Names(), ", ")+", or auto for what fits the network")
	f.StringVar(&o.backend, "backend", "auto", answeringFlag)
	f.StringVar(&o.engine, "engine", "", "engine that values moves for the searcher rollouts (default: stockfish)")
	f.StringVar(&o.probability, "probability", "",
		"run of the recipe probability that weighs moves for the searcher rollouts")
	values(cmd, "searcher", searchers...)
	values(cmd, "backend", answering...)
	completeFolders(cmd, "probability", run.IsRun)
}

// addRun adds the flag --run of commands that take the network so.
func (o *playerOptions) addRun(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.run, "run", builtin.Name,
		"folder of the run, a checkpoint, an exported network, or net:, which comes with talbot")
	complete(cmd, "run", networks)
}

// check looks at the flags and at what the network says of itself.
func (o *playerOptions) check() (engine.Quick, error) {
	if o.run == "" {
		return engine.Quick{}, usage(missingFlag("run", ""), "leave --run out for the network that comes with talbot")
	}
	if !slices.Contains(searchers, o.searcher) {
		return engine.Quick{}, usage(fmt.Errorf("unknown --searcher %q", o.searcher),
			"use "+strings.Join(searchers, ", "))
	}
	if err := checkBackend(o.backend, answering); err != nil {
		return engine.Quick{}, err
	}
	if o.run == builtin.Name && o.backend == "auto" { // a first game does not wait for a compiler
		o.backend = backend.AtOnce
	}
	return engine.Look(o.run)
}

// oneSided says what the values of a network mean that learnt results of the moves of one side only, "" for others.
func (o *playerOptions) oneSided(c run.Config) string {
	id, err := loader.ReadIdentity(o.run)
	if err != nil || id.OneSide == "" || !id.Results && c.ValueFormula != encode.ResultFormula {
		return ""
	}
	return plain.Sprintf("the network learnt from the moves of %s alone: its values say how the games of that side "+
		"ended, so it may give both colours an advantage", id.OneSide)
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
	cmd := &cobra.Command{
		Use:   "uci",
		Short: "Play as a UCI engine in a GUI or on a server",
		Long: `UCI runs a network as a chess engine: the one that comes with talbot or, with --run, one
that you trained. GUIs, match runners and bots start it and talk to it through the
Universal Chess Interface, on standard input and output. Give them the path of talbot as
the program and "uci" as its argument, or "uci --run RUN".

The network that comes with talbot, ` + "`net:`" + `, is rated ` + builtin.Strength + `.
` + "`talbot version`" + ` names it. All networks play standard chess only, not Chess960.

The network is loaded when the GUI asks whether the engine is ready. All settings of
the search are options of the engine: the GUI shows them, and docs/12-play.md explains
them.

--searcher puct is the search that networks with priors and values play best with.
talbotbot and napoleon search as the programs of that name do. policy plays the move
that the network finds most probable, and value the one that leads to the best position.
rollouts plays like players of a given rating (the option UCI_Elo), with a network of the
recipe prior and Stockfish. auto takes puct, policy for a network without a value, or
napoleon for one without a policy.`,
		Example: `  talbot uci
  talbot uci --run run1
  talbot uci --run run1 --searcher policy --backend go
  echo go nodes 100 | talbot uci`,
		SuggestFor: []string{"engine", "xboard", "winboard"},
		Args:       noArgs,
		RunE:       func(*cobra.Command, []string) error { return o.runUCI() },
	}
	o.addRun(cmd)
	o.add(cmd)
	return cmd
}

// byEngine reports whether the searcher asked for takes its values from an engine.
func (o *playerOptions) byEngine() bool {
	m, err := mcts.MethodOf(o.searcher)
	return err == nil && m.Engine
}

func (o *playerOptions) runUCI() error {
	quick, err := o.check()
	if err != nil {
		return err
	}
	name := "talbot " + thisBuild().Version
	if quick.Name != "" {
		name += ", " + quick.Name
	}
	e := uci.Engine{Name: name, Author: "the talbot authors", Searcher: o.searcher,
		Ratings: quick.Ratings || o.byEngine(), Search: &quick.Options, Player: o.player(),
		Tables: openTables}
	e.Note = o.oneSided(quick.Config)
	return e.Run(os.Stdin, stdout.exact())
}
