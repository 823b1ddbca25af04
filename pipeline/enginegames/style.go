package enginegames

import (
	"fmt"
	"strconv"

	"talbot/dataset"
)

// Style says how games are played. Its zero value plays only the engine's best moves, from the openings.
type Style struct {
	// RandomPlies is the most random moves that follow the opening; each game draws a number from 0 to it.
	RandomPlies int
	// Blunders is the largest share of moves that are weak on purpose, in [0, 1]. Each game draws its own, Blunders·u³
	// with u uniform in [0, 1), so that a third of the games have next to none. Half of them are any legal move, and
	// half the best of two to four random ones.
	Blunders float64
	// Decided is the score in centipawns from which a game counts as won once it has lasted decidedPlies plies. Two of
	// three games end there, the others go on to mate. 0: no game ends this way.
	Decided int
	// MostPlies is the longest game, with its opening.
	MostPlies int
}

// DefaultStyle is what the command plays.
var DefaultStyle = Style{RandomPlies: 4, Blunders: 0.2, Decided: 600, MostPlies: 240}

// Games that hang on a score end when it has lasted.
const (
	decidedPlies = 8
	playedOut    = 3   // one in this many games is played on nevertheless
	drawnPlies   = 20  // with at most drawnScore
	drawnScore   = 8   // centipawns
	drawnFrom    = 100 // the first ply at which a game can end so
)

// Check reports the first setting that makes no sense.
func (s Style) Check() error {
	switch {
	case s.RandomPlies < 0 || s.RandomPlies > 100:
		return fmt.Errorf("random plies must be from 0 to 100: %d", s.RandomPlies)
	case !(s.Blunders >= 0 && s.Blunders <= 1):
		return fmt.Errorf("share of blunders must be from 0 to 1: %v", s.Blunders)
	case s.Decided < 0:
		return fmt.Errorf("decided score must not be negative: %d", s.Decided)
	case s.MostPlies < 1 || s.MostPlies > 1000:
		return fmt.Errorf("longest game must be from 1 to 1000 plies: %d", s.MostPlies)
	}
	return nil
}

// flags are the settings as the manifest has them.
func (s Style) flags() []dataset.Tag {
	return []dataset.Tag{
		{Name: "random-plies", Value: strconv.Itoa(s.RandomPlies)},
		{Name: "blunders", Value: strconv.FormatFloat(s.Blunders, 'g', -1, 64)},
		{Name: "decided", Value: strconv.Itoa(s.Decided)},
		{Name: "most-plies", Value: strconv.Itoa(s.MostPlies)},
	}
}
