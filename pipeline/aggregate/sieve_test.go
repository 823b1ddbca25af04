package aggregate

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// TestSieve: no key that was added often enough is missing, whoever added it, and few others pass.
func TestSieve(t *testing.T) {
	for _, c := range []struct {
		least    int
		counters uint64
		most     float64 // share of the rare keys that may pass
	}{{6, 1 << 20, 0.004}, {2, 1 << 20, 0.1}, {40, 1 << 20, 0.004}, {6, 1 << 12, 1}} {
		s := newSieve(1<<16, c.least, c.counters)
		rng := rand.New(rand.NewPCG(7, 8))
		often, rare := make([]uint64, 500), make([]uint64, 20_000)
		for _, list := range [][]uint64{often, rare} {
			for i := range list {
				list[i] = rng.Uint64()
			}
		}
		var all sync.WaitGroup
		for w := range 4 {
			all.Go(func() {
				for round := range c.least {
					if round%4 == w {
						s.add(often)
					}
				}
				s.add(rare[w*len(rare)/4 : (w+1)*len(rare)/4])
			})
		}
		all.Wait()
		for _, key := range often {
			if !s.mayBeFrequent(key) {
				t.Fatalf("least %d: a key is missing", c.least)
			}
		}
		passed := 0
		for _, key := range rare {
			if s.mayBeFrequent(key) {
				passed++
			}
		}
		if share := float64(passed) / float64(len(rare)); share > c.most {
			t.Errorf("least %d: %.3f of the rare keys passed", c.least, share)
		}
	}
	if s := newSieve(100, 1, maxCounters); s != nil || !s.mayBeFrequent(3) {
		t.Error("a sieve where all are wanted")
	}
}
