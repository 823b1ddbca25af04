package review

import (
	"context"
	"math"
	"slices"
	"strconv"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
)

// A trap is a move that at least this share of the players of a rating would still play ([StillPlayed]) and that costs
// at least so much, in points of expected score: what Lichess calls a blunder.
const (
	TrapShare = 0.10
	TrapCost  = 0.15
)

// StillPlayed returns by what factor a move's cost, 0 to 1 in points of expected score, lowers the share of the players
// of a rating who play it below what a network without search says: (1 − cost)^(0.3·√rating). The shares of the moves
// whose costs are known are divided up anew by it.
func StillPlayed(cost float64, rating int) float64 {
	return math.Pow(1-cost, 0.3*math.Sqrt(float64(rating)))
}

// Traps counts the traps of a side.
type Traps struct {
	Name   string `json:"name"`
	Met    int    `json:"met"`    // positions in which the side could fall into one
	Fallen int    `json:"fallen"` // those in which it did
	Set    int    `json:"set"`    // moves after which the other side met one
	Worked int    `json:"worked"` // those after which it fell into it
}

// weighed is a move with the share of the players who play it, by the network, and the expected score, 0 to 1.
type weighed struct {
	move     board.Move
	share    float64
	expected float64
	known    bool // the expected score
	asked    bool // by a search of its own
}

// lure is a position in which a move may be a trap.
type lure struct {
	at     board.Position
	rating int
	side   int // in [Summary.Traps]
	set    bool
	played board.Move
	best   float64 // expected score of the position
	moves  []weighed
}

// expected is the expected score of a score, 0 to 1.
func expected(s dataset.Score) float64 {
	chances, _ := encode.WinningChances(s)
	return 0.5 + float64(chances)/2
}

// newLure returns the position of a move with what is known of its moves; false where none can be a trap, whatever the
// unknown ones cost.
func newLure(m *Move, at *board.Position, side int, set bool) (lure, bool) {
	l := lure{at: *at, rating: m.rating, side: side, set: set, played: m.move, best: expected(m.before())}
	for _, w := range m.tempting {
		switch {
		case w.move == m.move:
			w.expected, w.known = expected(m.ScoreAfter()), true
		case len(m.line) > 0 && w.move == m.line[0]:
			w.expected, w.known = l.best, true
		}
		l.moves = append(l.moves, w)
	}
	return l, len(l.traps(TrapCost, true)) > 0
}

// traps returns the moves that are traps, if one costs at least so much; with may also those that could be, were the
// costs that are not known just so high.
func (l *lure) traps(cost float64, may bool) (list []board.Move) {
	best, judged, left := l.best, 0.0, 0.0
	for _, w := range l.moves {
		if w.known {
			best = max(best, w.expected)
		}
	}
	factor := func(w weighed) float64 { return StillPlayed(best-w.expected, l.rating) }
	for _, w := range l.moves {
		if w.known {
			judged, left = judged+w.share, left+w.share*factor(w)
		}
	}
	for _, w := range l.moves {
		switch {
		case w.share < TrapShare: // their costs are not looked for, unless they were played
		case w.known && best-w.expected >= cost && w.share*factor(w)*judged >= TrapShare*left:
			list = append(list, w.move)
		case may && !w.known:
			if still := w.share * StillPlayed(cost, l.rating); still >= TrapShare*(left+still) {
				list = append(list, w.move)
			}
		}
	}
	return list
}

// findTraps has the engine search the positions after tempting moves, with a tenth of the nodes and, where the move
// then costs at least half of what a trap does, with all of them, and counts the traps.
func (r *Request) findTraps(ctx context.Context, dir string, lures []lure, count []Traps) error {
	for step, divided := range []int64{10, 1} {
		var text [][]string
		var asked []*weighed
		var after []board.Position
		for i := range lures {
			l := &lures[i]
			found := l.traps([...]float64{TrapCost, TrapCost / 2}[step], step == 0)
			for k := range l.moves {
				w := &l.moves[k]
				if w.known && !w.asked || !slices.Contains(found, w.move) {
					continue
				}
				position := l.at.After(w.move)
				w.asked = true
				if legal := position.LegalMoves(nil); len(legal) > 0 {
					text = append(text, puzzleRow(strconv.Itoa(len(asked)), &l.at, []board.Move{w.move, legal[0]}))
					asked, after = append(asked, w), append(after, position)
				} else if w.expected, w.known = 0.5, true; position.InCheck() {
					w.expected = 1
				}
			}
		}
		if len(asked) == 0 {
			break
		}
		s := searchIn(dir, [...]string{"tempting", "traps"}[step], 1, 1, divided)
		lines, err := r.search(ctx, s, text)
		if err != nil {
			return err
		}
		for i, line := range lines {
			said, known := labelAt(&after[i], dataset.Counted{Value: line.Labels[0].Labels[0]})
			asked[i].expected, asked[i].known = 1-expected(said.score), known
		}
	}
	for i := range lures {
		l := &lures[i]
		found := l.traps(TrapCost, false)
		if len(found) == 0 {
			continue
		}
		own, other := &count[l.side], &count[1-l.side]
		fell := slices.Contains(found, l.played)
		own.Met++
		if fell {
			own.Fallen++
		}
		if l.set {
			other.Set++
		}
		if l.set && fell {
			other.Worked++
		}
	}
	return nil
}
