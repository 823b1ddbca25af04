package synth

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"

	"talbot/board"
)

// table holds values with the sums of their weights.
type table[T any] struct {
	values []T
	sums   []float64 // of the weights up to and with each value
}

func (t *table[T]) add(v T, weight float64) {
	if weight <= 0 {
		return
	}
	sum := weight
	if n := len(t.sums); n > 0 {
		sum += t.sums[n-1]
	}
	t.values, t.sums = append(t.values, v), append(t.sums, sum)
}

// weight returns the weight of the i-th value.
func (t *table[T]) weight(i int) float64 {
	if i == 0 {
		return t.sums[0]
	}
	return t.sums[i] - t.sums[i-1]
}

// at returns the value at a place from 0 to 1 of a table that is not empty.
func (t *table[T]) at(place float64) T {
	x := place * t.sums[len(t.sums)-1]
	return t.values[min(sort.Search(len(t.sums), func(i int) bool { return t.sums[i] > x }), len(t.sums)-1)]
}

// pick draws a value of a table that is not empty.
func pick[T any](rng *rand.Rand, t table[T]) T { return t.at(rng.Float64()) }

// choice says which material is drawn: the number of pieces by its weight, then
// one of the materials of that number, of either colour.
type choice struct {
	counts    table[int]
	materials [MaxPieces + 1]table[board.Material]
	balance   int
}

func newChoice(c *Config) (*choice, error) {
	ch := &choice{balance: c.Balance}
	weights := c.Pieces
	if len(c.Materials) > 0 {
		var named PieceWeights
		for _, w := range c.Materials {
			n := w.Material.Pieces()
			named[n] += w.Weight
			ch.materials[n].add(w.Material, w.Weight/2)
			ch.materials[n].add(w.Material.Mirror(), w.Weight/2)
		}
		if weights == (PieceWeights{}) {
			weights = named
		}
	} else {
		if c.Types == (TypeWeights{}) || weights == (PieceWeights{}) {
			return nil, errors.New("weights of pieces or piece counts are missing")
		}
		for n := range weights {
			ch.materials[n] = oneByOne(c.Types, n)
		}
	}
	for n, w := range weights {
		if w == 0 {
			continue
		}
		if ch.validShare(n) < minValidShare {
			return nil, fmt.Errorf("(almost) no material with %d pieces qualifies: %w", n, ErrNoMaterial)
		}
		ch.counts.add(n, w)
	}
	return ch, nil
}

// ErrNoMaterial: for a requested number of pieces no material is possible. The caller says which flags to change.
var ErrNoMaterial = errors.New("all are dead, unbalanced or not in the list")

// minValidShare is the share of the materials, by weight, that must be fit, so that drawing one takes a bounded time.
const minValidShare = 1e-4

// validShare returns the share of the materials of n pieces that is fit.
func (ch *choice) validShare(n int) float64 {
	all, fit := ch.materials[n], ch.materials[n].without(ch.unfit)
	if len(fit.sums) == 0 {
		return 0
	}
	return fit.sums[len(fit.sums)-1] / all.sums[len(all.sums)-1]
}

func (ch *choice) unfit(m board.Material) bool { return ch.rejectReason(m) != accepted }

// rejectReason returns why no endgame is drawn with the material.
func (ch *choice) rejectReason(m board.Material) int {
	switch d := m.Difference(); {
	case !m.CanMate():
		return dead
	case ch.balance >= 0 && max(d, -d) > ch.balance:
		return unbalanced
	}
	return accepted
}

// mostOfType is how many pieces of a type a side may have where pieces are drawn one by one.
var mostOfType = [...]int{board.Pawn: 8, board.Knight: 2, board.Bishop: 2, board.Rook: 2, board.Queen: 1}

// oneByOne returns the materials of that many pieces, kings included, with the chance that drawing one piece after the
// other gives them: type by weight and colour by coin, once more where the side has the most it may have.
func oneByOne(types TypeWeights, pieces int) (t table[board.Material]) {
	chances := map[board.Material]float64{0: 1}
	for range pieces - 2 {
		next := map[board.Material]float64{}
		for _, m := range slices.Sorted(maps.Keys(chances)) {
			var open table[board.Material]
			for c := board.White; c <= board.Black; c++ {
				for pt := board.Pawn; pt <= board.Queen; pt++ {
					if m.Count(c, pt) < mostOfType[pt] {
						open.add(m.With(c, pt), types[pt])
					}
				}
			}
			for i, with := range open.values {
				// The conversion keeps machines from fusing product and sum: all give the same bits.
				next[with] += float64(chances[m] * open.weight(i) / open.sums[len(open.sums)-1])
			}
		}
		chances = next
	}
	for _, m := range slices.Sorted(maps.Keys(chances)) {
		t.add(m, chances[m])
	}
	return t
}

// Remaining is what is left to draw when classes run out of positions.
type Remaining struct {
	counts    table[int]
	materials [MaxPieces + 1]table[board.Material]
	exhausted map[board.Material]bool
}

// Remaining returns all that the drawer draws.
func (d *Drawer) Remaining() *Remaining {
	l := &Remaining{counts: d.choice.counts.without(func(int) bool { return false }),
		exhausted: map[board.Material]bool{}}
	for n := range l.materials {
		l.materials[n] = d.choice.materials[n].without(d.choice.unfit)
	}
	return l
}

// Exhausted reports whether a class has been given up.
func (l *Remaining) Exhausted(class board.Material) bool { return l.exhausted[class] }

// Exhaust gives up a class: its share is spread over the other materials of as many pieces, in proportion to their
// weights, or, if there are none, over the other numbers of pieces.
func (l *Remaining) Exhaust(class board.Material) {
	l.exhausted[class] = true
	n := class.Pieces()
	l.materials[n] = l.materials[n].without(func(m board.Material) bool { return m.Fold() == class })
	if len(l.materials[n].values) == 0 {
		l.counts = l.counts.without(func(count int) bool { return count == n })
	}
}

// without returns the table without some of its values.
func (t *table[T]) without(gone func(T) bool) (rest table[T]) {
	for i, v := range t.values {
		if !gone(v) {
			rest.add(v, t.weight(i))
		}
	}
	return rest
}
