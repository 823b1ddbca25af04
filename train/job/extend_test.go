package job

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"talbot/internal/fault"
	"talbot/internal/testkit/traindata"
	"talbot/network/checkpoint"
	"talbot/network/recipe"
	"talbot/network/run"
)

// A run that begins with the weights of a network without planes of attacks and tactics has them with zeros for
// weights; what else differs in size is refused.
func TestFromExtends(t *testing.T) {
	data := write(t, traindata.Dataset{Seed: 3, Games: 40})
	first := tiny(t, data)
	first.Recipe = "lynx"
	first.Adjust = func(c *run.Config) error {
		return errors.Join(adjust(c), set(c, "attacks", false), set(c, "tactics", false), set(c, "threats", false))
	}
	mustTrain(t, first)
	plain, err := run.ReadWeights(first.Dir)
	if err != nil {
		t.Fatal(err)
	}

	second := tiny(t, data)
	second.From, second.Steps = first.Dir, 1
	second.Adjust = func(c *run.Config) error {
		c.Batch, c.LR, c.MinLR, c.WeightDecay, c.Warmup = 16, 1e-30, 0, 0, 0
		return errors.Join(set(c, "attacks", true), set(c, "tactics", true), set(c, "threats", true))
	}
	mustTrain(t, second)
	wide, err := run.ReadWeights(second.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range plain.File.Tensors {
		if x.Name != plain.Config.Evaluated()+"stem.conv.weight" {
			continue
		}
		i := slices.IndexFunc(wide.File.Tensors, func(y checkpoint.Tensor) bool { return y.Name == x.Name })
		y := wide.File.Tensors[i]
		if !slices.Equal(x.Shape, []int{8, 28, 3, 3}) || !slices.Equal(y.Shape, []int{8, 57, 3, 3}) {
			t.Fatalf("%v, %v", x.Shape, y.Shape)
		}
		for k := range 8 {
			old, zeros := y.Data[k*57*9:][:28*9], y.Data[(k*57+28)*9:][:29*9]
			moved := func(x float32) bool { return x > 1e-20 || x < -1e-20 }
			if !slices.Equal(old, x.Data[k*28*9:][:28*9]) || slices.ContainsFunc(zeros, moved) {
				t.Errorf("filter %d: other weights", k)
			}
		}
	}

	third := tiny(t, data)
	third.Recipe = "lynx"
	third.Adjust = func(c *run.Config) error { return errors.Join(adjust(c), set(c, "attacks", false)) }
	mustTrain(t, third)
	fourth := tiny(t, data) // planes of threats alone
	fourth.Recipe = "lynx"
	fourth.Adjust = func(c *run.Config) error {
		return errors.Join(adjust(c), set(c, "attacks", false), set(c, "tactics", false))
	}
	mustTrain(t, fourth)
	for _, c := range []struct {
		from, name string
		value      any
		want       string
	}{
		{first.Dir, "filters", 4, "have 1 block of 8 filters (lynx), not 3 blocks of 4 filters (lynx)"},
		{first.Dir, "squeeze", 32, "with squeeze=16, and do not fit one with squeeze=32"},
		{second.Dir, "attacks", false, "with attacks=true, and do not fit one with attacks=false"},
		{second.Dir, "tactics", false, "with tactics=true, and do not fit one with tactics=false"},
		{third.Dir, "attacks", true, "with attacks=false, and do not fit one with attacks=true"},
		{fourth.Dir, "tactics", true, "with tactics=false, and do not fit one with tactics=true"},
	} {
		refused := tiny(t, data)
		refused.From, refused.Steps = c.from, 1
		refused.Adjust = func(r *run.Config) error {
			r.Batch = 16
			if err := set(r, c.name, c.value); err != nil || c.name != "filters" {
				return err
			}
			return set(r, "blocks", 3)
		}
		_, err := refused.Run(t.Context())
		if _, hint := fault.Of(err); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(hint, "as many blocks and filters; planes can be added at the end alone, in the order "+
				"attacks, tactics, threats") {
			t.Errorf("%s is made %v: %v; %s", c.name, c.value, err, hint)
		}
	}
}

// A run that begins with the weights of a smaller network answers as that one does, and every weight of it learns.
func TestFromGrows(t *testing.T) {
	data := write(t, traindata.Dataset{Seed: 3, Games: 100})
	for _, r := range recipe.All() {
		if len(r.Grows) == 0 {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			small := tiny(t, data)
			small.Recipe = r.Name
			mustTrain(t, small)
			large := tiny(t, data)
			large.From = small.Dir
			large.Adjust = func(c *run.Config) error {
				c.Batch = 16
				return errors.Join(set(c, "blocks", 3), set(c, "filters", 12))
			}
			start, _, err := large.Init()
			if want := "blocks from 1 to 3, filters from 8 to 12"; err != nil || start.Grown != want {
				t.Fatalf("%q, not %q: %v", start.Grown, want, err)
			}
			want := mustEval(t, Eval{Dir: small.Dir, Measure: on("all", data)})
			got := mustEval(t, Eval{Dir: large.Dir, Measure: on("all", data)})
			for name, x := range want.Figures {
				if math.Abs(got.Figures[name]-x) > 1e-3*math.Abs(x) {
					t.Errorf("%s is %g, was %g", name, got.Figures[name], x)
				}
			}
			first, err := run.ReadWeights(large.Dir)
			if err != nil {
				t.Fatal(err)
			}
			large.Dir += "-trained"
			mustTrain(t, large)
			trained, err := run.ReadWeights(large.Dir)
			if err != nil {
				t.Fatal(err)
			}
			for i, tensor := range first.File.Tensors {
				still := 0
				for k, x := range tensor.Data {
					if trained.File.Tensors[i].Data[k] == x {
						still++
					}
				}
				if !strings.HasPrefix(tensor.Name, "optimizer.") && strings.HasSuffix(tensor.Name, ".weight") &&
					2*still > len(tensor.Data) {
					t.Errorf("%s: %d of %d numbers did not learn", tensor.Name, still, len(tensor.Data))
				}
			}
		})
	}
}
