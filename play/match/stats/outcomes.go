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

// z95 is the quantile of the normal distribution that leaves 2.5 % above it.
const z95 = 1.959963984540054

// eloScale is 800/ln 10: the Elo of a difference of one in score, about an even one, is twice this.
const eloScale = 800 / math.Ln10

// EloOf returns the difference in Elo at which a player scores score points a game: 400·log10(score/(1 − score)), by
// the logistic curve of Arpad Elo, The Rating of Chessplayers (1978), 8.4. It is −Inf for 0 and +Inf for 1.
func EloOf(score float64) float64 {
	switch {
	case score <= 0:
		return math.Inf(-1)
	case score >= 1:
		return math.Inf(1)
	}
	return 400 * math.Log10(score/(1-score))
}

// ScoreOf returns the points a game that a player scores at a difference in Elo, the inverse of [EloOf].
func ScoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Elo is a difference in Elo with the limits of its interval, in which the truth lies in 95 of 100 matches. A limit
// that the results do not give is infinite; everything is NaN without results.
type Elo struct{ Elo, Low, High float64 }

// Elo returns the difference in strength as logistic Elo. The interval is that of the mean score, taken as normal
// with the variance of the trials (central limit theorem), carried over to Elo limit by limit; where all trials had the
// same score the interval is not known, and is the whole line.
func (o Outcomes) Elo() Elo {
	mean, variance := o.Score()
	if math.IsNaN(mean) {
		return Elo{mean, mean, mean}
	}
	if variance == 0 {
		return Elo{EloOf(mean), math.Inf(-1), math.Inf(1)}
	}
	d := z95 * math.Sqrt(variance/float64(o.Trials()))
	return Elo{EloOf(mean), EloOf(mean - d), EloOf(mean + d)}
}

// Normalized returns the difference as normalized Elo: the distance of the score from one half in standard deviations
// of a game, times 800/ln 10, so that it equals logistic Elo where no game is drawn and the sides are about even. The
// deviation of a game is that of the trials times the root of the games in one. The interval takes the deviation as
// known.
//
// Source: Michel Van den Bergh, “Normalized Elo” (2020), section 1, and “Comments on normalized Elo”, section 2. It is
// NaN where all trials had the same score.
func (o Outcomes) Normalized() Elo {
	mean, variance := o.Score()
	sigma := math.Sqrt(float64(o.Games) * variance)
	if !(sigma > 0) {
		return Elo{math.NaN(), math.NaN(), math.NaN()}
	}
	nelo := func(score float64) float64 { return (score - 0.5) / sigma * eloScale }
	d := z95 * math.Sqrt(variance/float64(o.Trials()))
	return Elo{nelo(mean), nelo(mean - d), nelo(mean + d)}
}

// LOS returns the likelihood of superiority, 0 to 1: the chance that a player with these results is the stronger one,
// Φ((score − ½)/standard error), where nothing was known before. Source: Rémi Coulom, “Whole-history rating” (2008)
// and the Chess Programming Wiki, “Match Statistics”, with the standard error of the trials in place of that of wins
// and losses. Where all n trials had the same score that has no spread; the chance is then that of a coin that fell n
// times on one side, 1 − 2^−(n+1), every bias alike before (Beta(n+1, 1)). It is NaN without results.
func (o Outcomes) LOS() float64 {
	mean, variance := o.Score()
	switch {
	case math.IsNaN(mean):
		return mean
	case mean == 0.5:
		return 0.5
	case variance == 0 && mean > 0.5:
		return 1 - math.Exp2(-float64(o.Trials())-1)
	case variance == 0:
		return math.Exp2(-float64(o.Trials()) - 1)
	}
	return 0.5 * math.Erfc(-(mean-0.5)/math.Sqrt(2*variance/float64(o.Trials())))
}
