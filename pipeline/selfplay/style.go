package selfplay

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/play/mcts"
)

// Style is how games are played.
type Style struct {
	Searcher string       // "gumbel", "puct", or "policy": no search, the network alone
	Options  mcts.Options // of the searcher; its Seed is that of a game
	Nodes    int64        // of a search; without one it is 1
	// FastShare of the moves are searched with FastNodes, without noise, and give no policy target.
	FastShare float64
	FastNodes int64
	// Resign ends a game as lost when the searches of one side said at most −Resign at two of its moves in a row; 0 or
	// less: never. One of ten games is played on, which says how often that was wrong.
	Resign    float64
	MostPlies int // that are searched; a longer game is a draw
	// Truncate leaves a longer game without a result: what it is worth is what its last search says. See
	// [talbot/encode.ResultValue].
	Truncate bool
	// BestValue stores the value of a search's best move as that of the position, in place of the mean of all visits,
	// of which few nodes leave many for bad moves.
	BestValue bool
	Raw       int // moves of the network's own policy that are kept with each sample
}

// fixed are the keys of the searcher's settings that a game sets itself, and of those that change nothing here.
var fixed = []string{"seed", "batch", "hash", "cache", "position-cache", "collisions", "multipv", "planned",
	"probe-limit"}

// Sets reports whether a setting of the searcher means something here.
func (s *Style) Sets(x *mcts.Setting) bool {
	return x.AppliesTo(s.Searcher) && !slices.Contains(fixed, x.Key)
}

// DefaultStyle is what the command plays.
func DefaultStyle() Style {
	o := mcts.Defaults()
	o.GumbelNoise, o.RootNoise, o.PolicyTemp = 1, 0.25, 1
	return Style{Searcher: "gumbel", Options: o, Nodes: 64, FastNodes: 16, MostPlies: 400, Raw: 5}
}

// Searchers are the ways to choose moves.
var Searchers = []string{"gumbel", "puct", "policy"}

// alone reports whether the network plays without a search.
func (s *Style) alone() bool { return s.Searcher == "policy" }

// Check reports the first setting that makes no sense.
func (s *Style) Check() error {
	switch {
	case !slices.Contains(Searchers, s.Searcher):
		return fmt.Errorf("the searcher of self-play must be gumbel, puct or policy: %q", s.Searcher)
	case s.alone() && (s.FastShare > 0 || s.Resign > 0):
		return errors.New("the searcher policy knows no fast searches and no values to resign at")
	case s.alone() && s.Truncate:
		return errors.New("without a search a game has no value to be cut at: truncate needs gumbel or puct")
	case s.Nodes < 2 && !s.alone():
		return fmt.Errorf("nodes must be at least 2: %d", s.Nodes)
	case !(s.FastShare >= 0 && s.FastShare < 1):
		return fmt.Errorf("share of fast moves must be at least 0 and below 1: %v", s.FastShare)
	case s.FastShare > 0 && s.FastNodes < 2:
		return fmt.Errorf("nodes of fast moves must be at least 2: %d", s.FastNodes)
	case s.FastShare > 0 && s.FastNodes >= s.Nodes:
		return fmt.Errorf("nodes of fast moves must be fewer than those of the others, %d: %d", s.Nodes, s.FastNodes)
	case !(s.Resign >= 0 && s.Resign <= 1):
		return fmt.Errorf("value to resign at must be from 0 to 1: %v", s.Resign)
	case s.MostPlies < 1 || s.MostPlies > 1000:
		return fmt.Errorf("longest game must be from 1 to 1000 plies: %d", s.MostPlies)
	case s.Raw < 0 || s.Raw > 255:
		return fmt.Errorf("moves of the network's policy to keep must be from 0 to 255: %d", s.Raw)
	}
	return nil
}

// tags are the settings by name, those of the searcher that it heeds included.
func (s *Style) tags() dataset.Flags {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	tags := dataset.Flags{
		{Name: "searcher", Value: s.Searcher},
		{Name: "fast-share", Value: number(s.FastShare)},
		{Name: "fast-nodes", Value: strconv.FormatInt(s.FastNodes, 10)},
		{Name: "resign", Value: number(s.Resign)},
		{Name: "max-plies", Value: strconv.Itoa(s.MostPlies)},
		{Name: "raw", Value: strconv.Itoa(s.Raw)},
	}
	tags.Add(s.Truncate, "truncate", "true")
	tags.Add(s.BestValue, "best-value", "true")
	for i := range mcts.Settings {
		if x := &mcts.Settings[i]; s.Sets(x) {
			tags.Add(true, x.Key, x.Get(&s.Options))
		}
	}
	return tags
}

// Set sets an option of the searcher, which text names with its value: NAME=VALUE.
func (s *Style) Set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	x, ok := mcts.SettingByName(name)
	if !ok || !s.Sets(x) {
		var known []string
		for i := range mcts.Settings {
			if x := &mcts.Settings[i]; s.Sets(x) {
				known = append(known, x.Key)
			}
		}
		return fmt.Errorf("self-play with %s has no option %q: it has %s", s.Searcher, name, strings.Join(known, ", "))
	}
	if err := x.Set(&s.Options, value); err != nil {
		return fmt.Errorf("%s %w (for example %s=%s)", x.Key, err, x.Key, x.Default)
	}
	return nil
}
