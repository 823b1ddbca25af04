package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"talbot/play/engine"
	"talbot/play/match"
	"talbot/play/match/stats"
)

type matchOptions struct {
	existingOptions
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

func (o *matchOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "folder for the match (required)")
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	f.BoolVar(&o.resume, "resume", false, "continue the match in the folder, if it has one")
	o.existingOptions.add(f)
	f.BoolVar(&o.logEngines, "log-engines", false, "log all input and output of the engines")
	f.BoolVar(&o.gauntlet, "gauntlet", false, "play the first player against each of the others")
	f.IntVar(&o.games, "games", 100, "games to play against each opponent")
	f.IntVar(&o.concurrency, "concurrency", 0, "games to play at the same time (default: one for each physical core)")
	f.Uint64Var(&o.seed, "seed", 1, "seed for the order of openings and for random choices of players")
	f.Int64Var(&o.nodes, "nodes", 0, "nodes for each move")
	f.IntVar(&o.depth, "depth", 0, "depth for each move")
	f.DurationVar(&o.movetime, "movetime", 0, "time for each move")
	f.StringVar(&o.tc, "tc", "", "clock for each game: seconds and increment, such as 60+0.6")
	f.DurationVar(&o.margin, "timemargin", 20*time.Millisecond, "time by which a player may exceed its limit")
	f.DurationVar(&o.patience, "patience", match.DefaultPatience, "longest wait for a move if no time limit is set")
	f.StringVar(&o.openings, "openings", "", "file of openings, PGN or EPD (default: talbot's own)")
	f.IntVar(&o.plies, "openings-plies", 0, "plies to play of each game in the file (default: all)")
	f.StringVar(&o.order, "openings-order", "random", "order of openings: random or sequential")
	f.StringVar(&o.syzygy, "syzygy", "", "adjudicate by the Syzygy tables in these folders, separated as in PATH")
	f.IntVar(&o.maxMoves, "maxmoves", 0, "adjudicate games of this many full moves as draws, or as the judge sees them")
	f.StringVar(&o.resign, "resign", "",
		"adjudicate a win by a `RULE` such as 5,600: five moves of each side with scores of at least 600")
	f.StringVar(&o.draw, "draw", "",
		"adjudicate a draw by a `RULE` such as 40,8,10: from move 40, eight moves of each side with scores within 10")
	f.StringVar(&o.judge, "judge", "", "adjudicate by the scores of a third `PLAYER`")
	f.IntVar(&o.judgeEvery, "judge-every", 10, "moves after which the judge is asked again")
	f.IntVar(&o.judgeScore, "judge-score", 1000, "centipawns at which the judge sees a win, twice in a row")
	f.StringVar(&o.sprt, "sprt", "",
		"stop when the SPRT has decided between two `BOUNDS` such as 0,10, in the Elo of --sprt-model")
	f.StringVar(&o.model, "sprt-model", "normalized", "kind of Elo that the bounds are in: normalized or logistic")
	f.Float64Var(&o.alpha, "alpha", 0.05, "probability of accepting the higher bound if the lower one is true")
	f.Float64Var(&o.beta, "beta", 0.05, "probability of accepting the lower bound if the higher one is true")
	section(f, "Output", "out", "resume", "skip-done", "replace", "json", "log-engines")
	section(f, "Match", "games", "gauntlet", "concurrency", "seed")
	section(f, "Limit of players that have none", "nodes", "depth", "movetime", "tc", "timemargin", "patience")
	section(f, "Openings", "openings", "openings-plies", "openings-order")
	section(f, "Adjudication", "syzygy", "maxmoves", "resign", "draw", "judge", "judge-every", "judge-score")
	section(f, "Sequential probability ratio test (SPRT)", "sprt", "sprt-model", "alpha", "beta")
	values(cmd, "openings-order", "random", "sequential")
	values(cmd, "sprt-model", "normalized", "logistic")
	completeFolder(cmd, "out", "syzygy")
}

const limitHint = "use --nodes 1000, --depth 5, --movetime 100ms or --tc 60+0.6, or add ,nodes=1000 to the player"

// players reads the players and the limits for those that have none.
func (o *matchOptions) players(args []string) (specs []match.Spec, limits match.Limits, err error) {
	const example = "for example cmd:stockfish,nodes=1000 or random:"
	for _, text := range args {
		s, err := match.ParsePlayer(text)
		if err != nil {
			return nil, limits, usage(err, example)
		}
		if err := checkSettings(s); err != nil {
			return nil, limits, err
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
		if l := s.Limits.Or(limits); l == (match.Limits{}) && engine.NeedsLimit(s) {
			return nil, limits, usage(fmt.Errorf("player %q: %w", s.Text, l.Check()), limitHint)
		}
	}
	return specs, limits, nil
}

// checkSettings refuses settings that a network does not have, before anything is said that a mistyped one would set.
func checkSettings(s match.Spec) error {
	err := engine.CheckParameters(s)
	if s.Kind != "run" || err == nil {
		return nil
	}
	text := "docs/11-matches.md and docs/12-play.md list the settings of players"
	names := append([]string{"name", "nodes", "depth", "movetime", "tc", "rating", "error"}, engine.Parameters()...)
	for _, p := range s.Params {
		if word := nearest(p.Name, names); !slices.Contains(names, p.Name) && word != "" {
			text = "did you mean `" + word + "`? " + text
		}
	}
	return usage(fmt.Errorf("player %q: %w", s.Text, err), text)
}

// rules reads the rules of adjudication but the judge.
func (o *matchOptions) rules(m *match.Match) (err error) {
	m.Rules = match.Rules{Adjudication: match.Adjudication{MaxMoves: o.maxMoves}, Tables: o.syzygy, TablesCheck: hastyCheck()}
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

// test reads the sequential test; nil: none was asked for.
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
