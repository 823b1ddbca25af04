package samples

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/madeup"
)

// found are the samples that a query chooses.
func found(t *testing.T, d *Dataset, q Query) (numbers []int64) {
	t.Helper()
	upTo := int64(0)
	for hits, err := range d.Find(t.Context(), q, 3) {
		if err != nil {
			t.Fatal(err)
		}
		numbers, upTo = append(numbers, hits.Numbers...), hits.UpTo
	}
	if upTo != d.Samples() {
		t.Errorf("%d of %d samples were looked at", upTo, d.Samples())
	}
	return numbers
}

// A query chooses the samples of which the same is true by how they are shown, in whatever shards.
func TestFind(t *testing.T) {
	is := func(s *Sample, status string) bool { return s.LabelStatus == status }
	cp := func(s *Sample) (int, bool) {
		switch {
		case s.Label == nil:
			return 0, false
		case s.Label.Mate != nil && *s.Label.Mate > 0:
			return 1e9, true
		case s.Label.Mate != nil:
			return -1e9, true
		}
		return *s.Label.CP, true
	}
	men := func(s *Sample) (n int) {
		for _, c := range strings.Fields(s.FEN)[0] {
			if c != '/' && (c < '1' || c > '8') {
				n++
			}
		}
		return n
	}
	puzzle, val, white, yes, no := dataset.SourcePuzzle, dataset.Val, dataset.WhiteWins, true, false
	for name, c := range map[string]struct {
		query Query
		want  func(*Sample) bool
	}{
		"all":    {Query{}, func(*Sample) bool { return true }},
		"source": {Query{Source: &puzzle}, func(s *Sample) bool { return s.Source == "puzzle" }},
		"split":  {Query{Split: &val}, func(s *Sample) bool { return s.Split == "val" }},
		"result": {Query{Result: &white}, func(s *Sample) bool { return s.Result == "1-0" }},
		"player": {Query{Player: "übEL"}, func(s *Sample) bool { return s.Black == "Übel" }},
		"history": {Query{Reconstructed: &yes},
			func(s *Sample) bool { return s.Reconstructed > 0 }},
		"no history": {Query{Reconstructed: &no, Source: &puzzle},
			func(s *Sample) bool { return s.Reconstructed == 0 && s.Source == "puzzle" }},
		"rating": {Query{Rating: Range{2000, 2800, true}},
			func(s *Sample) bool { return s.WhiteElo == 2700 && strings.Contains(s.FEN, " w ") }},
		"pieces": {Query{Pieces: Range{3, 12, true}}, func(s *Sample) bool { return men(s) <= 12 }},
		"labelled": {Query{Label: WithLabel},
			func(s *Sample) bool { return is(s, "labelled") || is(s, "terminal") }},
		"unlabelled": {Query{Label: WithoutLabel}, func(s *Sample) bool { return is(s, "missing") }},
		"failed":     {Query{Label: WithoutAnswer}, func(s *Sample) bool { return is(s, "failed") }},
		"score": {Query{Score: Range{-50, 50, true}}, func(s *Sample) bool {
			x, ok := cp(s)
			return ok && x >= -50 && x <= 50
		}},
		"mates": {Query{Score: Range{Low: 1000, High: math.MaxInt, Limited: true}}, func(s *Sample) bool {
			x, ok := cp(s)
			return ok && x > 1000
		}},
		"together": {Query{Score: Range{-50, 50, true}, Rating: Range{1, 9999, true}}, func(s *Sample) bool {
			x, ok := cp(s)
			return ok && x >= -50 && x <= 50 && s.WhiteElo > 0 && strings.Contains(s.FEN, " w ")
		}},
		"result against label": {Query{Against: AgainstResult}, func(s *Sample) bool { return false }},
	} {
		for _, perShard := range []int{1, 2, 100} {
			d := open(t, madeup.SplitDataset(t, slices.Clone(madeup.Lines(t)), perShard,
				dataset.Splits{Train: 50, Val: 50}))
			var want []int64
			for _, s := range all(t, d, Query{}) {
				if c.want(s) {
					want = append(want, s.Sample)
				}
			}
			if got := found(t, d, c.query); !slices.Equal(got, want) {
				t.Errorf("%s, %d a shard: %v, want %v", name, perShard, got, want)
			}
			if len(want) == 0 && name != "result against label" && name != "split" {
				t.Errorf("%s chooses nothing", name)
			}
		}
	}
}

// The label contradicts the result where it is for the side that lost, and the network where their values differ.
func TestFindContradictions(t *testing.T) {
	game := madeup.Line(t, "4k3/8/8/8/8/8/8/4KQ2 w - - 0 1", "f1f2", "e8d8", "f2f3", "d8e8")
	game.Result = dataset.BlackWins
	game.Labels = []dataset.LabelColumn{{Fingerprint: 0, Labels: []dataset.Label{
		madeup.Label(t, dataset.Centipawns(300), "f1f2"),  // White to move, who lost
		madeup.Label(t, dataset.Centipawns(-299), "e8d8"), // for White too, but by less
		madeup.Label(t, dataset.MateIn(9), "f2f3"),        // White mates
		madeup.Label(t, dataset.MateIn(-8), "d8e8")}}}     // and so here
	d := open(t, madeup.Dataset(t, []dataset.Line{game}, 100))
	if got := found(t, d, Query{Against: AgainstResult}); !slices.Equal(got, []int64{0, 2, 3}) {
		t.Errorf("%v", got)
	}
	if got := found(t, d, Query{Against: AgainstNetwork}); got != nil {
		t.Errorf("without a network: %v", got)
	}
	game.Predictions = []dataset.PredictionColumn{{Predictions: []dataset.Prediction{
		{Status: dataset.Predicted, Value: dataset.QuantizeValue(0.3)}, {Status: dataset.Predicted},
		{Status: dataset.Predicted, Value: dataset.QuantizeValue(0.3)}, {Status: dataset.GameOver}}}}
	q := Query{Against: AgainstNetwork}
	c, err := dataset.NewCounting(madeup.Prints, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for i := range 4 {
		if q.sample(&game, i, i, nil, &c) { // labels 0.695, -0.692, 0.9998
			got = append(got, i)
		}
	}
	if !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%v", got)
	}
}

// Some samples at once are those that are asked for one by one, but for the variations.
func TestSome(t *testing.T) {
	for _, perShard := range []int{1, 100} {
		d, err := Open(madeup.Dataset(t, madeup.Lines(t), perShard), Options{Encoder: encode.TalbotBot{}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		numbers := []int64{0, 3, 4, 6, 8, 9}
		list, err := d.Some(t.Context(), numbers, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range list {
			want := sample(t, d, numbers[i])
			if s.FEN != want.FEN || s.Sample != numbers[i] || s.Line != want.Line || s.Split != want.Split ||
				s.LabelStatus != want.LabelStatus || (s.Label == nil) != (want.Label == nil) ||
				s.Label != nil && s.Label.Best != want.Label.Best {
				t.Errorf("%+v\n%+v", s, want)
			}
		}
		for _, bad := range [][]int64{{-1}, {10}, {1, 1}, {2, 1}} {
			if _, err := d.Some(t.Context(), bad, 2); !errors.Is(err, ErrNoSample) {
				t.Errorf("%v: %v", bad, err)
			}
		}
	}
}

// A set gives back what was added, by place and by number.
func TestSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int64{1, 63, 64, 65, 4096, 4097, 100_000} {
		for _, share := range []float64{0, 0.0001, 0.3, 1} {
			s := NewSet(size)
			var want []int64
			for n := range size {
				if rng.Float64() < share {
					want = append(want, n)
					s.Add(n)
				}
			}
			if s.Len() != int64(len(want)) {
				t.Fatalf("%d of %d, want %d", s.Len(), size, len(want))
			}
			for range 300 {
				n := rng.Int64N(size)
				place, in := s.Place(n)
				at, has := slices.BinarySearch(want, n)
				if place != int64(at) || in != has {
					t.Fatalf("%d of %d is at %d, %v; want %d, %v", n, size, place, in, at, has)
				}
				if in && s.At(place) != n {
					t.Fatalf("at %d is %d, want %d", place, s.At(place), n)
				}
			}
		}
	}
}
