package model_test

import (
	"math"
	"slices"
	"testing"

	"talbot/internal/testkit"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/model"
	"talbot/network/recipe"
)

// TestInitialValues: the first values of every recipe's network follow from the seed alone and fill the range that
// [model.Param] says.
func TestInitialValues(t *testing.T) {
	for _, name := range recipe.Names() {
		built, err := tinyrun.Small(t, name).Build()
		testkit.OK(t, err)
		var stores []*model.Store
		for _, seed := range []uint64{1, 1, 2} {
			s, err := model.NewStore(built.Network, seed)
			testkit.OK(t, err)
			defer s.Finalize()
			stores = append(stores, s)
		}
		for _, p := range built.Network.Params() {
			var values [3][]float32
			for i, s := range stores {
				values[i], err = s.Get(p.Name)
				testkit.OK(t, err)
			}
			if !slices.Equal(values[0], values[1]) {
				t.Errorf("%s: %s differs for the same seed", name, p.Name)
			}
			if p.Kind > model.Bias {
				continue
			}
			bound, high := math.Abs(p.Start), 0.0
			if p.FanIn > 0 {
				bound = 1 / math.Sqrt(float64(p.FanIn))
				if p.FanOut > 0 {
					bound = math.Sqrt(6 / float64(p.FanIn+p.FanOut))
				}
				if p.Gain > 0 {
					bound *= p.Gain
				}
			}
			for i, x := range values[0] {
				high = max(high, math.Abs(float64(x)))
				if i > 3 && p.FanIn > 0 && x == values[2][i] {
					t.Errorf("%s: %s[%d] is the same for another seed", name, p.Name, i)
				}
			}
			if high > bound*1.000001 || len(values[0]) > 60 && high < 0.9*bound {
				t.Errorf("%s: %s: highest initial value %g, bound %g", name, p.Name, high, bound)
			}
		}
		if stores[0].Set(built.Network.Params()[0].Name, []int{9}, make([]float32, 9)) == nil {
			t.Errorf("%s: wrong shape: no error", name)
		}
		if _, err := stores[0].Get("nosuch"); err == nil {
			t.Errorf("%s: unknown parameter: no error", name)
		}
	}
}
