package binpack

import (
	"fmt"

	"talbot/board"
	"talbot/dataset"
)

// figures are those of the first positions of a file, which show what its scores are.
type figures struct {
	positions     int
	leelaWon      int // scores of ±26624
	beyond        int // scores beyond that which are no placeholder
	largest       int
	tactical      int // tactical positions with a score, 0 or not
	tacticalZeros int // of them, with 0
	signs         dataset.Signs
}

// add counts the positions of a chain.
func (f *figures) add(c *Chain) {
	f.positions += len(c.Scores)
	result := c.result()
	c.eachPosition(func(ply int, p *board.Position, m board.Move) {
		v := int(c.Scores[ply])
		if v == NoScore {
			return
		}
		size := max(v, -v)
		f.largest = max(f.largest, size)
		switch {
		case size == leelaWon:
			f.leelaWon++
		case size > leelaWon:
			f.beyond++
		}
		if isTactical(p, m) {
			f.tactical++
			if v == 0 {
				f.tacticalZeros++
			}
		}
		if size >= decisive {
			f.signs.Add(p, v > 0, result)
		}
	})
}

// decide finds the unit, or compares the one that was stated.
func (f *figures) decide(unit *Unit) error {
	seen := fmt.Sprintf("of its first %d positions %d have a score of ±%d, %d a larger one, the largest is %d",
		f.positions, f.leelaWon, leelaWon, f.beyond, f.largest)
	leela := f.leelaWon >= leastMarks && f.beyond == 0
	switch {
	case *unit == AnyUnit:
		return nil
	case *unit == FindUnit && leela:
		*unit = Leela
	case *unit == FindUnit:
		return fmt.Errorf("%w: not stated, and nothing shows it: %s", ErrUnit, seen)
	case *unit == Leela && f.beyond > 0:
		return fmt.Errorf("%w: it cannot be %s: %s", ErrUnit, *unit, seen)
	case *unit != Leela && leela:
		return fmt.Errorf("%w: it cannot be %s, the scores are Leela's: %s", ErrUnit, *unit, seen)
	}
	if f.signs.Contradict() {
		return fmt.Errorf("%w: they are not from the mover's view: of its first %d positions, %v", ErrUnit, f.positions,
			&f.signs)
	}
	return nil
}
