package loader

import (
	"math"
	"slices"
	"testing"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/traindata"
	"talbot/shards"
)

// TestTargetsAreThoseOfWholeLabels: a loader reads no more columns than its targets need. They must be those that all
// columns give.
func TestTargetsAreThoseOfWholeLabels(t *testing.T) {
	ds, err := shards.OpenDataset(write(t, traindata.Dataset{Seed: 11, Games: 60}))
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	for _, value := range []encode.ValueTarget{encode.RecipeValue, encode.TanhValue, encode.WDLValue,
		encode.WinProbValue, encode.ResultValue(0.4, 0.99)} {
		for _, policy := range []encode.PolicyTarget{{}, {Temperature: 0.3}} {
			wholeTargets(t, ds, encode.TalbotBot{}, encode.Targets{Value: value, Policy: policy})
		}
	}
	wholeTargets(t, ds, encode.Lynx{}, encode.Targets{Value: encode.ResultValue(0.4, 0.99)}) // has chances too
}

// wholeTargets compares what a loader extracts with the targets of whole labels.
func wholeTargets(t *testing.T, ds *shards.Dataset, e encode.Encoder, targets encode.Targets) {
	t.Helper()
	d, err := Open(t.Context(), []Spec{{Dir: ds.Dir}}, Options{Encoder: e, Targets: targets})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var got []encode.Target
	if _, err := d.each(d.Sets[0], 0, only(dataset.AllSplits()...), func(v *visit) error {
		got = append(got, encode.Target{Moves: slices.Clone(v.target.Moves), Floats: slices.Clone(v.target.Floats)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var view encode.View
	var want encode.Target
	layout, at, values, soft := e.Layout(), 0, 0, 0
	for l, err := range ds.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		var w dataset.Walker
		for w.Reset(l); w.Next(); at++ {
			view.Visit(&w, d.Sets[0].counting.Of(l, w.Sample()))
			want.Reset(&layout)
			e.Target(&want, &view, targets)
			if !slices.Equal(got[at].Moves, want.Moves) {
				t.Fatalf("%v, sample %d: policy %v, want %v", targets, at, got[at].Moves, want.Moves)
			}
			for i, x := range got[at].Floats {
				if math.Float32bits(x) != math.Float32bits(want.Floats[i]) {
					t.Fatalf("%v, sample %d: %s %v, want %v", targets, at, layout.Floats[i], x, want.Floats[i])
				}
			}
			if d.valued(&got[at]) {
				values++
			}
			if len(want.Moves) > 1 {
				soft++
			}
		}
	}
	lists := targets.Policy.Temperature > 0 || layout.Moves == encode.LegalMoves
	if at != len(got) || values < at/2 || (soft > at/3) != lists {
		t.Errorf("%v: %d samples, extracted %d, %d with a value, %d with several moves", targets, at, len(got),
			values, soft)
	}
}
