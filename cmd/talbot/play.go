package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"talbot/board"
	"talbot/network/builtin"
	"talbot/play/console"
	"talbot/play/engine"
)

type playOptions struct {
	playerOptions
	color, fen  string
	nodes       int64
	movetime    time.Duration
	elo         int
	temperature float64
	unicode     bool
	pgn         string
}

func newPlay() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play [RUN]",
		Short: "Play against a network in the terminal",
		Long: `Play lets you play against the network that comes with talbot or, with RUN, against one
that you trained. Type moves in SAN (e4, Nf3, O-O, e8=Q) or UCI notation (e2e4, e7e8q).
"help" lists the commands: take moves back, let the network move for you, start again,
resign, save the game. With --pgn each game is added to a file when you leave it, whether
it is over or not.

The network that comes with talbot, ` + "`net:`" + `, is rated ` + builtin.Strength + `.
` + "`talbot version`" + ` names it. It plays standard chess only, as all networks do.

The network thinks for a second, or as long as --nodes or --movetime says. With
--searcher rollouts give it more, such as --movetime 1m.

A network of the recipe prior plays the move that people of the rating --elo play most
often; with --temperature 1 it draws moves as often as they play them. With --searcher
rollouts, --elo is the rating of both sides.`,
		Example: `  talbot play
  talbot play run1
  talbot play run1 --color black --nodes 100
  talbot play --pgn games.pgn
  talbot play prior --elo 1500 --temperature 1
  echo e4 | talbot play --nodes 1`,
		Args:              operands(0, 1, "at most one run"),
		ValidArgsFunction: completeOperands(1, networks),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.run = builtin.Name; len(args) > 0 {
				o.run = args[0]
			}
			return o.play(cmd.Context())
		},
	}
	o.add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.color, "color", "white", "your colour: white, black or random")
	f.StringVar(&o.fen, "fen", "", "position to start from (default: the usual one)")
	f.Int64Var(&o.nodes, "nodes", 0, "nodes for each move")
	f.DurationVar(&o.movetime, "movetime", 0, "time for each move (default: 1s, or no limit with --nodes)")
	f.IntVar(&o.elo, "elo", 0,
		"rating of the players to imitate, for networks that read ratings and for rollouts (default: unknown)")
	f.Float64Var(&o.temperature, "temperature", 0,
		"temperature for drawing the move by its visits, or by its prior (default: the best one)")
	f.BoolVar(&o.unicode, "unicode", false, "draw the pieces as figurines, not letters")
	f.StringVar(&o.pgn, "pgn", "", "add each game, over or not, to this `FILE` as PGN")
	values(cmd, "color", "white", "black", "random")
	return cmd
}

// session reads the flags.
func (o *playOptions) session() (*engine.Session, error) {
	g := &engine.Session{Start: board.StartPosition(), Nodes: o.nodes, MoveTime: o.movetime}
	switch o.color {
	case "white":
	case "black":
		g.Human = board.Black
	case "random":
		g.Human = board.Color(rand.IntN(2))
	default:
		return nil, usage(fmt.Errorf("unknown --color %q", o.color), "use white, black or random")
	}
	if o.nodes < 0 || o.movetime < 0 {
		return nil, usage(errors.New("--nodes and --movetime must not be negative"), "for example --nodes 100")
	}
	if o.elo < 0 || o.elo > 4000 {
		return nil, usage(fmt.Errorf("--elo %d is not within 0 to 4000", o.elo), "for example --elo 1500")
	}
	if !(o.temperature >= 0 && o.temperature <= 100) {
		return nil, usage(fmt.Errorf("--temperature %g is not within 0 to 100", o.temperature),
			"for example --temperature 1")
	}
	if o.nodes == 0 && o.movetime == 0 {
		g.MoveTime = time.Second
	}
	if o.fen != "" {
		var err error
		if g.Start, err = board.ParseFEN(o.fen); err != nil {
			return nil, usage(fmt.Errorf("--fen: %w", err), "")
		}
	}
	return g, nil
}

func (o *playOptions) play(ctx context.Context) error {
	g, err := o.session()
	if err != nil {
		return err
	}
	if o.pgn != "" {
		var err error
		if o.pgn, err = (outputFile{flag: "--pgn", path: o.pgn, own: true}).check(); err != nil {
			return err
		}
		if err := engine.CheckPGN(o.pgn); err != nil {
			return usage(fmt.Errorf("--pgn: %w", err), "choose another file; games are added to its end")
		}
	}
	quick, err := o.check()
	if err != nil {
		return err
	}
	if o.elo > 0 && !quick.Ratings && !o.byEngine() {
		return usage(fmt.Errorf("--elo: %q does not read ratings", o.run),
			"leave it out, or use a network of the recipe prior")
	}
	if note := o.oneSided(quick.Config); note != "" {
		tell("%s\n", note)
	}
	if o.run == builtin.Name {
		tell("the network that comes with talbot: %s\n", builtin.Strength)
	}
	g.Player = o.player()
	defer g.Player.Close()
	setup := engine.Setup{Searcher: o.searcher, Options: quick.Options}
	setup.Seed, setup.Temperature, setup.Ratings = rand.Uint64(), o.temperature, [2]int{o.elo, o.elo}
	if err := g.Player.Prepare(ctx, setup); err != nil {
		return err
	}
	ctx, stop := interruption{words: func() error { return errGameLeft }}.watch(ctx)
	defer stop()
	t := console.Terminal{Session: g, Unicode: o.unicode, SaveTo: o.pgn, Prompt: term.IsTerminal(int(os.Stdin.Fd()))}
	switch err = t.Run(ctx, os.Stdin, prompting{stdout}); {
	case errors.Is(err, context.Canceled) && (o.pgn != "" || len(g.Moves()) == 0):
		return hintError{error: errInterrupted, status: exitInterrupted}
	case errors.Is(err, context.Canceled):
		return errGameLeft
	}
	return err
}

// errGameLeft is how a game ends that was interrupted and is not kept.
var errGameLeft = hintError{error: errInterrupted, hint: "`talbot play --pgn FILE` keeps the games that you leave",
	status: exitInterrupted}
