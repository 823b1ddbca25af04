package loader

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGroups: every block with samples is in one group, none is larger than the limit or a block, and the smallest is
// not much smaller than the largest.
func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		counts := make([]int64, 1+r.IntN(60))
		total, largest := int64(0), int64(0)
		for i := range counts {
			counts[i] = r.Int64N(1 + r.Int64N(500))
			total, largest = total+counts[i], max(largest, counts[i])
		}
		limit := 1 + r.Int64N(5000)
		var seen []int
		var sizes []int64
		for _, g := range groups(counts, limit, int64(n), 0, 3) {
			size := int64(0)
			for _, b := range g {
				size += counts[b]
			}
			if size == 0 || size > limit && len(g) > 1 {
				t.Fatalf("a group of %d samples in %d blocks, limit %d", size, len(g), limit)
			}
			seen, sizes = append(seen, g...), append(sizes, size)
		}
		slices.Sort(seen)
		for i := range counts {
			if _, found := slices.BinarySearch(seen, i); found != (counts[i] > 0) {
				t.Fatalf("block %d of %d samples", i, counts[i])
			}
		}
		if len(slices.Compact(seen)) != len(seen) {
			t.Fatal("a block is in two groups")
		}
		if total == 0 || limit < 3*largest {
			continue
		}
		if least := slices.Min(sizes); slices.Max(sizes)-least > 2*largest {
			t.Fatalf("groups of %d, blocks of up to %d, limit %d", sizes, largest, limit)
		}
	}
}
