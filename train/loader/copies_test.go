package loader

import (
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/madeup"
	"talbot/internal/testkit/traindata"
)

// TestMaxCopies keeps at most the allowed number of copies of a position over two datasets, and all that are fewer.
func TestMaxCopies(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: 700, Shards: 2})
	b := write(t, traindata.Dataset{Seed: 2, Games: 300})
	counts := func(most, workers int) (map[uint64]int, *Survey) {
		d, err := Open(t.Context(), []Spec{{Dir: a}, {Dir: b}},
			Options{Encoder: encode.TalbotBot{}, MaxCopies: most, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		s := survey(t, d)
		found := map[uint64]int{}
		for set := range d.Sets {
			for block := range d.Sets[set].blocks {
				i := 0
				if _, err := d.each(d.Sets[set], block, only(dataset.Train), func(v *visit) error {
					if s.mask.keeps(set, block, i) {
						found[v.position()]++
					}
					i++
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
		return found, s
	}
	all, full := counts(0, 3)
	capped, s := counts(2, 3)
	want, most := int64(0), 0
	for key, n := range all {
		want += int64(min(n, 2))
		most = max(most, n)
		if capped[key] != min(n, 2) {
			t.Fatalf("%d of %d copies", capped[key], n)
		}
	}
	if most < 3 || s.Train() != want || s.Train()+s.Sets[0].Capped+s.Sets[1].Capped != full.Train() ||
		s.Sets[0].Val != full.Sets[0].Val {
		t.Errorf("%+v, want %d of %+v; most %d", s.Sets, want, full.Sets, most)
	}
	_, again := counts(2, 1)
	l, m := s.NewLoader(LoaderOptions{Batch: 64, Seed: 5, GroupSamples: 3000}), again.NewLoader(LoaderOptions{Batch: 64,
		Seed: 5, GroupSamples: 3000})
	defer l.Close()
	defer m.Close()
	for i := range 20 {
		if sum(next(t, l)) != sum(next(t, m)) {
			t.Fatalf("batch %d depends on the number of workers", i)
		}
	}
}

// seesRatings is an encoder that asks for ratings.
type seesRatings struct{ encode.TalbotBot }

func (seesRatings) Layout() encode.Layout {
	l := encode.TalbotBot{}.Layout()
	l.Ratings = true
	return l
}

// TestMaxCopiesOfBands: the bands of an aggregated position are copies only for a recipe that does not see ratings.
func TestMaxCopiesOfBands(t *testing.T) {
	var lines []dataset.Line
	for _, elo := range []int{1250, 1750, 2250, 2250} {
		e4 := dataset.WeightedMove{Move: board.NewMove(12, 28), Weight: 3}
		lines = append(lines, dataset.Line{Source: dataset.SourceAggregate, Start: board.StartPosition(), WhiteElo: elo,
			Samples: dataset.LastPosition(), Policies: [][]dataset.WeightedMove{{e4}}})
	}
	dir := madeup.OneShard(t, dataset.Manifest{Splits: dataset.Splits{Train: 100}}, lines)
	for want, e := range map[int64]encode.Encoder{1: encode.TalbotBot{}, 3: seesRatings{}} {
		d, err := Open(t.Context(), []Spec{{Dir: dir}}, Options{Encoder: e, MaxCopies: 1, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := survey(t, d).Train(); got != want {
			t.Errorf("%T: %d samples, want %d", e, got, want)
		}
		d.Close()
	}
}
