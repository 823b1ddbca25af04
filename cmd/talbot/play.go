package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"talbot/board"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/network/builtin"
	"talbot/play/console"
	"talbot/play/engine"
)

type playOptions struct {
	playerOptions
	color       string
	start       board.Position
	nodes       int64
	movetime    time.Duration
	elo         int
	temperature float64
	unicode     bool
	pgn         string
	book        string
	bookBest    bool
	openings    string
	plies       int
	seed        uint64
}

func newPlay() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play [NETWORK]",
		Short: "Play against a network in the terminal",
		Long: `Play lets you play against the network that comes with talbot or, with NETWORK,
against another: a run, or a file such as one of Maia's. Type moves in SAN (e4, Nf3, O-O, e8=Q) or UCI notation
(e2e4, e7e8q); "help" lists the other commands. --pgn appends each game to a file when you
leave it.

The network that comes with talbot, ` + "`net:`" + `, is rated ` + builtin.Strength + `.
It thinks for a second, or for --nodes or --movetime.
With --book it plays from an opening book while the position is in it, and with --openings
games start from openings.

With --elo it plays the move that people of this rating play most often, without a search;
with --temperature 1 it plays moves as often as they do. NETWORK is one of the recipe prior
then, or one of Maia's or a folder of these, of which the nearest plays: the rating stands
in the name (maia-1500.pb.gz). With --searcher rollouts, --elo is the rating of both sides.
See docs/12-play.md.`,
		Example: `  talbot play
  talbot play run1
  talbot play run1 --color black --nodes 100
  talbot play --pgn games.pgn
  talbot play --openings B90 --nodes 100
  talbot play prior --elo 1500 --temperature 1
  talbot play maia --elo 1400
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
	f := flags.Of(cmd)
	f.Section("Network")
	o.add(f)
	f.Section("Game")
	o.color, o.start = "white", board.StartPosition()
	flags.Choice(f, &o.color, "color", "your colour: white, black or random", "white", "black", "random")
	flags.Parse(f, &o.start, "fen", "", "", board.ParseFEN, "position to start from (default: the standard one)")
	flags.AtLeast(f, &o.nodes, "nodes", 0, "nodes for each move")
	flags.AtLeast(f, &o.movetime, "movetime", 0, "time for each move (default: 1s, or no limit with --nodes)")
	flags.Within(f, &o.elo, "elo", 0, 4000,
		"rating of the players to imitate, by networks of people and for rollouts (default: unknown)")
	flags.Within(f, &o.temperature, "temperature", 0, 100,
		"temperature for drawing moves by visits or prior (default: play the best one)")
	addSeed(f, &o.seed, "seed of all random choices (default: another one each time)")
	f.Bool(&o.unicode, "unicode", "draw the pieces as figurines, not letters")
	f.String(&o.pgn, "pgn", "append each game, finished or not, to this `FILE` as PGN")
	f.Section("Openings")
	addBook(f, &o.book)
	f.Bool(&o.bookBest, "book-best", "play the book's move with the greatest weight, not one drawn by weight")
	f.Needs([]string{"book-best"}, "book")
	f.String(&o.openings, "openings", "start from openings of this `FILE`, PGN or EPD, or of an ECO code such as B90")
	flags.AtLeast(f, &o.plies, "openings-plies", 1, "plies to play of each game in the file (default: all)")
	f.Needs([]string{"openings-plies"}, "openings")
	f.Excludes("openings", "fen")
	return cmd
}

// session returns the game that the flags ask for.
func (o *playOptions) session() *engine.Session {
	g := &engine.Session{Start: o.start, Nodes: o.nodes, MoveTime: o.movetime}
	switch o.color {
	case "black":
		g.Human = board.Black
	case "random":
		g.Human = board.Color(rand.IntN(2))
	}
	if o.nodes == 0 && o.movetime == 0 {
		g.MoveTime = time.Second
	}
	return g
}

func (o *playOptions) play(ctx context.Context) error {
	g := o.session()
	if o.pgn != "" {
		var err error
		if o.pgn, err = (outputFile{flag: "--pgn", path: o.pgn, own: true}).check(); err != nil {
			return err
		}
		if err := engine.CheckPGN(o.pgn); err != nil {
			return fault.Usage(fmt.Errorf("--pgn: %w", err), "choose another file; games are added to its end")
		}
	}
	if o.seed == 0 {
		o.seed = rand.Uint64()
	}
	if err := o.open(g); err != nil {
		return err
	}
	people, err := o.chooseRated()
	if err != nil {
		return err
	}
	quick, err := o.look()
	if err != nil {
		return err
	}
	switch {
	case o.elo == 0 || quick.Ratings || o.byEngine():
	case people.Rating == 0:
		return fault.Usage(fmt.Errorf("--elo: %q neither reads ratings nor has one in its name", o.run),
			"leave it out, or use a network of the recipe prior or one of Maia's, or a folder of these")
	default:
		cli.Note("plays like people rated %d: %q\n", people.Rating, filepath.Base(o.run))
		if o.searcher == engine.AutoSearcher { // a search plays better than they do
			o.searcher = "policy"
		}
	}
	if note := o.oneSided(quick.Config); note != "" {
		cli.Note("%s\n", note)
	}
	if o.run == builtin.Name {
		cli.Note("the network that comes with talbot: %s\n", builtin.Strength)
	}
	g.Player = o.player()
	defer g.Player.Close()
	setup := engine.Setup{Searcher: o.searcher, Options: quick.Options}
	setup.Seed, setup.Temperature, setup.Ratings = o.seed, o.temperature, [2]int{o.elo, o.elo}
	if err := g.Player.Prepare(ctx, setup); err != nil {
		return err
	}
	if len(g.Openings) > 0 {
		g.Restart()
	}
	ctx, stop := cli.Interruption{End: func() error { return errGameLeft }}.Watch(ctx)
	defer stop()
	t := console.Terminal{Session: g, Unicode: o.unicode, SaveTo: o.pgn, Prompt: term.IsTerminal(int(os.Stdin.Fd()))}
	if cli.Stdout.HasColours() {
		t.Colours = cli.Stdout.Exact()
	}
	switch err = t.Run(ctx, os.Stdin, cli.Stdout); {
	case errors.Is(err, context.Canceled) && (o.pgn != "" || len(g.Moves()) == 0):
		return cli.ErrInterrupted
	case errors.Is(err, context.Canceled):
		return errGameLeft
	}
	return err
}

// chooseRated takes the network of the rating nearest to --elo, where there are several.
func (o *playOptions) chooseRated() (engine.People, error) {
	if o.elo == 0 {
		return engine.People{}, nil
	}
	list, err := engine.FindPeople(o.run)
	if err != nil {
		return engine.People{}, err
	}
	nearest := engine.Nearest(list, o.elo, func(p engine.People) int { return p.Rating })
	o.run = nearest.Path
	return nearest, nil
}

// open reads what games begin with.
func (o *playOptions) open(g *engine.Session) (err error) {
	g.Seed, g.BestBookMove = o.seed, o.bookBest
	if g.Book, err = openBook(o.book); err != nil || o.openings == "" {
		return err
	}
	all, err := readOpenings(o.openings, o.plies)
	if err == nil {
		all.Shuffle(o.seed)
		g.Openings = all.List
	}
	return err
}

// errGameLeft is how a game ends that was interrupted and is not kept.
var errGameLeft = fault.Hint(cli.ErrInterrupted, "`talbot play --pgn FILE` keeps the games that you leave")
