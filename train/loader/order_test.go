package loader

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"talbot/train/internal/madeup"
)

// TestGroups: every block with samples is in one group, none is larger than the limit or a block, and where groups are
// not filled the smallest is not much smaller than the largest.
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
		for _, filled := range []bool{true, false} {
			var seen []int
			var sizes []int64
			for _, g := range groups(counts, limit, filled, int64(n), 0, 3) {
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
			if total == 0 || filled || limit < 3*largest {
				continue
			}
			if least := slices.Min(sizes); slices.Max(sizes)-least > 2*largest {
				t.Fatalf("groups of %d, blocks of up to %d, limit %d", sizes, largest, limit)
			}
		}
	}
}

// TestFilled: a loader that is restored from a state of an earlier version draws as that did.
func TestFilled(t *testing.T) {
	s := survey(t, open(t, 2, Spec{Dir: write(t, madeup.Dataset{Seed: 1, Games: threeBlocks})}))
	o := LoaderOptions{Batch: 999, Seed: 5, GroupSamples: 20000}
	even := s.NewLoader(o)
	defer even.Close()
	filled := s.NewLoader(o)
	defer filled.Close()
	filled.full, filled.streams[0].Parts = true, 0
	first, want := next(t, filled).State, sum(next(t, filled))
	var state map[string]any
	if err := json.Unmarshal(first, &state); err != nil || state["even"] != nil {
		t.Fatalf("%s, %v", first, err)
	}
	if next(t, even); sum(next(t, even)) == want {
		t.Error("even groups are the filled ones")
	}
	if err := even.Restore(first); err != nil {
		t.Fatal(err)
	}
	if got := sum(next(t, even)); got != want {
		t.Error("restored, it draws otherwise")
	}
}
