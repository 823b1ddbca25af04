package match

import (
	"math"
	"path/filepath"
	"slices"
	"time"

	"talbot/internal/output"
	"talbot/play/match/stats"
)

// Result is the result of a match, from the first player's view. Figures that the games do not give are null in JSON.
type Result struct {
	Players []PlayerResult `json:"players"`
	Figures
	Faults    map[FaultKind]int64 `json:"faults"`
	Endings   map[End]int64       `json:"endings"`
	WhiteWins int                 `json:"white_wins"` // of all games, with either player as White
	BlackWins int                 `json:"black_wins"`
	Plies     int64               `json:"plies"` // the openings' included

	SPRT *SPRTResult `json:"sprt,omitempty"`
	// LLR is the log-likelihood ratio of the sequential test, null without one.
	LLR *Number `json:"llr"`
	// Ratings has the first player and then its opponents; only of a gauntlet and where there is an anchor.
	Ratings []RatingResult `json:"ratings,omitempty"`

	Openings       int     `json:"openings"` // there were
	PGN            string  `json:"pgn"`
	Resumed        int     `json:"resumed"` // games that were played before this process began
	Concurrency    int     `json:"concurrency"`
	Seconds        float64 `json:"seconds"` // of this process
	GamesPerSecond float64 `json:"games_per_second"`
	// AfterStop counts games that had ended when the sequential test was decided by games before them; they are in the
	// journal alone.
	AfterStop int `json:"after_stop,omitempty"`
}

// PlayerResult is a player of the match.
type PlayerResult struct {
	Name   string              `json:"name"`
	Player string              `json:"player"` // as it was given
	Limit  string              `json:"limit"`
	Faults map[FaultKind]int64 `json:"faults"`
	Moves  int64               `json:"moves"` // without those of the openings
	// IllegalFirst counts the moves at which a network that plays without a search favoured an illegal one.
	IllegalFirst int64 `json:"illegal_first"`
}

// Figures are counts of games and what they are worth, from the first player's view. Games counts all games; wins,
// draws and losses leave the identical ones out, and so do the figures, which are of whole pairs if there are any.
// Identical are games with the same start, moves and result as an earlier one and the same player as White; where the
// other one was White a game is Mirrored, and counts.
type Figures struct {
	Games       int               `json:"games"`
	Wins        int               `json:"wins"`
	Draws       int               `json:"draws"`
	Losses      int               `json:"losses"`
	Identical   int               `json:"identical"`
	Mirrored    int               `json:"mirrored"`
	Pentanomial stats.Pentanomial `json:"pentanomial"`
	Unpaired    int64             `json:"unpaired"` // games that are in no whole pair
	Score       Number            `json:"score"`    // points a game, 0 to 1
	Elo         Number            `json:"elo"`
	EloLow      Number            `json:"elo_low"`
	EloHigh     Number            `json:"elo_high"`
	Nelo        Number            `json:"nelo"`
	NeloLow     Number            `json:"nelo_low"`
	NeloHigh    Number            `json:"nelo_high"`
	LOS         Number            `json:"los"`
}

// SPRTResult is the state of a sequential test.
type SPRTResult struct {
	Model    string         `json:"model"`
	Bounds   [2]float64     `json:"bounds"` // of the hypotheses, in Elo of the model
	Alpha    float64        `json:"alpha"`
	Beta     float64        `json:"beta"`
	Limits   [2]float64     `json:"llr_limits"`
	Decision stats.Decision `json:"decision"`
}

// RatingResult is a line of a gauntlet's table.
type RatingResult struct {
	Player string `json:"player"`
	// Rating is the first player's on the scale of its anchors, the known one of an anchor, and else that of an
	// opponent on the same scale. Without anchors the scale is that on which the first player has 0.
	Rating Number `json:"rating"`
	Low    Number `json:"low"`
	High   Number `json:"high"`
	Games  int    `json:"games"`
	// FromGames and FromAnchors are the two parts of the first player's error.
	FromGames   *Number `json:"from_games,omitempty"`
	FromAnchors *Number `json:"from_anchors,omitempty"`
	// Anchor says that the rating is known, and Counted that the first player's rating is made of the games against it:
	// it scored 10 to 90 %.
	Anchor  bool `json:"anchor"`
	Counted bool `json:"counted"`
	// Performance is the rating that the first player has by the games against this anchor alone.
	Performance *Number  `json:"performance,omitempty"`
	Versus      *Figures `json:"versus,omitempty"` // the first player's figures against this opponent
}

// result makes the figures of the games that count.
func (r *run) result() Result {
	x, all := resultOf(r.Entrants, r.outcomes()[:r.stop], r.Gauntlet)
	x.Openings, x.Resumed, x.Concurrency = len(r.Openings.List), r.resumed, r.Concurrency
	x.PGN = filepath.Join(output.Target(r.Out), PGNFile)
	x.Seconds = time.Since(r.began).Seconds()
	for _, o := range r.outcomes()[r.stop:] {
		if o != nil {
			x.AfterStop++
		}
	}
	if now := r.live.counts.Games - r.resumed; x.Seconds > 0 {
		x.GamesPerSecond = float64(now) / x.Seconds
	}
	if r.SPRT != nil {
		x.SPRT, x.LLR = all.sprtResult(r.SPRT)
	}
	return x
}

// resultOf makes the figures of games, which stand by their number; nil: not played.
func resultOf(entrants []Entrant, outcomes []*outcome, gauntlet bool) (Result, *tally) {
	all := newTally(len(entrants))
	var versus []*tally
	for range entrants[1:] {
		versus = append(versus, newTally(len(entrants)))
	}
	for _, o := range outcomes {
		if o != nil {
			all.add(*o)
			versus[o.opponent()-1].add(*o)
		}
	}
	x := Result{Figures: all.figures(), Faults: map[FaultKind]int64{}, Endings: all.endings,
		WhiteWins: all.whiteWins, BlackWins: all.blackWins, Plies: all.plies}
	for i, e := range entrants {
		x.Players = append(x.Players, PlayerResult{Name: e.Name, Player: e.Text, Limit: e.Limits.String(),
			Faults: all.faults[i], Moves: all.moves[i], IllegalFirst: all.illegal[i]})
		for kind, n := range all.faults[i] {
			x.Faults[kind] += n
		}
	}
	if gauntlet || anchored(entrants) {
		x.Ratings = rate(entrants, versus)
	}
	return x, all
}

// figures returns the counts with what they are worth.
func (t *tally) figures() Figures {
	f, o := t.counts, t.outcomes()
	elo, nelo := o.Elo(), o.Normalized()
	score, _ := o.Score()
	f.Unpaired, f.Score, f.LOS = t.singles.Games(), Number(score), Number(o.LOS())
	f.Elo, f.EloLow, f.EloHigh = Number(elo.Elo), Number(elo.Low), Number(elo.High)
	f.Nelo, f.NeloLow, f.NeloHigh = Number(nelo.Elo), Number(nelo.Low), Number(nelo.High)
	return f
}

// sprtResult returns the state of the test.
func (t *tally) sprtResult(test *stats.SPRT) (*SPRTResult, *Number) {
	llr := test.LLR(t.counts.Pentanomial.Outcomes())
	low, high := test.Bounds()
	return &SPRTResult{Model: test.Model.String(), Bounds: [2]float64{test.Low, test.High}, Alpha: test.Alpha,
		Beta: test.Beta, Limits: [2]float64{low, high}, Decision: test.Decide(llr)}, new(Number(llr))
}

// rate makes the ratings of a gauntlet, of whose opponents there is a tally each.
func rate(entrants []Entrant, versus []*tally) []RatingResult {
	var anchors []stats.Anchor
	all := []RatingResult{{Player: entrants[0].Name}}
	for i, t := range versus {
		e := entrants[i+1]
		all[0].Games += t.counts.Games
		r := RatingResult{Player: e.Name, Games: t.counts.Games, Versus: new(t.figures())}
		if e.Rating != nil {
			a := stats.Anchor{Encounter: t.encounter(), Rating: *e.Rating, Error: e.Error}
			r.Anchor, r.Counted = true, a.Games() > 0 && a.Informative()
			r.Rating, r.Low, r.High = Number(*e.Rating), Number(*e.Rating-e.Error), Number(*e.Rating+e.Error)
			if r.Counted {
				anchors = append(anchors, a)
			}
			r.Performance = new(Number(stats.Rate([]stats.Anchor{a}).Rating))
		}
		all = append(all, r)
	}
	first := &all[0]
	if anchored(entrants) {
		x := stats.Rate(anchors) // NaN where no anchor counts
		first.Rating, first.Low, first.High = Number(x.Rating), Number(x.Low), Number(x.High)
		first.FromGames, first.FromAnchors = new(Number(x.FromGames)), new(Number(x.FromAnchors))
	}
	below, above := first.Rating-first.Low, first.High-first.Rating // the first player's own error
	for i := range versus {
		r, f := &all[i+1], all[i+1].Versus
		switch {
		case r.Anchor:
		case f.Elo.Known():
			r.Rating = first.Rating - f.Elo
			r.Low, r.High = r.Rating-both(f.EloHigh-f.Elo, below), r.Rating+both(f.Elo-f.EloLow, above)
		default:
			r.Rating = first.Rating - f.Elo
			r.Low, r.High = first.Rating-f.EloHigh-below, first.Rating-f.EloLow+above
		}
	}
	return all
}

// anchored reports whether the rating of any of the first player's opponents is known.
func anchored(entrants []Entrant) bool {
	return slices.ContainsFunc(entrants[1:], func(e Entrant) bool { return e.Rating != nil })
}

// both is the error of a sum of two figures whose errors do not depend on each other.
func both(a, b Number) Number { return Number(math.Hypot(float64(a), float64(b))) }
