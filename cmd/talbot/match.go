package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"talbot/pipeline"
	"talbot/play/match"
	"talbot/play/match/stats"
	"talbot/stockfish"
)

type matchOptions struct {
	out         string
	json        bool
	resume      bool
	logEngines  bool
	gauntlet    bool
	games       int
	concurrency int
	seed        uint64

	nodes    int64
	depth    int
	movetime time.Duration
	tc       string
	margin   time.Duration
	patience time.Duration

	openings string
	plies    int
	order    string

	syzygy     string
	maxMoves   int
	resign     string
	draw       string
	judge      string
	judgeEvery int
	judgeScore int

	sprt        string
	model       string
	alpha, beta float64
}

func newMatch() *cobra.Command {
	var o matchOptions
	cmd := &cobra.Command{
		Use:   "match PLAYER PLAYER... --out DIR",
		Short: "Play a match and estimate the difference in strength",
		Long: `Match plays games between two players, or with --gauntlet between the first player and
each of the others, and reports the difference in Elo with its 95 % interval. Games are
played in pairs: each opening once with each color, and never again in the same match.

A player is one of

  cmd:PATH   a UCI engine
  run:RUN    a trained network
  random:    a player that draws from the legal moves with equal chances

followed by settings, separated by commas: name=NAME, nodes=N, depth=N, movetime=50ms,
tc=60+0.6 (seconds and increment; 40/60 for 40 moves), rating=R and error=E (a known
rating and half of its 95 % interval, for a gauntlet). An engine also takes
option.NAME=VALUE and arg=ARGUMENT, both repeatedly, and dir=FOLDER. A player without a
limit of its own gets that of --nodes, --depth, --movetime or --tc.

A crash, an illegal move, silence or exceeded time loses the game. It is counted, and
DIR/logs has the last messages of the engine. Games that repeat an earlier one move by
move are counted but left out of the figures.

--sprt LOW,HIGH stops the match as soon as the results fit one of the two differences
in Elo clearly better than the other.

Adjudication is off by default. --syzygy ends games that endgame tables decide,
--maxmoves long ones as draws, and --judge those that a third engine finds decided.
--resign and --draw use the scores of the players themselves; both must agree.

DIR gets games.pgn with evaluations that ` + "`talbot ingest --import-evals`" + ` reads, and
result.json. Interrupt a match at any time: games that have ended are kept, and
--resume continues it. The first Ctrl-C finishes the games in progress, the second
aborts them.`,
		Example: `  talbot match cmd:stockfish,depth=3 cmd:stockfish,depth=2 --games 20 --out m1
  talbot match cmd:stockfish,depth=1 random: --games 100 --out m2 --json
  talbot match cmd:./new cmd:./old --tc 10+0.1 --games 400 --out m3
  talbot match cmd:./new cmd:./old --nodes 5000 --sprt 0,5 --games 9000 --out m4
  talbot match cmd:./new cmd:a,rating=1900 random: --gauntlet --depth 4 --out m5`,
		SuggestFor: []string{"tournament", "play", "arena"},
		Args:       operands(2, many, "two players"),
		RunE:       func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "folder for the match (required)")
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	f.BoolVar(&o.resume, "resume", false, "continue the match in the folder, if it has one")
	f.BoolVar(&o.logEngines, "log-engines", false, "log everything that engines say")
	f.BoolVar(&o.gauntlet, "gauntlet", false, "play the first player against each of the others")
	f.IntVar(&o.games, "games", 100, "games to play against each opponent")
	f.IntVar(&o.concurrency, "concurrency", 0, "games to play at the same time (default: one for each physical core)")
	f.Uint64Var(&o.seed, "seed", 1, "seed for the order of openings and for random choices of players")
	f.Int64Var(&o.nodes, "nodes", 0, "nodes for each move")
	f.IntVar(&o.depth, "depth", 0, "depth for each move")
	f.DurationVar(&o.movetime, "movetime", 0, "time for each move")
	f.StringVar(&o.tc, "tc", "", "clock for each game: seconds and increment, such as 60+0.6")
	f.DurationVar(&o.margin, "timemargin", 20*time.Millisecond, "time by which a player may exceed its limit")
	f.DurationVar(&o.patience, "patience", match.DefaultPatience, "longest wait for a move where no time is set")
	f.StringVar(&o.openings, "openings", "", "file of openings, PGN or EPD (default: talbot's own)")
	f.IntVar(&o.plies, "openings-plies", 0, "plies to play of each game in the file (default: all)")
	f.StringVar(&o.order, "openings-order", "random", "order of openings: random or sequential")
	f.StringVar(&o.syzygy, "syzygy", "", "adjudicate by the Syzygy tables in these folders, separated as in PATH")
	f.IntVar(&o.maxMoves, "maxmoves", 0, "adjudicate games of this many moves as draws")
	f.StringVar(&o.resign, "resign", "",
		"adjudicate a win by a `RULE` such as 5,600: five moves of each side with scores of at least 600")
	f.StringVar(&o.draw, "draw", "",
		"adjudicate a draw by a `RULE` such as 40,8,10: from move 40, eight moves of each side with scores within 10")
	f.StringVar(&o.judge, "judge", "", "adjudicate by the scores of a third `PLAYER`")
	f.IntVar(&o.judgeEvery, "judge-every", 10, "moves after which the judge is asked again")
	f.IntVar(&o.judgeScore, "judge-score", 1000, "centipawns at which the judge sees a win, twice in a row")
	f.StringVar(&o.sprt, "sprt", "",
		"stop when a sequential test has decided between two `BOUNDS` in Elo, such as 0,10")
	f.StringVar(&o.model, "sprt-model", "normalized", "kind of Elo that the bounds are in: normalized or logistic")
	f.Float64Var(&o.alpha, "alpha", 0.05, "chance to accept the higher bound if the lower one is true")
	f.Float64Var(&o.beta, "beta", 0.05, "chance to accept the lower bound if the higher one is true")
	section(f, "Output", "out", "json", "resume", "log-engines")
	section(f, "Match", "games", "gauntlet", "concurrency", "seed")
	section(f, "Limit of players that have none", "nodes", "depth", "movetime", "tc", "timemargin", "patience")
	section(f, "Openings", "openings", "openings-plies", "openings-order")
	section(f, "Adjudication", "syzygy", "maxmoves", "resign", "draw", "judge", "judge-every", "judge-score")
	section(f, "Sequential test", "sprt", "sprt-model", "alpha", "beta")
	values(cmd, "openings-order", "random", "sequential")
	values(cmd, "sprt-model", "normalized", "logistic")
	completeFolder(cmd, "out", "syzygy")
	return cmd
}

// run checks the flags, makes the players and plays.
func (o *matchOptions) run(cmd *cobra.Command, args []string) error {
	if o.out == "" {
		return usage(missingFlag("out", ""), "give the folder to create, for example --out match1")
	}
	if !cmd.Flags().Changed("concurrency") {
		o.concurrency = stockfish.DefaultWorkers()
	}
	specs, limits, err := o.players(args)
	if err != nil {
		return err
	}
	m := match.Match{Games: o.games, Gauntlet: o.gauntlet, Seed: o.seed, Margin: o.margin, Patience: o.patience,
		Concurrency: o.concurrency, Out: o.out, Resume: o.resume, LogEngines: o.logEngines, Event: "talbot match"}
	if err := o.rules(&m); err != nil {
		return err
	}
	if m.SPRT, err = o.test(); err != nil {
		return err
	}
	if m.Openings, err = o.readOpenings(); err != nil {
		return err
	}
	hard, abort := context.WithCancel(cmd.Context())
	defer abort()
	drain, stop := interruptsSaying(hard, "finishing the games in progress", abort)
	defer stop()
	for _, s := range specs {
		e, err := match.Enter(drain, s, limits, networkPlayer)
		if err != nil {
			return resumable(err)
		}
		m.Entrants = append(m.Entrants, e)
	}
	if err := o.addJudge(drain, &m); err != nil {
		return resumable(err)
	}
	if err := m.Check(); err != nil {
		return usage(err, checkHint(err))
	}
	o.announce(&m)
	show, end := liveMatch()
	shown := 0
	m.Progress = show
	m.Warn = func(err error) {
		if shown++; shown <= shownRejects {
			warn(err)
		}
	}
	result, err := m.Run(drain, hard)
	end()
	if err != nil {
		return o.again(err)
	}
	if o.json {
		return printJSON(result)
	}
	printMatch(&result)
	return nil
}

// networkPlayer makes a player of a trained network.
var networkPlayer func(match.Spec) (match.Entrant, error)

// players reads the players and the limits for those that have none.
func (o *matchOptions) players(args []string) (specs []match.Spec, limits match.Limits, err error) {
	const example = "for example cmd:stockfish,nodes=1000 or random:"
	for _, text := range args {
		s, err := match.ParsePlayer(text)
		if err != nil {
			return nil, limits, usage(err, example)
		}
		specs = append(specs, s)
	}
	limits = match.Limits{Nodes: o.nodes, Depth: o.depth, MoveTime: o.movetime}
	if o.tc != "" {
		if limits.Control, err = match.ParseTimeControl(o.tc); err != nil {
			return nil, limits, usage(err, "for example --tc 60+0.6")
		}
	}
	if limits != (match.Limits{}) {
		if err := limits.Check(); err != nil {
			return nil, limits, usage(err, "for example --nodes 1000, --depth 5, --movetime 100ms or --tc 60+0.6")
		}
	}
	for _, s := range specs {
		if l := s.Limits.Or(limits); l == (match.Limits{}) && s.Kind != "random" {
			return nil, limits, usage(fmt.Errorf("player %q: %w", s.Text, l.Check()),
				"use --nodes 1000, --depth 5, --movetime 100ms or --tc 60+0.6, or add ,nodes=1000 to the player")
		}
	}
	return specs, limits, nil
}

// rules reads the rules of adjudication but the judge.
func (o *matchOptions) rules(m *match.Match) (err error) {
	m.Rules = match.Rules{MaxMoves: o.maxMoves, Tables: o.syzygy}
	if o.resign != "" {
		if m.Rules.Resign, err = match.ParseResignRule(o.resign); err != nil {
			return usage(err, "for example --resign 5,600: five moves of each side at 600 centipawns or more")
		}
	}
	if o.draw != "" {
		if m.Rules.Draw, err = match.ParseDrawRule(o.draw); err != nil {
			return usage(err, "for example --draw 40,8,10: from move 40, eight moves of each side within 10 centipawns")
		}
	}
	if o.order != "random" && o.order != "sequential" {
		return usage(fmt.Errorf("unknown --openings-order %q", o.order), "use random or sequential")
	}
	if o.plies < 0 || o.plies > 0 && o.openings == "" {
		return usage(errors.New("--openings-plies is a positive number and needs --openings"),
			"for example --openings book.pgn --openings-plies 8")
	}
	if err := m.Rules.Check(); err != nil {
		return usage(err, "")
	}
	return nil
}

// test reads the sequential test; nil: there is none.
func (o *matchOptions) test() (*stats.SPRT, error) {
	if o.sprt == "" {
		return nil, nil
	}
	low, high, ok := strings.Cut(o.sprt, ",")
	t := stats.SPRT{Alpha: o.alpha, Beta: o.beta}
	var err, errLow, errHigh error
	t.Low, errLow = strconv.ParseFloat(low, 64)
	t.High, errHigh = strconv.ParseFloat(high, 64)
	if !ok || errLow != nil || errHigh != nil {
		return nil, usage(fmt.Errorf("--sprt %q is not two numbers", o.sprt), "for example --sprt 0,10")
	}
	if t.Model, err = stats.ParseModel(o.model); err == nil {
		err = t.Check()
	}
	if err != nil {
		return nil, usage(err, "for example --sprt 0,10 --sprt-model logistic")
	}
	return &t, nil
}

// readOpenings returns the openings in the order in which they are played.
func (o *matchOptions) readOpenings() (*match.Openings, error) {
	if o.openings == "" {
		all, err := match.Book()
		if err == nil && o.order == "random" {
			all.Shuffle(o.seed)
		}
		return all, err
	}
	all, err := match.ReadOpenings(o.openings, o.plies)
	if err != nil {
		return nil, err
	}
	if n := all.Copies + all.Ended + all.Unreadable; n > 0 {
		sayKind("warning", "%s of %q left out: %d lead to the same position as others, %d are over, %d cannot be read",
			pipeline.Count(int64(n), "opening"), o.openings, all.Copies, all.Ended, all.Unreadable)
	}
	if o.order == "random" {
		all.Shuffle(o.seed)
	}
	return all, nil
}

// addJudge adds what needs engines of its own to the rules.
func (o *matchOptions) addJudge(ctx context.Context, m *match.Match) (err error) {
	if o.syzygy != "" {
		if m.Rules.TablesEngine, err = stockfish.Find(""); err != nil {
			return err
		}
	}
	if o.judge == "" {
		return nil
	}
	s, err := match.ParsePlayer(o.judge)
	if err == nil && s.Kind == "random" {
		err = errors.New("a judge must say how good a position is")
	}
	if err == nil {
		err = s.Limits.Check()
	}
	if err != nil {
		return usage(fmt.Errorf("--judge: %w", err), "for example --judge cmd:stockfish,nodes=20000")
	}
	e, err := match.Enter(ctx, s, match.Limits{}, networkPlayer)
	m.Rules.Judge = &match.Judge{Entrant: e, Every: o.judgeEvery, Score: o.judgeScore}
	return err
}

func checkHint(err error) string {
	if errors.Is(err, match.ErrTooFewOpenings) {
		return "play fewer --games, or use --openings with a larger file"
	}
	return "see `talbot match --help`"
}

// announce says what is going to be played, and warns of what spoils it.
func (o *matchOptions) announce(m *match.Match) {
	for _, e := range m.Entrants {
		detail("player %s: %s, limit %s", e.Name, e.Identity, e.Limits)
		if cores := stockfish.DefaultWorkers(); e.Limits.Timed() && o.concurrency > cores {
			sayKind("warning", "%s at the same time on %s: players will lack time",
				pipeline.Count(int64(o.concurrency), "game"), pipeline.Count(int64(cores), "core"))
			break
		}
	}
	detail("openings: %s", pipeline.Count(int64(len(m.Openings.List)), "opening"))
}

// again is the error of a match that did not end, with the command line that goes on with it.
func (o *matchOptions) again(err error) error {
	if status, _ := classify(err); status != exitInterrupted {
		return err
	}
	command := again()
	if !o.resume {
		command += " --resume"
	}
	return hintError{error: errInterrupted, hint: "continue with `" + command + "`", status: exitInterrupted}
}
