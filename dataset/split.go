package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"talbot/board"
)

// SplitPlies is how many leading moves of a line its split key covers. A game that was cut at that ply or later, and
// every game that shares these plies with it, is in the same split.
const SplitPlies = 20

// appendMoves appends moves as little-endian 16-bit numbers.
func appendMoves(dst []byte, moves []board.Move) []byte {
	for _, m := range moves {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(m))
	}
	return dst
}

// SplitKey returns the key that decides the split of a line: the xxHash64 (seed 0) of its start position as the
// first four fields of its FEN, a line feed, and its first [SplitPlies] moves as little-endian 16-bit numbers, all of
// its real part (see [Line.WithoutHistory]). It depends on nothing else, so the same game has the same key in every
// dataset, and the same position whatever history was reconstructed for it.
//
// An aggregated position ([SourceAggregate]) is taken as its side to move sees it: it and its mirror image with the
// colours swapped, between which a network need not see a difference, are in one split.
func SplitKey(line *Line) uint64 {
	var space [256]byte
	start, moves := line.WithoutHistory()
	if line.Source == SourceAggregate && start.Turn() == board.Black {
		start = start.Mirror()
	}
	b := append(start.AppendEPD(space[:0]), '\n')
	return xxhash.Sum64(appendMoves(b, moves[:min(len(moves), SplitPlies)]))
}

// GameHash returns the identity of the line's start and all its moves, for finding copies of a game: the first 16
// bytes of the SHA-256 of what [SplitKey] hashes, with all moves. Move counters of the start and reconstructed history
// do not count.
func (l *Line) GameHash() [16]byte {
	var space [1024]byte
	start, moves := l.WithoutHistory()
	b := append(start.AppendEPD(space[:0]), '\n')
	sum := sha256.Sum256(appendMoves(b, moves))
	return [16]byte(sum[:16])
}

// Split is the part of the data a line belongs to.
type Split uint8

// The splits.
const (
	Train Split = iota
	Val
	Test
	NoSample // stands for the split of a position that is no sample, in a [PositionKey]
)

// AllSplits returns train, val and test.
func AllSplits() []Split { return []Split{Train, Val, Test} }

var splitNames = [...]string{"train", "val", "test"}

// String returns "train", "val" or "test".
func (s Split) String() string { return nameOf("Split", s, splitNames[:]) }

// ParseSplit reads "train", "val" or "test".
func ParseSplit(s string) (Split, error) {
	return parseName[Split]("split", s, splitNames[:])
}

// Splits are the percentages of the lines that each split gets; they sum to 100.
type Splits struct {
	Train int `json:"train"`
	Val   int `json:"val"`
	Test  int `json:"test"`
}

// DefaultSplits is 90 % for training and 5 % each for validation and test.
var DefaultSplits = Splits{Train: 90, Val: 5, Test: 5}

// ParseSplits reads percentages as "90,5,5": train, val, test.
func ParseSplits(s string) (Splits, error) {
	parts := strings.Split(s, ",")
	if len(parts) != 3 {
		return Splits{}, fmt.Errorf("splits %q: expected three percentages such as 90,5,5", s)
	}
	var n [3]int
	for i, part := range parts {
		v, err := strconv.ParseUint(strings.TrimSpace(part), 10, 8)
		if err != nil || v > 100 {
			return Splits{}, fmt.Errorf("splits %q: %q is not a whole number from 0 to 100", s, part)
		}
		n[i] = int(v)
	}
	splits := Splits{Train: n[0], Val: n[1], Test: n[2]}
	if err := splits.Check(); err != nil {
		return Splits{}, err
	}
	return splits, nil
}

// Check returns an error unless the percentages are from 0 to 100 and sum to 100.
func (s Splits) Check() error {
	if min(s.Train, s.Val, s.Test) < 0 || s.Train+s.Val+s.Test != 100 {
		return fmt.Errorf("splits %q do not sum to 100", s)
	}
	return nil
}

// String returns the percentages as "90,5,5".
func (s Splits) String() string { return fmt.Sprintf("%d,%d,%d", s.Train, s.Val, s.Test) }

// Of returns the split of a key: the key's place in its range, as a percentage, counted up train, val, test.
func (s Splits) Of(key uint64) Split {
	percent, _ := bits.Mul64(key, 100) // floor(key · 100 / 2⁶⁴)
	switch {
	case int(percent) < s.Train:
		return Train
	case int(percent) < s.Train+s.Val:
		return Val
	}
	return Test
}
