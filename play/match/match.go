package match

import (
	"errors"
	"fmt"
	"time"

	"talbot/internal/output"
	"talbot/play/match/stats"
)

// Match is a match to be played: the first entrant against each of the others.
type Match struct {
	Entrants []Entrant // two, or more with Gauntlet
	Gauntlet bool
	Games    int // against each opponent, even: half of them with each colour
	// Openings are used in this order, each for one pair of games of the whole match.
	Openings *Openings
	Seed     uint64 // of whatever players leave to chance
	Rules    Rules
	// Margin is by how much a limit of time may be exceeded, and Patience how long a player without one may think (0:
	// [DefaultPatience]).
	Margin, Patience time.Duration
	SPRT             *stats.SPRT // ends the match when it is decided; nil: none
	Concurrency      int         // games at the same time

	Out        string          // the folder
	Resume     bool            // go on with the match in the folder, if there is one
	Existing   output.Existing // what to do with a match in the folder
	LogEngines bool            // all that engines say, not just the last lines before a fault
	Event      string          // in the PGN

	Warn     func(error)    // may be nil
	Progress func(Progress) // called after each game, never twice at the same time; may be nil
}

// Progress is the progress of a match.
type Progress struct {
	Games, Total int // ended, in all processes, and to be played
	Resumed      int // ended before this process began
	Figures
	Faults int
	LLR    Number // of the sequential test; NaN if there is none
	LLRs   [2]float64
}

// Check reports a match that cannot be played, before any file is touched.
func (m *Match) Check() error {
	switch n := len(m.Entrants); {
	case n < 2:
		return errors.New("a match needs two players")
	case n > 2 && !m.Gauntlet:
		return errors.New("more than two players need a gauntlet: the first plays against each of the others")
	}
	switch {
	case m.Entrants[0].Rating != nil:
		return errors.New("the first player is the one whose rating is found: give rating= to the others")
	case m.Rules.Judge != nil && m.Rules.Judge.Rating != nil:
		return errors.New("the rating of a judge has no effect: leave out rating=")
	case m.Gauntlet && m.SPRT != nil:
		return errors.New("a sequential test is for a match of two players, not for a gauntlet")
	case m.Games < 2 || m.Games%2 != 0:
		return fmt.Errorf("%d games: give an even number from 2 on, half of the games are played with each colour",
			m.Games)
	case m.Concurrency < 1:
		return fmt.Errorf("%d games at the same time: give 1 or more", m.Concurrency)
	case m.Margin < 0 || m.Patience < 0:
		return fmt.Errorf("negative time margin (%v) or patience (%v)", m.Margin, m.Patience)
	case m.Out == "":
		return errors.New("no folder for the match")
	}
	if pairs := m.total() / 2; pairs > len(m.Openings.List) {
		return fmt.Errorf("%w: %d pairs of games, %d openings", ErrTooFewOpenings, pairs, len(m.Openings.List))
	}
	if m.SPRT != nil {
		if err := m.SPRT.Check(); err != nil {
			return err
		}
	}
	return m.Rules.Check()
}

// ErrTooFewOpenings: no opening is used twice, and there are not enough.
var ErrTooFewOpenings = errors.New("too few openings")

// total returns the number of games.
func (m *Match) total() int { return m.Games * (len(m.Entrants) - 1) }

// pairing returns the players of a game by colour, and its opening. Pairs go round the opponents, so that a gauntlet
// that is cut short has as many games against each.
func (m *Match) pairing(number int) (players [2]int, opening int) {
	pair := number / 2
	players = [2]int{0, 1 + pair%(len(m.Entrants)-1)}
	if number%2 == 1 {
		players[0], players[1] = players[1], players[0]
	}
	return players, pair
}
