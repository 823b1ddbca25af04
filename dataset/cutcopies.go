package dataset

import (
	"math/bits"
	"slices"
)

// Two lines are cut copies of each other if they begin at the same position (counters do not count) and the moves of
// one, at least [CutPlies] of them, are the first moves of the other. Reconstructed history is no part of a line here
// (see [Line.WithoutHistory]), so snapshots, endgames and all but very long puzzles are never cut copies.
//
// Below [SplitPlies] a cut changes the split key, so a game and what is left of it can be in two splits, and the longer
// of two such lines holds the whole shorter one. Between lines that are split by the same percentages the shorter one
// always has fewer than SplitPlies plies: otherwise both have the same key. Openings recur, which is why fewer than
// CutPlies common plies say nothing.

// CutPlies is the least number of plies that two cut copies have in common.
const CutPlies = 20

// Cuttable reports whether a line can be a cut copy of another one, or the other of it.
func (l *Line) Cuttable() bool { return len(l.Moves)-l.Reconstructed >= CutPlies }

// CutKeys appends the keys of the first [CutPlies], CutPlies + 1, … most plies of a line, as far as it goes. whole says
// that the last of them is the key of the whole line; a line without keys is not. The probability that two different
// beginnings among n have the same key is about n²/2⁶⁵.
func (l *Line) CutKeys(dst []uint64, most int) (keys []uint64, whole bool) {
	if !l.Cuttable() {
		return dst, false
	}
	start, moves := l.WithoutHistory()
	k := startKey(&start)
	for i, m := range moves[:min(len(moves), most)] {
		if k = k.Play(m); i+1 >= CutPlies {
			dst = append(dst, k.A^bits.RotateLeft64(k.B, 32))
		}
	}
	return dst, len(moves) <= most
}

// CutSet is a set of lines in which cut copies of others are found, among lines that are split by the same percentages
// and where pairs in the same split do not matter: it only knows beginnings of fewer than [SplitPlies] plies. It takes
// up to 80 bytes a line. The zero value is empty.
type CutSet struct {
	wholes []uint64 // keys of whole lines
	begins []uint64 // keys of what longer lines begin with
}

// Add adds a line.
func (s *CutSet) Add(l *Line) {
	var space [SplitPlies - CutPlies]uint64
	keys, whole := l.CutKeys(space[:0], SplitPlies-1)
	if whole {
		last := len(keys) - 1
		s.wholes, keys = append(s.wholes, keys[last]), keys[:last]
	}
	s.begins = append(s.begins, keys...)
}

// Merge adds the lines of another set.
func (s *CutSet) Merge(other *CutSet) {
	s.wholes, s.begins = append(s.wholes, other.wholes...), append(s.begins, other.begins...)
}

// Sort makes the set ready for [CutSet.Has] and [CutSet.Common]. It is to be called when lines were added.
func (s *CutSet) Sort() {
	for _, keys := range []*[]uint64{&s.wholes, &s.begins} {
		slices.Sort(*keys)
		*keys = slices.Clip(slices.Compact(*keys))
	}
}

// Has reports whether the line is a cut copy of a line in the set, or a whole one. It may be called concurrently with
// itself and with Common.
func (s *CutSet) Has(l *Line) bool {
	var found CutSet
	s.Common(l, &found)
	return len(found.wholes)+len(found.begins) > 0
}

// Common adds to found what l has in common with its cut copies in the set, so that found has these lines, and no
// others of the set.
func (s *CutSet) Common(l *Line, found *CutSet) {
	var space [SplitPlies - CutPlies]uint64
	keys, whole := l.CutKeys(space[:0], SplitPlies-1)
	for i, key := range keys {
		_, isWhole := slices.BinarySearch(s.wholes, key)
		if whole && i == len(keys)-1 {
			if _, isBegin := slices.BinarySearch(s.begins, key); isWhole || isBegin {
				found.wholes = append(found.wholes, key)
			}
		} else if isWhole {
			found.begins = append(found.begins, key)
		}
	}
}
