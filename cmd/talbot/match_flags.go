package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/play/match/stats"
)

type matchOptions struct {
	existingOptions
	match.Match
	json     bool
	limits   match.Limits // of players that have none
	openings string
	plies    int
	order    string

	judge                  string
	judgeEvery, judgeScore int

	bounds *[2]float64
	sprt   stats.SPRT
}

func (o *matchOptions) add(f *flags.Set) {
	*o = matchOptions{Match: match.Match{Games: 100, Seed: 1, Margin: 20 * time.Millisecond,
		Patience: match.DefaultPatience}, order: "random", judgeEvery: 10, judgeScore: 1000,
		sprt: stats.SPRT{Alpha: 0.05, Beta: 0.05, Model: stats.NormalizedModel}}
	f.Section("Output")
	f.String(&o.Out, "out,o", "folder for the match (required)")
	f.Required("out")
	completeFolder(f.Command(), "out")
	f.Bool(&o.Resume, "resume", "continue the match in the folder, if it has one")
	o.existingOptions.add(f)
	f.Excludes("resume", "skip-done", "replace")
	addJSON(f, &o.json)
	f.Bool(&o.LogEngines, "log-engines", "log all input and output of the engines")
	f.Section("Match")
	flags.Number(f, &o.Games, "games", "games to play against each opponent")
	f.Bool(&o.Gauntlet, "gauntlet", "play the first player against each of the others")
	flags.AtLeast(f, &o.Concurrency, "concurrency", 1,
		"games to play at the same time (default: one for each physical core)")
	addSeed(f, &o.Seed, "seed for the order of openings and for random choices of players")
	f.Section("Limit for players without one")
	flags.AtLeast(f, &o.limits.Nodes, "nodes", 1, "nodes for each move")
	flags.AtLeast(f, &o.limits.Depth, "depth", 1, "depth for each move")
	flags.Above(f, &o.limits.MoveTime, "movetime", 0, "time for each move")
	flags.Parse(f, &o.limits.Control, "tc", "", "60+0.6", match.ParseTimeControl,
		"clock for each game: seconds and increment, such as 60+0.6")
	flags.Number(f, &o.Margin, "timemargin", "time by which a player may exceed its limit")
	flags.Number(f, &o.Patience, "patience", "longest wait for a move if no time limit is set")
	f.Section("Openings")
	f.String(&o.openings, "openings",
		"file of openings, PGN or EPD, or an ECO code such as B90 (default: talbot's own)")
	flags.AtLeast(f, &o.plies, "openings-plies", 1, "plies to play of each game in the file (default: all)")
	f.Needs([]string{"openings-plies"}, "openings")
	flags.Choice(f, &o.order, "openings-order", "order of openings: random or sequential", "random", "sequential")
	o.addAdjudication(f)
	f.Section("Sequential probability ratio test (SPRT)")
	flags.Parse(f, &o.bounds, "sprt", "", "0,10", parseBounds,
		"stop when the SPRT has decided between two `BOUNDS` such as 0,10, in the Elo of --sprt-model")
	flags.Parse(f, &o.sprt.Model, "sprt-model", "normalized", "logistic", stats.ParseModel,
		"kind of Elo that the bounds are in: normalized or logistic")
	f.Words("sprt-model", "normalized", "logistic")
	flags.Number(f, &o.sprt.Alpha, "alpha", "probability of accepting the higher bound if the lower one is true")
	flags.Number(f, &o.sprt.Beta, "beta", "probability of accepting the lower bound if the higher one is true")
	f.Needs([]string{"sprt-model", "alpha", "beta"}, "sprt")
}

func (o *matchOptions) addAdjudication(f *flags.Set) {
	r := &o.Rules
	f.Section("Adjudication")
	addSyzygy(f, &r.Tables, "adjudicate by the Syzygy tables in these folders")
	flags.AtLeast(f, &r.MaxMoves, "maxmoves", 0,
		"adjudicate games of this many full moves as draws, or as the judge sees them")
	flags.Parse(f, &r.Resign, "resign", "", "5,600: five moves of each side at 600 centipawns or more",
		match.ParseResignRule,
		"adjudicate a win by a `RULE` such as 5,600: five moves of each side with scores of at least 600")
	flags.Parse(f, &r.Draw, "draw", "", "40,8,10: from move 40, eight moves of each side within 10 centipawns",
		match.ParseDrawRule,
		"adjudicate a draw by a `RULE` such as 40,8,10: from move 40, eight moves of each side with scores within 10")
	f.String(&o.judge, "judge", "adjudicate by the scores of a third `PLAYER`")
	flags.Number(f, &o.judgeEvery, "judge-every", "number of moves between questions to the judge")
	flags.Number(f, &o.judgeScore, "judge-score", "centipawns at which the judge sees a win, twice in a row")
	f.Needs([]string{"judge-every", "judge-score"}, "judge")
}

// parseBounds reads the two bounds of a sequential test.
func parseBounds(text string) (*[2]float64, error) {
	low, high, _ := strings.Cut(text, ",")
	a, errLow := strconv.ParseFloat(low, 64)
	b, errHigh := strconv.ParseFloat(high, 64)
	if errLow != nil || errHigh != nil {
		return nil, fmt.Errorf("%q is not two numbers", text)
	}
	return &[2]float64{a, b}, nil
}

// players reads the players, and checks that they have a limit.
func (o *matchOptions) players(args []string) (specs []match.Spec, err error) {
	for _, text := range args {
		s, err := match.ParsePlayer(text)
		if err != nil {
			return nil, fault.Usage(err, "for example cmd:stockfish,nodes=1000 or random:")
		}
		if err := checkSettings(s); err != nil {
			return nil, err
		}
		specs = append(specs, s)
	}
	if o.limits != (match.Limits{}) {
		if err := o.limits.Check(); err != nil {
			return nil, fault.Usage(err, "for example --nodes 1000, --depth 5, --movetime 100ms or --tc 60+0.6")
		}
	}
	for _, s := range specs {
		if l := s.Limits.Or(o.limits); l == (match.Limits{}) && engine.NeedsLimit(s) {
			return nil, fmt.Errorf("player %q: %w", s.Text, l.Check())
		}
	}
	return specs, nil
}

// checkSettings refuses settings that a network does not have, before its limit is missed.
func checkSettings(s match.Spec) error {
	err := engine.CheckParameters(s)
	if s.Kind != "run" || err == nil {
		return nil
	}
	text := "docs/11-matches.md and docs/12-play.md list the settings of players"
	names := append([]string{"name", "nodes", "depth", "movetime", "tc", "rating", "error"}, engine.Parameters()...)
	for _, p := range s.Params {
		if !slices.Contains(names, p.Name) {
			text = fault.DidYouMean(text, fault.Nearest(p.Name, names), "")
		}
	}
	return fault.Usage(fmt.Errorf("player %q: %w", s.Text, err), text)
}
