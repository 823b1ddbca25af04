package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
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
		Long: `Match plays games between two players, or with --gauntlet between the first
player and each of the others, and reports the Elo difference with its 95 % interval.
Games are played in pairs: each opening once with each colour, and then never again in the
match.

A player is cmd:PATH (a UCI engine), run:RUN (a trained network), net: (the network that
comes with talbot, rated ` + builtin.Strength + `) or
random:, followed by settings, separated by commas: name=NAME, nodes=N, depth=N,
movetime=50ms, tc=60+0.6, rating=R and error=E. An engine also takes option.NAME=VALUE,
arg=ARGUMENT and dir=FOLDER, a network searcher=NAME, backend=NAME and the parameters of its
search. A player without a limit gets that of --nodes, --depth, --movetime or --tc.

DIR gets games.pgn with evaluations, result.json, report.html and logs. --resume continues
an interrupted match. See docs/11-matches.md and docs/12-play.md.`,
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
	o.add(flags.Of(cmd))
	return cmd
}

// request turns the flags into a match; its players and its judge are missing.
func (o *matchOptions) request(args []string) (m match.Match, specs []match.Spec, err error) {
	m = o.Match
	m.Existing, m.Event = o.existing(), "talbot match"
	if m.Concurrency == 0 {
		m.Concurrency = stockfish.DefaultWorkers()
	}
	if specs, err = o.players(args); err != nil {
		return m, nil, err
	}
	m.Rules.TablesCheck = hastyCheck()
	if err = m.Rules.Check(); err != nil {
		return m, nil, fault.Usage(err, "see `talbot match --help`")
	}
	if o.bounds != nil {
		o.sprt.Low, o.sprt.High, m.SPRT = o.bounds[0], o.bounds[1], &o.sprt
		if err := m.SPRT.Check(); err != nil {
			return m, nil, fault.Usage(err, "for example --sprt 0,10 --sprt-model logistic")
		}
	}
	m.Openings, err = o.readOpenings()
	return m, specs, err
}

// run checks the flags, makes the players and plays.
func (o *matchOptions) run(cmd *cobra.Command, args []string) error {
	m, specs, err := o.request(args)
	if err != nil {
		return err
	}
	hard, abort := context.WithCancel(cmd.Context())
	defer abort()
	drain, stop := cli.Interruption{Doing: "finishing the games in progress",
		GiveUp: func() bool { abort(); return true },
		Lost:   "giving up the games in progress; --resume plays them again",
		End:    func() error { return o.resumeError(context.Canceled) }}.Watch(hard)
	defer stop()
	var networks engine.Shared
	defer networks.Close()
	for _, s := range specs {
		e, err := match.Enter(drain, s, o.limits, networks.Entrant)
		if err != nil {
			return cli.Resumable(err)
		}
		m.Entrants = append(m.Entrants, e)
	}
	if err := o.addJudge(drain, &m, networks.Entrant); err != nil {
		return cli.Resumable(err)
	}
	if err := m.Check(); err != nil {
		return fault.Usage(err, checkHint(err))
	}
	announce(&m)
	show, end := cli.ShowProgress()
	shown := 0
	m.Progress = func(p match.Progress) { show(matchProgress(p)) }
	m.Warn = func(err error) {
		if shown++; shown <= shownRejects {
			cli.Warn(err)
		}
	}
	result, err := m.Run(drain, hard)
	end()
	if err != nil {
		if err = o.resumeError(err); !errors.Is(err, cli.ErrInterrupted) || result.Games == 0 {
			return err
		}
	}
	if o.json {
		return errors.Join(err, cli.PrintJSON(result))
	}
	return errors.Join(err, printMatch(&result))
}

// readOpenings returns the openings in the order in which they are played.
func (o *matchOptions) readOpenings() (*match.Openings, error) {
	all, err := match.Book()
	if o.openings != "" {
		all, err = readOpenings(o.openings, o.plies)
	}
	if err == nil && o.order == "random" {
		all.Shuffle(o.Seed)
	}
	return all, err
}

// readOpenings reads a file of openings, and warns of what is left out.
func readOpenings(path string, plies int) (*match.Openings, error) {
	all, err := match.ReadOpenings(path, plies)
	if err != nil {
		return nil, err
	}
	if why := all.LeftOut(); why != "" {
		cli.Warnf("openings %q: left out: %s", path, why)
	}
	return all, nil
}

// addJudge adds the adjudication that needs an engine.
func (o *matchOptions) addJudge(ctx context.Context, m *match.Match,
	network func(match.Spec) (match.Entrant, error)) (err error) {
	if m.Rules.Tables != "" {
		if m.Rules.TablesEngine, err = stockfish.Find(""); err != nil {
			return err
		}
	}
	if o.judge == "" {
		return nil
	}
	s, err := match.ParsePlayer(o.judge)
	if err == nil && s.Kind == "random" {
		err = errors.New("a judge must evaluate positions")
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
		return fault.Usage(fmt.Errorf("--judge: %w", err), "for example --judge cmd:stockfish,nodes=20000")
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

// announce prints the players, and warns of what spoils a match.
func announce(m *match.Match) {
	for _, e := range m.Entrants {
		cli.Detail("player %s: %s, limit %s", e.Name, e.Identity, e.Limits)
		if cores := stockfish.DefaultWorkers(); e.Limits.Timed() && m.Concurrency > cores {
			cli.Warnf("%s at the same time on %s: players will slow each other down",
				humanize.Count(int64(m.Concurrency), "game"), humanize.Count(int64(cores), "core"))
			break
		}
	}
	cli.Detail("openings: %s", humanize.Count(int64(len(m.Openings.List)), "opening"))
}

// resumeError is the error of a match that did not end, with the command line that continues it.
func (o *matchOptions) resumeError(err error) error {
	if status, _ := fault.Of(err); status != fault.ExitInterrupted {
		return err
	}
	command := cli.Invocation()
	if !o.Resume && !o.asked() {
		command += " --resume"
	}
	return fault.With(cli.ErrInterrupted, fault.ExitInterrupted, "continue with `"+command+"`")
}
