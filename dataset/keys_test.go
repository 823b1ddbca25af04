package dataset

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"talbot/board"
)

// TestKeys compares with one sorted list, in memory and from a file.
func TestKeys(t *testing.T) {
	for _, budget := range []int64{0, 1 << 10} {
		k := NewKeys(budget, t.TempDir())
		defer k.Close()
		var want []uint64
		var mu sync.Mutex
		var wg sync.WaitGroup
		for seed := range uint64(3) {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(seed, 1))
				b := k.Buffer()
				for range 3 {
					var mine []uint64
					for range 5000 {
						key := rng.Uint64() >> (rng.Uint64N(2) * rng.Uint64N(60))
						b.Add(key)
						mine = append(mine, key)
					}
					if err := b.Flush(); err != nil {
						t.Error(err)
					}
					mu.Lock()
					want = append(want, mine...)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if k.Count() != int64(len(want)) {
			t.Errorf("%d keys, want %d", k.Count(), len(want))
		}
		var parts [][]uint64
		if err := k.Each(4, func(_ int, sorted []uint64) error {
			mu.Lock()
			defer mu.Unlock()
			parts = append(parts, slices.Clone(sorted))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(parts, func(a, b []uint64) int { return slices.Compare(a, b) })
		slices.Sort(want)
		if got := slices.Concat(parts...); !slices.Equal(got, want) {
			t.Errorf("budget %d: keys differ", budget)
		}
	}
}

// TestKeysGarbage: runs that go to the file share their memory.
func TestKeysGarbage(t *testing.T) {
	k := NewKeys(1, t.TempDir())
	defer k.Close()
	keys := make([]uint64, 1<<16)
	if err := k.add(keys); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		if err := k.add(keys); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8*uint64(len(keys)) {
		t.Errorf("ten runs of %d bytes took %d", 8*len(keys), n)
	}
}

// TestKeysFrequent: a key that occurs millions of times takes its memory once, and comes sorted among its neighbours.
func TestKeysFrequent(t *testing.T) {
	k := NewKeys(1, t.TempDir())
	defer k.Close()
	b := k.Buffer()
	const copies = 3 << 20
	for i := range uint64(copies) {
		b.Add(5)
		if i%1024 == 0 {
			b.Add(i % 9)
			b.Add(i << 44)
		}
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	seen, fives := int64(0), int64(0)
	if err := k.Each(1, func(_ int, sorted []uint64) error {
		if !slices.IsSorted(sorted) {
			t.Error("not sorted")
		}
		for _, key := range sorted {
			if key == 5 {
				fives++
			}
		}
		seen += int64(len(sorted))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if seen != k.Count() || fives < copies {
		t.Errorf("%d of %d keys, %d of %d copies", seen, k.Count(), fives, copies)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 8*copies*3/2+8<<20 {
		t.Errorf("%d bytes for %d keys", n, copies)
	}
}

func TestKeysFileFails(t *testing.T) {
	k := NewKeys(1, "/nowhere")
	defer k.Close()
	b := k.Buffer()
	b.Add(1)
	if err := b.Flush(); err == nil {
		t.Error("no error without a folder for the temporary file")
	}
}

// TestPositionKey mirrors positions.
func TestPositionKey(t *testing.T) {
	var keys PositionKeys
	p := board.StartPosition()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		legal := p.LegalMoves(nil)
		if len(legal) == 0 {
			break
		}
		p.Play(legal[rng.IntN(len(legal))])
		m := p.Mirror()
		a, b := keys.Key(&p, Val), keys.Key(&m, Val)
		if a>>3 != b>>3 || a>>2 == b>>2 || a&3 != 1 || (a>>2&1 == 1) != (p.Turn() == board.Black) {
			t.Fatalf("%q: %x and %x", p.FEN(), a, b)
		}
	}
}
