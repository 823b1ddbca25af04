package aggregate

import (
	"math/bits"
	"sync/atomic"
)

// sieve finds the keys that occur often, in a memory that does not grow: each key has one of 2ⁿ counters of four bits,
// which it may share with others. A counter is at least the number of times that its keys were added, up to 15.
//
// With twice as many plies as counters, one in twenty positions that were seen once passes for one that was seen six
// times.
type sieve struct {
	words []atomic.Uint64
	mask  uint64 // of the counters
	least uint64 // what a counter must have reached
}

// The sieve has four counters for each ply, up to maxCounters, which take 256 MiB.
const (
	leastCounters = 1 << 16
	maxCounters   = 1 << 29
	counterMost   = 15
	wordCounters  = 16
)

// newSieve returns a sieve for keys that are added plies times in all and must occur at least least times. It is nil if
// every key does.
func newSieve(plies int64, least int, most uint64) *sieve {
	if least <= 1 {
		return nil
	}
	n := min(max(uint64(1)<<bits.Len64(uint64(plies)*2), leastCounters), max(most, wordCounters))
	return &sieve{words: make([]atomic.Uint64, n/wordCounters), mask: n - 1, least: uint64(min(least, counterMost))}
}

// add counts keys. It may be called concurrently with itself.
func (s *sieve) add(keys []uint64) {
	for len(keys) > 0 {
		batch := keys[:min(len(keys), 64)]
		for _, key := range batch { // what is not in the cache comes all at once
			s.words[key&s.mask/wordCounters].Load()
		}
		for _, key := range batch {
			s.addOne(key)
		}
		keys = keys[len(batch):]
	}
}

func (s *sieve) addOne(key uint64) {
	i := key & s.mask
	w, shift := &s.words[i/wordCounters], i%wordCounters*4
	for {
		old := w.Load()
		if old>>shift&counterMost == counterMost || w.CompareAndSwap(old, old+1<<shift) {
			return
		}
	}
}

// mayBeFrequent reports false only if the key was added less often than least. Nothing may be added meanwhile.
func (s *sieve) mayBeFrequent(key uint64) bool {
	if s == nil {
		return true
	}
	i := key & s.mask
	return s.words[i/wordCounters].Load()>>(i%wordCounters*4)&counterMost >= s.least
}
