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
	dir := write(t, traindata.Dataset{Seed: 11, Games: 60})
	ds, err := shards.OpenDataset(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	e := encode.TalbotBot{}
	var view encode.View
	for _, value := range []encode.ValueTarget{encode.RecipeValue, encode.TanhValue, encode.WDLValue,
		encode.WinProbValue, encode.ResultValue(0.4, 0.99)} {
		for _, policy := range []encode.PolicyTarget{{}, {Temperature: 0.3}} {
			d, err := Open(t.Context(), []Spec{{Dir: dir}},
				Options{Encoder: encode.TalbotBot{}, Targets: encode.Targets{Value: value, Policy: policy}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.extract(d.Sets[0], 0, only(dataset.Train, dataset.Val, dataset.Test))
			if err != nil {
				t.Fatal(err)
			}
			d.Close()
			at, values, soft := 0, 0, 0
			for l, err := range ds.Lines() {
				if err != nil {
					t.Fatal(err)
				}
				var w dataset.Walker
				for w.Reset(l); w.Next(); at++ {
					said := d.Sets[0].counting.Of(l, w.Sample())
					view.Visit(&w, said)
					want := encode.Policy(nil, e, encode.Targets{Value: value, Policy: policy}, &view)
					r := &got.samples[at]
					if !slices.Equal(got.moves(r), want) {
						t.Fatalf("%v, %v, sample %d: policy %v, want %v", value, policy, at, got.moves(r), want)
					}
					v, ok := encode.Targets{Value: value}.ValueOf(e, &view)
					if x := got.floatsOf(r)[0]; r.valued != ok || ok && math.Float32bits(x) != math.Float32bits(v) {
						t.Fatalf("%v, %v, sample %d: value %v, want %v, %v", value, policy, at, x, v, ok)
					}
					if ok {
						values++
					}
					if len(want) > 1 {
						soft++
					}
				}
			}
			if at != len(got.samples) || values < at/2 || (soft > at/3) != (policy.Temperature > 0) {
				t.Errorf("%v, %v: %d samples, extracted %d, %d with a value, %d with several moves", value, policy, at,
					len(got.samples), values, soft)
			}
		}
	}
}

// TestChancesAreThoseOfWholeLabels: likewise of the chances of win, draw and loss, where the target mixes them.
func TestChancesAreThoseOfWholeLabels(t *testing.T) {
	dir := write(t, traindata.Dataset{Seed: 12, Games: 20})
	ds, err := shards.OpenDataset(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	e, targets := encode.Lynx{}, encode.Targets{Value: encode.ResultValue(0.4, 0.99)}
	d, err := Open(t.Context(), []Spec{{Dir: dir}}, Options{Encoder: e, Targets: targets})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, err := d.extract(d.Sets[0], 0, only(dataset.Train, dataset.Val, dataset.Test))
	if err != nil {
		t.Fatal(err)
	}
	var view encode.View
	var want encode.Target
	layout, at := e.Layout(), 0
	for l, err := range ds.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		var w dataset.Walker
		for w.Reset(l); w.Next(); at++ {
			view.Visit(&w, d.Sets[0].counting.Of(l, w.Sample()))
			want.Reset(&layout)
			e.Target(&want, &view, targets)
			for i, x := range got.floatsOf(&got.samples[at]) {
				if math.Float32bits(x) != math.Float32bits(want.Floats[i]) {
					t.Fatalf("sample %d: %s %v, want %v", at, layout.Floats[i], x, want.Floats[i])
				}
			}
		}
	}
	if at < 100 {
		t.Errorf("%d samples", at)
	}
}
