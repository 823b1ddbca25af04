package pipeline

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"talbot/board"
	"talbot/dataset"
)

// Duplicate counts games that were read before: the same start and moves, whatever the headers. The first is kept.
const Duplicate dataset.Reason = "duplicate"

// Prefix counts games that another game begins with: the same start, and all their moves are the other's first ones.
// The longer game is kept, wherever it was read, so the order of the inputs does not matter.
const Prefix dataset.Reason = "prefix"

// gameKey128 is a hash of a start position (without counters) and the moves from it that grows move by move, so that
// the keys of all prefixes of a game cost one pass over its moves. Its two halves are independent.
type gameKey128 struct{ a, b uint64 }

var standardStart = board.StartPosition()

var standardKey = newGameKey(&standardStart)

func newGameKey(start *board.Position) gameKey128 {
	h := xxhash.Sum64String(start.EPD())
	return gameKey128{h, bits.RotateLeft64(h, 32) * 0x9E3779B97F4A7C15}
}

// startKey returns the key of a line before its first move.
func startKey(l *dataset.Line) gameKey128 {
	if l.Start == standardStart {
		return standardKey
	}
	return newGameKey(&l.Start)
}

// play returns the key behind a move.
func (k gameKey128) play(m board.Move) gameKey128 {
	hi, lo := bits.Mul64(k.a^uint64(m)<<24, 0xD6E8FEB86659FD93)
	b := (k.b ^ uint64(m)) * 0xBF58476D1CE4E5B9
	return gameKey128{hi ^ lo, b ^ b>>29}
}

// lineKey returns the key of a whole line.
func lineKey(l *dataset.Line) gameKey128 {
	k := startKey(l)
	for _, m := range l.Moves {
		k = k.play(m)
	}
	return k
}

// gameSet is a set of keys that takes about 26 bytes for each: 256 open-addressing tables that grow by half, each by
// itself, so that growing needs no second copy of the whole. That one of n games is taken for another is as likely as
// n²/2¹²⁹.
type gameSet struct {
	tables [256]struct {
		slots []gameKey128
		used  int
	}
}

// place returns the first slot for a key: the low 56 bits of a, spread over the table.
func (k gameKey128) place(size int) int {
	hi, _ := bits.Mul64(k.a<<8, uint64(size))
	return int(hi)
}

// whole makes room for zero, which marks an empty slot.
func (k gameKey128) whole() gameKey128 {
	if k == (gameKey128{}) {
		return gameKey128{0, 1}
	}
	return k
}

// has reports whether the key is in the set. It may be called concurrently with itself.
func (s *gameSet) has(k gameKey128) bool {
	k = k.whole()
	slots := s.tables[k.a>>56].slots
	if len(slots) == 0 {
		return false
	}
	for i := k.place(len(slots)); slots[i] != (gameKey128{}); {
		if slots[i] == k {
			return true
		}
		if i++; i == len(slots) {
			i = 0
		}
	}
	return false
}

// add adds a key and reports whether it was new.
func (s *gameSet) add(k gameKey128) bool {
	k = k.whole()
	if s.has(k) {
		return false
	}
	t := &s.tables[k.a>>56]
	if 4*(t.used+1) > 3*len(t.slots) {
		old := t.slots
		t.slots = make([]gameKey128, max(16, len(old)+len(old)/2))
		for _, o := range old {
			if o != (gameKey128{}) {
				insertKey(t.slots, o)
			}
		}
	}
	insertKey(t.slots, k)
	t.used++
	return true
}

// insertKey puts a key that is not there into a table with room.
func insertKey(slots []gameKey128, k gameKey128) {
	i := k.place(len(slots))
	for slots[i] != (gameKey128{}) {
		if i++; i == len(slots) {
			i = 0
		}
	}
	slots[i] = k
}

// sieve is a Bloom filter of 16 to 32 bits for each key of a set, two of them set, in one word: nearly all keys that
// are not in the set are seen not to be without a look at its tables, which do not fit in a processor's cache.
type sieve struct {
	words []uint64
	shift int
}

// sieve returns the filter of the present keys.
func (s *gameSet) sieve() sieve {
	n := 0
	for i := range s.tables {
		n += s.tables[i].used
	}
	log := max(bits.Len(uint(n))-2, 0) // of the number of words
	f := sieve{make([]uint64, 1<<log), 64 - log}
	for i := range s.tables {
		for _, k := range s.tables[i].slots {
			if k != (gameKey128{}) {
				f.words[k.a>>f.shift] |= k.marks()
			}
		}
	}
	return f
}

// marks returns the bits of a key in its word.
func (k gameKey128) marks() uint64 { return 1<<(k.b&63) | 1<<(k.b>>6&63) }

// may reports false only if the key is not in the set.
func (f *sieve) may(k gameKey128) bool {
	m := k.marks()
	return f.words[k.a>>f.shift]&m == m
}
