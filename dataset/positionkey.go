package dataset

import "talbot/board"

// PositionKey is a position's identity, and where it occurs, in one number that [Keys] can sort:
//
//	bits 63 … 3  of the key of the position with colours and ranks mirrored so that White is to move
//	bit  2       Black is to move
//	bits 1 … 0   the [Split], or [NoSample] for a position that is no sample
//
// Two positions are equal (counters left out) if their bits 63 … 2 are, and equal up to colours if their bits 63 … 3
// are. Of n different positions about n²/2⁶² pairs are taken for equal: below one in ten among 500 million.
type PositionKey uint64

// PositionKeys makes keys; it is fastest for positions of one game in a row. It is for one goroutine, and its zero
// value is ready.
type PositionKeys struct{ mirrored board.MirrorKeys }

// Key returns the key of a position in a split.
func (k *PositionKeys) Key(p *board.Position, s Split) PositionKey {
	if p.Turn() == board.White {
		return PositionKey(p.Key()&^7 | uint64(s))
	}
	return PositionKey(k.mirrored.Key(p)&^7 | 4 | uint64(s))
}

// Copies are the occurrences of a position and of its mirror image, by bits 2 … 0 of their keys.
type Copies [8]int64

// EachPosition calls f for each position, up to colours, of sorted [PositionKey]s. f must not keep its copies.
func EachPosition(sorted []uint64, f func(c *Copies)) {
	var c Copies
	for len(sorted) > 0 {
		c = Copies{}
		first := sorted[0] >> 3
		n := 0
		for n < len(sorted) && sorted[n]>>3 == first {
			c[sorted[n]&7]++
			n++
		}
		f(&c)
		sorted = sorted[n:]
	}
}

// Samples returns the samples with that side to move (0 White, 1 Black), over all splits.
func (c *Copies) Samples(side int) int64 { return c[4*side] + c[4*side+1] + c[4*side+2] }
