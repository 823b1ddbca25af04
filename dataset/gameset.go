package dataset

import "math/bits"

// GameSet is a set of keys that takes about 26 bytes for each: 256 open-addressing tables, each of which grows by
// itself, so that growing needs no second copy of the whole. The probability that one of n games is mistaken for
// another is about n²/2¹²⁹.
type GameSet struct {
	tables [256]struct {
		slots []GameKey
		used  int
	}
}

// place returns the first slot for a key: the low 56 bits of a, spread over the table.
func (k GameKey) place(size int) int {
	hi, _ := bits.Mul64(k.A<<8, uint64(size))
	return int(hi)
}

// whole makes room for zero, which marks an empty slot.
func (k GameKey) whole() GameKey {
	if k == (GameKey{}) {
		return GameKey{0, 1}
	}
	return k
}

// Has reports whether the key is in the set. It may be called concurrently with itself.
func (s *GameSet) Has(k GameKey) bool {
	k = k.whole()
	slots := s.tables[k.A>>56].slots
	return len(slots) > 0 && slots[slotOf(slots, k)] == k
}

// doubles is the size up to which a table doubles, 64 MB for all of them: that is faster than growing by half, and what
// it may waste is little.
const doubles = 16 << 10

// Add adds a key and reports whether it was new.
func (s *GameSet) Add(k GameKey) bool {
	k = k.whole()
	t := &s.tables[k.A>>56]
	at := 0
	if len(t.slots) > 0 {
		if at = slotOf(t.slots, k); t.slots[at] == k {
			return false
		}
	}
	if 4*(t.used+1) > 3*len(t.slots) {
		old, grown := t.slots, len(t.slots)
		if grown >= doubles {
			grown /= 2
		}
		t.slots = make([]GameKey, max(16, len(old)+grown))
		for _, o := range old {
			if o != (GameKey{}) {
				t.slots[slotOf(t.slots, o)] = o
			}
		}
		at = slotOf(t.slots, k)
	}
	t.slots[at] = k
	t.used++
	return true
}

// slotOf returns the index of a key in a table that is not full, or of the empty slot that it belongs in.
func slotOf(slots []GameKey, k GameKey) int {
	i := k.place(len(slots))
	for slots[i] != (GameKey{}) && slots[i] != k {
		if i++; i == len(slots) {
			i = 0
		}
	}
	return i
}

// Sieve is a Bloom filter of 16 to 32 bits for each key of a set, two of them set, in one word: nearly all keys that
// are not in the set are rejected without reading its tables, which do not fit in a processor's cache.
type Sieve struct {
	words []uint64
	shift int
}

// Sieve returns the filter of the present keys.
func (s *GameSet) Sieve() Sieve {
	n := 0
	for i := range s.tables {
		n += s.tables[i].used
	}
	log := max(bits.Len(uint(n))-2, 0) // of the number of words
	f := Sieve{make([]uint64, 1<<log), 64 - log}
	for i := range s.tables {
		for _, k := range s.tables[i].slots {
			if k != (GameKey{}) {
				f.words[k.A>>f.shift] |= k.bits()
			}
		}
	}
	return f
}

// bits returns the bits of a key in its word.
func (k GameKey) bits() uint64 { return 1<<(k.B&63) | 1<<(k.B>>6&63) }

// MayHave reports false only if the key is not in the set.
func (f *Sieve) MayHave(k GameKey) bool {
	m := k.bits()
	return f.words[k.A>>f.shift]&m == m
}
