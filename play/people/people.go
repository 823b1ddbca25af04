// Package people says what players of some ratings would play in a position, what each move costs by an engine, and
// which moves are traps: many play them, and they lose.
//
// What they would play is said by a network that looks at the rating of the side to move ([Network], the recipe prior),
// if wanted weighed by one of the recipe probability. What a move costs is said by searches of an engine ([Judge]). The
// package starts no goroutines but those of the network and of the engine; both belong to one goroutine at a time.
package people

import (
	"cmp"
	"math"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
)

// What is called a trap.
const (
	// Many is the share of the players of a rating from which on many play a move.
	Many = 0.10
	// Loses is what a move that loses costs at least, in points of expected score: what Lichess calls a blunder.
	Loses = 0.15
)

// Ratings are those of the page and of the measurement, ascending.
func Ratings() []int { return []int{1100, 1300, 1500, 1700, 1900, 2100, 2300, 2500} }

// Nearest returns the place in ratings, which ascend, of the one that is nearest to a rating; of two the lower.
func Nearest(ratings []int, rating int) int {
	best := 0
	for i, r := range ratings {
		if abs(r-rating) < abs(ratings[best]-rating) {
			best = i
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// Move is a legal move of a position.
type Move struct {
	board.Move
	Said   []float64 // share of the players who would play it by the network, by rating, 0 to 1
	Shares []float64 // the same, after what moves cost: see [View]

	Judged   bool          // an engine has searched it
	Score    dataset.Score // after it, for who plays it
	Line     []board.Move  // the engine's, from the move on
	Expected float64       // score of who plays it, 0 to 1, by the engine's score
}

// said is the network's greatest share over all ratings.
func (m *Move) said() float64 { return slices.Max(append([]float64{0}, m.Said...)) }

// judge sets what an engine says of the move.
func (m *Move) judge(s dataset.Score, line []board.Move) {
	chances, ok := encode.WinningChances(s)
	m.Judged, m.Score, m.Line, m.Expected = ok, s, line, 0.5+float64(chances)/2
}

// View is a position with its moves, those that many play by the network first.
//
// Players see some of what a network without search does not: of the moves that lose, far fewer are played than it
// says. So the shares of the moves that were judged are divided up anew among them, each times
// (1 − cost)^(0.3·√rating), as the play of chess-deep-learning has it.
type View struct {
	Ratings []int
	Moves   []Move // all legal ones
	Knows   bool   // the network knows what moves cost, and its shares stay as they are
}

// NewView lays moves out by what a network says, of which there is a list for each rating.
func NewView(ratings []int, legal []board.Move, shares [][]float64) *View {
	v := &View{Ratings: ratings}
	for i, m := range legal {
		move := Move{Move: m}
		for _, list := range shares {
			move.Said = append(move.Said, list[i])
		}
		move.Shares = slices.Clone(move.Said)
		v.Moves = append(v.Moves, move)
	}
	slices.SortStableFunc(v.Moves, func(a, b Move) int {
		return cmp.Or(cmp.Compare(b.said(), a.said()), cmp.Compare(a.Move, b.Move))
	})
	return v
}

// Find returns a move; nil if it is not legal.
func (v *View) Find(m board.Move) *Move {
	i := slices.IndexFunc(v.Moves, func(other Move) bool { return other.Move == m })
	if i < 0 {
		return nil
	}
	return &v.Moves[i]
}

// Best is the judged move with the highest expected score, of several the one that more people play; nil without any.
func (v *View) Best() *Move {
	var best *Move
	for i := range v.Moves {
		if m := &v.Moves[i]; m.Judged && (best == nil || better(m.Score, best.Score)) {
			best = m
		}
	}
	return best
}

// better compares two scores for the same player: of two mates the shorter one is better.
func better(a, b dataset.Score) bool {
	x, _ := encode.TalbotBot{}.Value(a)
	y, _ := encode.TalbotBot{}.Value(b)
	if x != y {
		return x > y
	}
	cp, known := a.Centipawns()
	other, also := b.Centipawns()
	return known && also && cp > other
}

// Cost is what a move costs against the best one, in points of expected score, 0 to 1; false if it is not known.
func (v *View) Cost(m *Move) (cost float64, known bool) {
	best := v.Best()
	if best == nil || !m.Judged {
		return 0, false
	}
	return max(0, best.Expected-m.Expected), true
}

// weigh divides the shares of the judged moves up by what they cost.
func (v *View) weigh() {
	if v.Knows {
		return
	}
	for i, rating := range v.Ratings {
		exponent := 0.3 * math.Sqrt(float64(rating))
		said, weighed := 0.0, 0.0
		for k := range v.Moves {
			m := &v.Moves[k]
			if cost, known := v.Cost(m); known {
				m.Shares[i] = m.Said[i] * math.Pow(1-cost, exponent)
				said, weighed = said+m.Said[i], weighed+m.Shares[i]
			}
		}
		for k := range v.Moves {
			if m := &v.Moves[k]; m.Judged && weighed > 0 {
				m.Shares[i] *= said / weighed
			}
		}
	}
}

// Trap reports whether many of the players of a rating, by its place, would play a move that loses.
func (v *View) Trap(m *Move, rating int) bool {
	cost, known := v.Cost(m)
	return known && cost >= Loses && m.Shares[rating] >= Many
}

// shownShare is the share from which on a move is worth a search.
const shownShare = 0.02

// Shown returns the moves that are worth a search: those that at least two in a hundred of the players of some rating
// would play, the likeliest first, and the one that was played, if that is legal; so many at most.
func (v *View) Shown(played board.Move, most int) (list []board.Move) {
	for i := range v.Moves {
		if m := &v.Moves[i]; m.said() >= shownShare && len(list) < most {
			list = append(list, m.Move)
		}
	}
	if v.Find(played) != nil && !slices.Contains(list, played) {
		list = append(list[:min(len(list), most-1)], played)
	}
	return list
}
