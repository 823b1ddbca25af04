package loader

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/evaluate"
	"talbot/internal/testkit/traindata"
	"talbot/shards"
)

func collect(t *testing.T, d *Data, o EvalOptions) (all []evaluate.Sample) {
	t.Helper()
	for s, err := range d.Samples(t.Context(), o) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// epds are the positions of the samples of a split, without counters, in their order.
func epds(t *testing.T, dir string, split dataset.Split) (all []string) {
	t.Helper()
	ds, err := shards.OpenDataset(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	for l, err := range ds.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if ds.Manifest.Splits.Of(dataset.SplitKey(l)) != split {
			continue
		}
		pos := l.Start
		for i := 0; i <= len(l.Moves); i++ {
			if l.Samples.Has(i, len(l.Moves)) && pos.HasLegalMove() {
				all = append(all, epd(&pos))
			}
			if i < len(l.Moves) {
				pos.Play(l.Moves[i])
			}
		}
	}
	return all
}

func epd(p *board.Position) string { return strings.Join(strings.Fields(p.FEN())[:4], " ") }

func TestUnseenAreThePositionsThatNoTrainSampleHas(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: 1500, Shards: 2})
	b := write(t, traindata.Dataset{Seed: 2, Games: 700})
	puzzles := write(t, traindata.Dataset{Seed: 3, Games: 300, Source: dataset.SourcePuzzle})
	trained := map[string]bool{}
	for _, dir := range []string{a, b} {
		for _, p := range epds(t, dir, dataset.Train) {
			trained[p] = true
		}
	}
	want := epds(t, a, dataset.Test)
	games := len(want)
	want = append(want, epds(t, puzzles, dataset.Test)...)
	d := open(t, 3, Spec{Dir: a}, Spec{Dir: puzzles})
	o := EvalOptions{Splits: []dataset.Split{dataset.Test}, TrainedOn: []Spec{{Dir: a}, {Dir: b}}}
	got := collect(t, d, o)
	if len(got) != len(want) {
		t.Fatalf("%d samples, want %d", len(got), len(want))
	}
	seen := 0
	for i, s := range got {
		if s.Unseen == trained[want[i]] {
			t.Fatalf("sample %d, %q: unseen %v", i, want[i], s.Unseen)
		}
		if !s.Unseen {
			seen++
		}
		if source := map[bool]string{true: "game", false: "puzzle"}[i < games]; s.Source != source {
			t.Errorf("sample %d is of %q, want %q", i, s.Source, source)
		}
	}
	if seen == 0 || seen == len(got) {
		t.Errorf("%d of %d seen: the test shows nothing", seen, len(got))
	}
	if unknown := collect(t, d, EvalOptions{Splits: o.Splits}); slices.ContainsFunc(unknown,
		func(s evaluate.Sample) bool { return s.Unseen }) {
		t.Error("unseen without train data")
	}
}

func TestLimitSpreadsOverTheData(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: threeBlocks})
	b := write(t, traindata.Dataset{Seed: 2, Games: 700, Source: dataset.SourcePuzzle})
	o := EvalOptions{Splits: []dataset.Split{dataset.Val, dataset.Test}}
	hash := func(all []evaluate.Sample) map[string]int {
		m := map[string]int{}
		for _, s := range all {
			place := *s.Origin
			s.Origin = nil
			m[fmt.Sprint(s, place)]++
		}
		return m
	}
	all := hash(collect(t, open(t, 2, Spec{Dir: a}, Spec{Dir: b}), o))
	var few map[string]int
	total := int64(0)
	o.Limit, o.Total = 200, func(n int64) { total = n }
	for _, workers := range []int{1, 5} {
		list := collect(t, open(t, workers, Spec{Dir: a}, Spec{Dir: b}), o)
		if len(list) != 200 || total != 200 {
			t.Fatalf("%d samples, %d announced, want 200", len(list), total)
		}
		got := hash(list)
		if few != nil && !maps.Equal(few, got) {
			t.Error("other samples with other workers")
		}
		few = got
		puzzles := 0
		for _, s := range list {
			if s.Source == "puzzle" {
				puzzles++
			}
		}
		if puzzles < 5 || puzzles > 60 {
			t.Errorf("%d of 200 are puzzles", puzzles)
		}
	}
	for s, n := range few {
		if all[s] < n {
			t.Error("a sample that is not in the split")
		}
	}
	o.Limit = 1e6
	if list := collect(t, open(t, 2, Spec{Dir: a}, Spec{Dir: b}), o); !maps.Equal(hash(list), all) {
		t.Error("a limit above all samples is not all of them")
	}
}
