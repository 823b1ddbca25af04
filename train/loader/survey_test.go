package loader

import (
	"fmt"
	"slices"
	"testing"

	"talbot/internal/testkit/traindata"
	"talbot/train"
)

// TestValidationHasEachDatasetsShare: validation draws from the datasets as training does, as far as they have so much,
// and what does not fill batches of the size asked for makes smaller ones.
func TestValidationHasEachDatasetsShare(t *testing.T) {
	a, b := write(t, traindata.Dataset{Seed: 1, Games: 600}), write(t, traindata.Dataset{Seed: 2, Games: 300})
	small := write(t, traindata.Dataset{Seed: 3, Games: 60})
	inputs := func(batches []train.Batch) (all []string) {
		for _, b := range batches {
			words := len(b.Packed) / b.N
			for i := range b.N {
				all = append(all, fmt.Sprint(b.Packed[i*words:(i+1)*words]))
			}
		}
		return all
	}
	for _, c := range []struct {
		specs        []Spec
		limit, batch int
		want         []int // samples of each dataset, counting up to their val samples
	}{
		{[]Spec{{a, 1}, {b, 1}}, 100, 20, []int{50, 50}},
		{[]Spec{{a, 3}, {b, 1}}, 100, 30, []int{75, 25}}, // four batches of 25
		{[]Spec{{a, 1}, {small, 1}}, 1 << 20, 1, nil},
		{[]Spec{{a, 1}, {small, 1}}, 39, 16, nil}, // three of 13
		{[]Spec{{a, 1}, {small, 99}}, 200, 50, nil},
	} {
		d := open(t, 2, c.specs...)
		s, err := d.Survey(t.Context(), c.limit, c.batch, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int, len(c.specs))
		total := 0
		for i, spec := range c.specs {
			alone := open(t, 1, spec)
			all, err := alone.Survey(t.Context(), 1<<20, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			known := inputs(all.Val)
			for _, x := range inputs(s.Val) {
				if slices.Contains(known, x) {
					got[i]++
				}
			}
			if c.want == nil {
				total += len(known)
				if i == 1 && got[i] < len(known) && c.limit > 100 {
					t.Errorf("%v: %d of %d samples of the small dataset", c.specs, got[i], len(known))
				}
			}
		}
		for i, want := range c.want { // a position at the start of games is in several datasets
			if got[i] < want || got[i] > want+8 {
				t.Errorf("%v: %v samples, want %v", c.specs, got, c.want)
			}
		}
		if c.want == nil {
			if n := len(s.Val) * s.Val[0].N; n != min(total, c.limit) {
				t.Errorf("%v: %d samples of validation, there are %d", c.specs, n, total)
			}
		}
	}
}
