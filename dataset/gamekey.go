package dataset

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"talbot/board"
)

// GameKey is a hash of a start position (without counters) and the moves from it that grows move by move, so that
// the keys of all prefixes of a game cost one pass over its moves. Its two halves are independent.
type GameKey struct{ A, B uint64 }

// StartKey returns the key of a line before its first move.
func (l *Line) StartKey() GameKey {
	h := xxhash.Sum64String(l.Start.EPD())
	return GameKey{h, bits.RotateLeft64(h, 32) * 0x9E3779B97F4A7C15}
}

// Play returns the key after a move.
func (k GameKey) Play(m board.Move) GameKey {
	hi, lo := bits.Mul64(k.A^uint64(m)<<24, 0xD6E8FEB86659FD93)
	b := (k.B ^ uint64(m)) * 0xBF58476D1CE4E5B9
	return GameKey{hi ^ lo, b ^ b>>29}
}

// GameKey returns the key of the whole line.
func (l *Line) GameKey() GameKey {
	k := l.StartKey()
	for _, m := range l.Moves {
		k = k.Play(m)
	}
	return k
}
