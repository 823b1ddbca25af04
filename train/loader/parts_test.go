package loader

import (
	"maps"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/traindata"
)

// TestParts: blocks that are drawn in parts give every sample once that stays in.
func TestParts(t *testing.T) {
	dir := write(t, traindata.Dataset{Seed: 3, Games: threeBlocks, Shards: 2})
	for _, most := range []int{0, 2} {
		d, err := Open(t.Context(), []Spec{{Dir: dir}},
			Options{Encoder: encode.TalbotBot{}, MaxCopies: most, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		s := survey(t, d)
		if (s.Sets[0].Capped > 0) != (most > 0) {
			t.Fatalf("%+v", s.Sets[0])
		}
		epoch := func(groupSamples int64, parts int) map[uint64]int {
			l := s.NewLoader(LoaderOptions{Batch: 1, GroupSamples: groupSamples})
			defer l.Close()
			if got := l.streams[0].parts; got != parts {
				t.Fatalf("blocks are drawn in %d parts, want %d", got, parts)
			}
			all := map[uint64]int{}
			for range s.Sets[0].Train {
				all[hashOf(next(t, l).Packed)]++
			}
			if l.streams[0].Epoch != 0 || l.streams[0].Offset != l.streams[0].now.n || !l.streams[0].now.last {
				t.Errorf("not at the end of the epoch: %+v", l.streams[0].Cursor)
			}
			return all
		}
		if whole := epoch(1<<20, 1); !maps.Equal(whole, epoch(20_000, blockParts)) {
			t.Errorf("at most %d copies: the parts of blocks are not what blocks are", most)
		}
	}
}

// TestPartsFrom: the samples of a group are of many parts of the data.
func TestPartsFrom(t *testing.T) {
	dir := write(t, traindata.Dataset{Seed: 3, Games: threeBlocks, Shards: 2})
	_, places := inputsOf(t, dir)
	l := survey(t, open(t, 2, Spec{Dir: dir})).NewLoader(LoaderOptions{Batch: 1, GroupSamples: 20_000})
	defer l.Close()
	tenths := map[int64]int{}
	for range 5_000 {
		if p, known := places[hashOf(next(t, l).Packed)]; known {
			tenths[p.game*10/(threeBlocks+1)]++
		}
	}
	if len(tenths) < 6 {
		t.Errorf("the first samples are of the tenths %v of the data", tenths)
	}
}

func TestPartsOf(t *testing.T) {
	for _, c := range []struct {
		blocks []int64
		limit  int64
		want   int
	}{
		{nil, 10, 1}, {[]int64{5, 0, 5}, 15, 1}, {[]int64{5, 0, 5}, 14, blockParts}, {[]int64{5, 0, 6}, 10, blockParts},
		{[]int64{80, 80, 80, 80}, 10, blockParts},
		{make([]int64, 100), 10, 1},
	} {
		if got := partsOf(c.blocks, c.limit); got != c.want {
			t.Errorf("%v in groups of %d: %d parts, want %d", c.blocks, c.limit, got, c.want)
		}
	}
	many := make([]int64, 1000)
	for i := range many {
		many[i] = 1000
	}
	for limit, want := range map[int64]int{32_000: 1, 31_000: 2, 16_000: 2, 6_000: 8, 1_000: blockParts} {
		if got := partsOf(many, limit); got != want {
			t.Errorf("groups of %d: %d parts, want %d", limit, got, want)
		}
	}
	for i := range 10 {
		many[i*100] = 1_000_000
	}
	if got := partsOf(many, 1_000_000); got != blockParts {
		t.Errorf("ten large blocks among small ones: %d parts", got)
	}
}
