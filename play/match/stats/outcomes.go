// Package stats says what the results of a match are worth: Elo and normalized Elo with intervals, the likelihood of
// superiority, sequential tests, and a rating over several opponents.
//
// It turns counts of results into figures. Results that are counted as pairs of games with colours reversed
// ([Pentanomial]) are preferred to single games ([Trinomial]): the two games of a pair begin with the same opening and
// are not independent, so the variance of single games is not that of the match.
//
// Everything is from the first player's view. The package starts no goroutines and keeps no state.
package stats

import "math"

// Pentanomial counts pairs of games by the points of the first player: 0, ½, 1, 1½ and 2.
type Pentanomial [5]int64

// Pairs returns the number of pairs.
func (p Pentanomial) Pairs() int64 { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Outcomes returns the pairs as outcomes.
func (p Pentanomial) Outcomes() Outcomes {
	return Outcomes{Scores: []float64{0, 0.25, 0.5, 0.75, 1}, Counts: p[:], Games: 2}
}

// Trinomial counts single games: losses, draws and wins of the first player.
type Trinomial [3]int64

// Games returns the number of games.
func (t Trinomial) Games() int64 { return t[0] + t[1] + t[2] }

// Outcomes returns the games as outcomes.
func (t Trinomial) Outcomes() Outcomes {
	return Outcomes{Scores: []float64{0, 0.5, 1}, Counts: t[:], Games: 1}
}

// Outcomes are counts of independent trials: games, or pairs of them.
type Outcomes struct {
	Scores []float64 // of a trial, as points a game, 0 to 1, ascending
	Counts []int64   // of each score
	Games  int       // in a trial: 1 or 2
}

// Trials returns the number of trials.
func (o Outcomes) Trials() (n int64) {
	for _, c := range o.Counts {
		n += c
	}
	return n
}

// Score returns the points a game, 0 to 1, and the variance of that in one trial. Without trials both are NaN.
func (o Outcomes) Score() (mean, variance float64) {
	n := float64(o.Trials())
	for i, c := range o.Counts {
		mean += o.Scores[i] * float64(c) / n
	}
	for i, c := range o.Counts {
		d := o.Scores[i] - mean
		variance += d * d * float64(c) / n
	}
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	return mean, variance
}
