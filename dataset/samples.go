package dataset

import (
	"fmt"
	"math/bits"
)

// Samples says which plies of a line are samples. Ply k is the position after k moves; a line of n moves has the
// plies 0 … n. The zero value is [AllMoves].
type Samples struct {
	kind   SamplesKind
	bitmap []byte
}

// SamplesKind is the rule by which plies are samples. Its numbers are those of the shard format.
type SamplesKind uint8

// The kinds of samples.
const (
	KindAllMoves SamplesKind = iota
	KindOddPlies
	KindLastPosition
	KindSomePlies
)

// AllMoves makes every ply a sample from which a move was played: 0 … n−1.
func AllMoves() Samples { return Samples{} }

// OddPlies makes the plies 1, 3, 5 … below n samples: the solver's moves of a puzzle whose first move is the
// opponent's.
func OddPlies() Samples { return Samples{kind: KindOddPlies} }

// LastPosition makes the position at the end the only sample: ply n.
func LastPosition() Samples { return Samples{kind: KindLastPosition} }

// SomePlies makes those plies samples whose bits are set: ply k is bit k%8 (bit 0 = least significant) of byte k/8;
// plies after the end of the bitmap are no samples. The bitmap is kept, not copied.
func SomePlies(bitmap []byte) Samples { return Samples{kind: KindSomePlies, bitmap: bitmap} }

// PliesFrom makes n plies samples, from one on.
func PliesFrom(first, n int) Samples {
	bitmap := make([]byte, (first+n+7)/8)
	for k := first; k < first+n; k++ {
		bitmap[k/8] |= 1 << (k % 8)
	}
	return SomePlies(bitmap)
}

// Kind returns the rule, and the bitmap of [KindSomePlies] (nil for the others).
func (s Samples) Kind() (SamplesKind, []byte) { return s.kind, s.bitmap }

// Count returns how many samples a line of n moves has.
func (s Samples) Count(n int) int {
	switch s.kind {
	case KindAllMoves:
		return n
	case KindOddPlies:
		return n / 2
	case KindLastPosition:
		return 1
	}
	count := 0
	for i, b := range s.bitmap {
		if last := n - 8*i; last < 7 { // the plies above n do not exist
			if last < 0 {
				break
			}
			b &= 1<<(last+1) - 1
		}
		count += bits.OnesCount8(b)
	}
	return count
}

// Has reports whether the ply is a sample in a line of n moves.
func (s Samples) Has(ply, n int) bool {
	switch s.kind {
	case KindAllMoves:
		return ply >= 0 && ply < n
	case KindOddPlies:
		return ply >= 0 && ply < n && ply%2 == 1
	case KindLastPosition:
		return ply == n
	}
	return ply >= 0 && ply <= n && ply/8 < len(s.bitmap) && s.bitmap[ply/8]>>(ply%8)&1 == 1
}

// Plies appends the samples of a line of n moves to dst, ascending.
func (s Samples) Plies(dst []int, n int) []int {
	switch s.kind {
	case KindAllMoves:
		for ply := range n {
			dst = append(dst, ply)
		}
		return dst
	case KindOddPlies:
		for ply := 1; ply < n; ply += 2 {
			dst = append(dst, ply)
		}
		return dst
	case KindLastPosition:
		return append(dst, n)
	}
	for i, b := range s.bitmap {
		for ; b != 0; b &= b - 1 {
			if ply := 8*i + bits.TrailingZeros8(b); ply <= n {
				dst = append(dst, ply)
			}
		}
	}
	return dst
}

// check returns an error if a set bit is no ply of a line of n moves.
func (s Samples) check(n int) error {
	if s.kind > KindSomePlies {
		return fmt.Errorf("unknown kind of samples %d", s.kind)
	}
	for i := len(s.bitmap) - 1; i >= 0; i-- {
		if b := s.bitmap[i]; b != 0 {
			if ply := 8*i + 7 - bits.LeadingZeros8(b); ply > n {
				return fmt.Errorf("sample at ply %d of a line of %d moves", ply, n)
			}
			break
		}
	}
	return nil
}
