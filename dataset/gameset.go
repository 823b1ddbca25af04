package dataset

import "math/bits"

// GameSet is a set of keys that takes about 26 bytes for each: 256 open-addressing tables that grow by half, each by
// itself, so that growing needs no second copy of the whole. That one of n games is taken for another is as likely as
// n²/2¹²⁹.
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
	if len(slots) == 0 {
		return false
	}
	for i := k.place(len(slots)); slots[i] != (GameKey{}); {
		if slots[i] == k {
			return true
		}
		if i++; i == len(slots) {
			i = 0
		}
	}
	return false
}

// Add adds a key and reports whether it was new.
func (s *GameSet) Add(k GameKey) bool {
	k = k.whole()
	if s.Has(k) {
		return false
	}
	t := &s.tables[k.A>>56]
	if 4*(t.used+1) > 3*len(t.slots) {
		old := t.slots
		t.slots = make([]GameKey, max(16, len(old)+len(old)/2))
		for _, o := range old {
			if o != (GameKey{}) {
				insertKey(t.slots, o)
			}
		}
	}
	insertKey(t.slots, k)
	t.used++
	return true
}

// insertKey puts a key that is not there into a table with room.
func insertKey(slots []GameKey, k GameKey) {
	i := k.place(len(slots))
	for slots[i] != (GameKey{}) {
		if i++; i == len(slots) {
			i = 0
		}
	}
	slots[i] = k
}

// Sieve is a Bloom filter of 16 to 32 bits for each key of a set, two of them set, in one word: nearly all keys that
// are not in the set are seen not to be without a look at its tables, which do not fit in a processor's cache.
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
				f.words[k.A>>f.shift] |= k.marks()
			}
		}
	}
	return f
}

// marks returns the bits of a key in its word.
func (k GameKey) marks() uint64 { return 1<<(k.B&63) | 1<<(k.B>>6&63) }

// May reports false only if the key is not in the set.
func (f *Sieve) May(k GameKey) bool {
	m := k.marks()
	return f.words[k.A>>f.shift]&m == m
}
