package loader

import (
	"fmt"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/traindata"
	"talbot/shards"
	"talbot/train"
)

// oracle encodes every sample of a split by walking the lines, input → targets.
type seenTargets struct {
	index, value string
}

func oracle(t *testing.T, dir string, split dataset.Split, label int) map[string]seenTargets {
	t.Helper()
	ds, err := shards.OpenDataset(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	all := map[string]seenTargets{}
	e := encode.TalbotBot{}
	for l, err := range ds.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if ds.Manifest.Splits.Of(dataset.SplitKey(l)) != split {
			continue
		}
		g := board.NewGame(l.Start)
		for i, m := range l.Moves {
			packed := make([]uint64, encode.TalbotBotWords)
			var v encode.View
			v.Play(g, 0, 0)
			e.Pack(packed, &v)
			value := "none"
			for _, c := range l.Labels {
				if c.Labels[i].Status == dataset.Labelled && (label == anyLabel || c.Fingerprint == label) {
					v, _ := e.Value(c.Labels[i].Lines[0].Score)
					value = fmt.Sprint(v)
				}
			}
			all[fmt.Sprint(packed)] = seenTargets{fmt.Sprint(e.MoveIndex(g.Position(), m)), value}
			g.Push(m)
		}
	}
	return all
}

func packedOf(b *train.Batch, i int) []uint64 {
	return b.Packed[i*encode.TalbotBotWords:][:encode.TalbotBotWords]
}

func TestBatchesAreTheEncodedSamplesOfTheirSplit(t *testing.T) {
	dir := write(t, traindata.Dataset{Seed: 5, Games: 120})
	trainSet, valSet := oracle(t, dir, dataset.Train, anyLabel), oracle(t, dir, dataset.Val, anyLabel)
	s := survey(t, open(t, 2, Spec{Dir: dir}))
	l := s.NewLoader(LoaderOptions{Batch: 64})
	defer l.Close()
	check := func(b *train.Batch, want map[string]seenTargets) (valued int) {
		for i := range b.N {
			input := packedOf(b, i)
			w, ok := want[fmt.Sprint(input)]
			if !ok {
				t.Fatal("a sample that is not in the split, or is encoded wrongly")
			}
			value := "none"
			if b.Known[i] == 1 {
				value = fmt.Sprint(b.Floats[i])
				valued++
			}
			unique := input[16] != 0 // four plies of history; the start position has many moves
			if got := (seenTargets{fmt.Sprint(b.Codes[i]), value}); unique && got != w {
				t.Fatalf("targets %v, want %v", got, w)
			}
		}
		return valued
	}
	valued := 0
	for range 30 {
		valued += check(next(t, l), trainSet)
	}
	if valued == 0 || valued == 30*64 {
		t.Errorf("%d of %d samples have a value", valued, 30*64)
	}
	for i := range s.Val {
		check(&s.Val[i], valSet)
	}
	if len(s.Val) == 0 {
		t.Error("no validation")
	}
}

func TestChosenLabel(t *testing.T) {
	dir := write(t, traindata.Dataset{Seed: 5, Games: 120})
	d, err := Open(t.Context(), []Spec{{Dir: dir}}, Options{Encoder: encode.TalbotBot{},
		Label: traindata.OldEngine.ID()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	want := oracle(t, dir, dataset.Train, 0)
	l := survey(t, d).NewLoader(LoaderOptions{Batch: 500})
	defer l.Close()
	b := next(t, l)
	valued := 0
	for i := range b.N {
		w := want[fmt.Sprint(packedOf(b, i))]
		if packedOf(b, i)[16] != 0 && (w.value != "none") != (b.Known[i] == 1) {
			t.Fatalf("value %g weight %g, want %s", b.Floats[i], b.Known[i], w.value)
		}
		valued += int(b.Known[i])
	}
	if valued == 0 || valued == b.N { // every second line has that column
		t.Errorf("%d of %d samples have a value", valued, b.N)
	}
	if _, err := Open(t.Context(), []Spec{{Dir: dir}},
		Options{Encoder: encode.TalbotBot{}, Label: "0123456789abcdef"}); err == nil ||
		!strings.Contains(err.Error(), traindata.Engine.ID()) || !strings.Contains(err.Error(), dir) {
		t.Errorf("unknown label: %v", err)
	}
}
