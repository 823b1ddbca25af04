package synth

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"talbot/board"
)

// Past says what reconstructed moves are like.
type Past struct {
	// Captures and Promotions are the weights of captures and of promotions, en passant and capturing ones included,
	// where other moves have the weight 1: where each is possible, a move is a capture with the chance
	// Captures ÷ (1 + Captures + …). A promotion that captures has the product of both. 0 is never.
	Captures, Promotions float64
	// MostPieces is how many pieces a position of the past may have, kings included.
	MostPieces int
}

// DefaultPast has captures as often as master games have them in front of positions with up to seven pieces: 30 % of
// these have one among their last four plies (695,901 positions of 325,495 games).
var DefaultPast = Past{Captures: 0.09, Promotions: 0.02, MostPieces: 32}

// The kinds of moves of a past.
const (
	quiet = iota
	capture
	promotion
	capturingPromotion
	kinds
)

// maxTrials bounds the retro-moves that are tried for one past. Positions that
// have one need as many as it has plies, hardly ever a few more.
const maxTrials = 10_000

// Reconstructor finds pasts. It is not safe for concurrent use.
type Reconstructor struct {
	past    Past
	weights [kinds]float64
	plies   [][]board.Unmove // of each ply of a past being sought: the retro-moves not tried yet
	front   []board.Unmove   // of the position in front of it
	trials  int
}

// NewReconstructor returns a reconstructor, or what is wrong with the weights.
func NewReconstructor(p Past) (*Reconstructor, error) {
	for _, w := range []float64{p.Captures, p.Promotions} {
		if !(w >= 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("weight of captures or promotions must not be negative: %g", w)
		}
	}
	if p.MostPieces < MinPieces {
		return nil, errors.New("the history needs at least three pieces")
	}
	return &Reconstructor{past: p, weights: [kinds]float64{1, p.Captures, p.Promotions, p.Captures * p.Promotions}}, nil
}

func (v *Reconstructor) clone() *Reconstructor {
	return &Reconstructor{past: v.past, weights: v.weights}
}

// Reconstruct finds a past of len(moves) plies that leads to p: it fills moves and returns the position in front of
// them. Played from there they are legal and give p. It reports false if none lies within the bounds.
//
// Each ply is drawn from the last one backwards: its kind by the weights, among the kinds that are possible, then the
// retro-move, all of a kind alike. Where a draw leads to a position without retro-moves another is taken. A check or an
// en passant square in front of the past can have come about by a move too.
//
// The counters of p are respected, unless they are those of a position of which nothing is known (0 and 1) or cannot
// be: as many plies as the halfmove clock says are reversible, the one before is not. The counters of the past are
// those that lead to p's; the clock in front of the last capture or pawn move counts from 0.
func (v *Reconstructor) Reconstruct(rng *rand.Rand, p board.Position, moves []board.Move) (start board.Position,
	ok bool) {
	for len(v.plies) < len(moves) {
		v.plies = append(v.plies, nil)
	}
	v.trials = 0
	if p.HalfmoveClock() > 0 || p.FullmoveNumber() > 1 {
		if start, ok = v.find(rng, p, moves, p.HalfmoveClock()); ok {
			return start, true
		}
	}
	return v.find(rng, p, moves, free)
}

// free is the clock of a position of which it is not known.
const free = -1

// find looks for the past of the remaining plies.
func (v *Reconstructor) find(rng *rand.Rand, p board.Position, moves []board.Move, clock int) (board.Position, bool) {
	n := len(moves)
	if n == 0 {
		return p, v.reachable(&p)
	}
	all := v.possible(p.Unmoves(v.plies[n-1][:0]), &p, clock)
	v.plies[n-1] = all
	var counts [kinds]int
	for _, u := range all {
		counts[kindOf(u)]++
	}
	for v.trials < maxTrials {
		kind := v.kind(rng, &counts)
		if kind < 0 {
			return p, false
		}
		v.trials++
		counts[kind]--
		i := nth(all, kind, rng.IntN(counts[kind]+1))
		u := all[i]
		all[i] = all[len(all)-1]
		all = all[:len(all)-1]
		before := clock - 1
		if clock <= 0 { // what came before the last capture or pawn move is unknown
			before = free
		}
		if start, ok := v.find(rng, p.Before(u), moves[:n-1], before); ok {
			moves[n-1] = u.Move
			return start, true
		}
	}
	return p, false
}

// reachable reports whether the position in front of a past can have come about where it says how: a check, perhaps a
// double one, or an en passant square that no move leaves would show that it was made up.
func (v *Reconstructor) reachable(p *board.Position) bool {
	if !p.InCheck() && p.EnPassant() == board.NoSquare {
		return true
	}
	v.front = p.Unmoves(v.front[:0])
	return len(v.front) > 0
}

func kindOf(u board.Unmove) (kind int) {
	if u.Captured != board.NoPieceType {
		kind = capture
	}
	if u.Move.Promotion() != board.NoPieceType {
		kind += promotion
	}
	return kind
}

// nth returns the place of the n-th retro-move of a kind.
func nth(all []board.Unmove, kind, n int) int {
	for i, u := range all {
		if kindOf(u) == kind {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return -1
}

// possible keeps the retro-moves that neither the clock nor the bound on pieces rules out.
func (v *Reconstructor) possible(all []board.Unmove, p *board.Position, clock int) []board.Unmove {
	full := p.Occupied().Len() >= v.past.MostPieces
	if clock == free && !full {
		return all
	}
	return slices.DeleteFunc(all, func(u board.Unmove) bool {
		return full && u.Captured != board.NoPieceType || clock != free && u.Irreversible(p) != (clock == 0)
	})
}

// kind draws a kind that has retro-moves left, −1 if none has.
func (v *Reconstructor) kind(rng *rand.Rand, counts *[kinds]int) int {
	sum, last := 0.0, -1
	for kind, n := range counts {
		if n > 0 && v.weights[kind] > 0 {
			sum += v.weights[kind]
			last = kind
		}
	}
	if last <= quiet {
		return last
	}
	x := float64(rng.Float64() * sum) // not fused with the differences below: all machines draw alike
	for kind := range last {
		if counts[kind] > 0 {
			if x -= v.weights[kind]; x < 0 {
				return kind
			}
		}
	}
	return last
}
