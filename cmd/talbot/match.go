package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/humanize"
	"talbot/network/builtin"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/stockfish"
)

func newMatch() *cobra.Command { return new(matchOptions).command() }

func (o *matchOptions) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "match PLAYER PLAYER... --out DIR",
		Short: "Play a match and estimate the difference in strength",
		Long: `Match plays games between two players, or with --gauntlet between the first player and
each of the others, and reports the difference in Elo with its 95 % interval. Games are
played in pairs: each opening once with each colour, and never again in the same match.

A player is one of

  cmd:PATH   a UCI engine
  run:RUN    a trained network
  net:       the network that comes with talbot
  random:    a player of random legal moves

followed by settings, separated by commas: name=NAME, nodes=N, depth=N, movetime=50ms,
tc=60+0.6 (seconds and increment; 40/60 for 40 moves), rating=R and error=E (a known
rating and half of its 95 % interval, for a gauntlet). An engine also takes
option.NAME=VALUE and arg=ARGUMENT, both repeatedly, and dir=FOLDER. A network also takes
searcher=NAME, backend=NAME, batch=N, elo=R (the rating to imitate), for the searcher
rollouts engine=ENGINE and probability=RUN, and the parameters of its search
(docs/12-play.md).

The network that comes with talbot is rated ` + builtin.Strength + `.
` + "`talbot version`" + ` names it. A network of your own that is to play like people plays
by searcher=policy,temperature=1.

A player without a limit of its own gets that of --nodes, --depth, --movetime or --tc.
random: and networks with searcher=policy or searcher=value need none.

A player that crashes, makes an illegal move, does not answer or runs out of time loses
the game. The fault is counted, and DIR/logs has the last messages of the engine. A game
that repeats an earlier one with the same player as White is counted but left out of
the figures.

--sprt LOW,HIGH is a sequential probability ratio test: it stops the match as soon as
the results fit one of the two differences clearly better than the other. They are in
normalized Elo unless you give --sprt-model logistic. A gauntlet has no such test.

Adjudication is off by default. --syzygy ends games that endgame tables decide,
--maxmoves long ones as draws, and --judge those that a third engine finds decided.
--resign and --draw use the scores of the players themselves; both must agree.

DIR gets games.pgn with evaluations that ` + "`talbot ingest --import-evals`" + ` reads,
result.json, and report.html, a page to look at meanwhile. Interrupt a match at any
time: games that have ended are kept, and --resume continues it, unless a file that an
option or argument of an engine names has changed. After the first Ctrl-C the games in
progress have three seconds to end, the second aborts them; --resume plays them again. The
figures so far are printed.`,
		Example: `  talbot match cmd:stockfish,depth=3 cmd:stockfish,depth=2 --games 20 --out m1
  talbot match cmd:stockfish,depth=1 random: --games 100 --out m2 --json
  talbot match run:run1,nodes=400 run:run1,searcher=policy --games 40 --out m3
  talbot match net:,nodes=400 cmd:stockfish,depth=1 --games 100 --out m7
  talbot match cmd:./new cmd:./old --tc 10+0.1 --games 400 --out m4
  talbot match cmd:./new cmd:./old --nodes 5000 --sprt 0,5 --games 9000 --out m5
  talbot match cmd:./new cmd:a,rating=1900 random: --gauntlet --depth 4 --out m6`,
		SuggestFor: []string{"tournament", "play", "arena"},
		Args:       operands(2, many, "two players"),
		RunE:       func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.add(cmd)
	return cmd
}

// request turns the flags into a match; its players and its judge are missing.
func (o *matchOptions) request(flags *pflag.FlagSet, args []string) (m match.Match, specs []match.Spec,
	limits match.Limits, err error) {
	if o.out == "" {
		return m, nil, limits, usage(missingFlag("out", ""), "give the folder to create, for example --out match1")
	}
	if o.resume && o.asked() {
		return m, nil, limits, usage(errors.New("--resume cannot be used together with --skip-done or --replace"),
			"leave out --resume: both resume an interrupted match")
	}
	if !flags.Changed("concurrency") {
		o.concurrency = stockfish.DefaultWorkers()
	}
	m = match.Match{Games: o.games, Gauntlet: o.gauntlet, Seed: o.seed, Margin: o.margin, Patience: o.patience,
		Concurrency: o.concurrency, Out: o.out, Resume: o.resume, Existing: o.existing(), LogEngines: o.logEngines,
		Event: "talbot match"}
	if specs, limits, err = o.players(args); err != nil {
		return m, nil, limits, err
	}
	if err = o.rules(&m); err != nil {
		return m, nil, limits, err
	}
	if err = needs(flags, "sprt", "sprt-model", "alpha", "beta"); err != nil {
		return m, nil, limits, err
	}
	if err = needs(flags, "judge", "judge-every", "judge-score"); err != nil {
		return m, nil, limits, err
	}
	if m.SPRT, err = o.test(); err != nil {
		return m, nil, limits, err
	}
	m.Openings, err = o.readOpenings()
	return m, specs, limits, err
}

// run checks the flags, makes the players and plays.
func (o *matchOptions) run(cmd *cobra.Command, args []string) error {
	m, specs, limits, err := o.request(cmd.Flags(), args)
	if err != nil {
		return err
	}
	hard, abort := context.WithCancel(cmd.Context())
	defer abort()
	drain, stop := interruption{says: "finishing the games in progress",
		giveUp: func() bool { abort(); return true },
		lost:   "giving up the games in progress; --resume plays them again",
		words:  func() error { return o.resumeError(context.Canceled) }}.watch(hard)
	defer stop()
	var networks engine.Shared
	defer networks.Close()
	for _, s := range specs {
		e, err := match.Enter(drain, s, limits, networks.Entrant)
		if err != nil {
			return resumable(err)
		}
		m.Entrants = append(m.Entrants, e)
	}
	if err := o.addJudge(drain, &m, networks.Entrant); err != nil {
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
		if err = o.resumeError(err); !errors.Is(err, errInterrupted) || result.Games == 0 {
			return err
		}
	}
	if o.json {
		return errors.Join(err, printJSON(result))
	}
	printMatch(&result)
	return err
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
	all, err := readOpenings(o.openings, o.plies)
	if err == nil && o.order == "random" {
		all.Shuffle(o.seed)
	}
	return all, err
}

// readOpenings reads a file of openings, and says what of it is left out.
func readOpenings(path string, plies int) (*match.Openings, error) {
	all, err := match.ReadOpenings(path, plies)
	if err != nil {
		return nil, err
	}
	if why := all.LeftOut(); why != "" {
		sayKind("warning", "openings %q: left out: %s", path, why)
	}
	return all, nil
}

// addJudge adds what needs engines of its own to the rules.
func (o *matchOptions) addJudge(ctx context.Context, m *match.Match,
	network func(match.Spec) (match.Entrant, error)) (err error) {
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
		if err := checkSettings(s); err != nil {
			return err
		}
	}
	if err == nil && (s.Limits != (match.Limits{}) || engine.NeedsLimit(s)) {
		err = s.Limits.Check()
	}
	if err != nil {
		return usage(fmt.Errorf("--judge: %w", err), "for example --judge cmd:stockfish,nodes=20000")
	}
	e, err := match.Enter(ctx, s, match.Limits{}, network)
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
			sayKind("warning", "%s at the same time on %s: players will slow each other down",
				humanize.Count(int64(o.concurrency), "game"), humanize.Count(int64(cores), "core"))
			break
		}
	}
	detail("openings: %s", humanize.Count(int64(len(m.Openings.List)), "opening"))
}

// resumeError is the error of a match that did not end, with the command line that goes on with it.
func (o *matchOptions) resumeError(err error) error {
	if status, _ := classify(err); status != exitInterrupted {
		return err
	}
	command := invocation()
	if !o.resume && !o.asked() {
		command += " --resume"
	}
	return hintError{error: errInterrupted, hint: "continue with `" + command + "`", status: exitInterrupted}
}
