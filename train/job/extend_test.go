package job

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"talbot/internal/testkit/traindata"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

// A run that begins with the weights of a network without planes of attacks and tactics has them with zeros for
// weights; what else differs in size is refused.
func TestFromExtends(t *testing.T) {
	data := write(t, traindata.Dataset{Seed: 3, Games: 40})
	first := tiny(t, data)
	first.Recipe = "lynx"
	first.Adjust = func(c *run.Config) error {
		return errors.Join(adjust(c), set(c, "attacks", false),
			set(c, "tactics", false))
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
		return errors.Join(set(c, "attacks", true), set(c, "tactics", true))
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
		if !slices.Equal(x.Shape, []int{8, 28, 3, 3}) || !slices.Equal(y.Shape, []int{8, 49, 3, 3}) {
			t.Fatalf("%v, %v", x.Shape, y.Shape)
		}
		for k := range 8 {
			old, zeros := y.Data[k*49*9:][:28*9], y.Data[(k*49+28)*9:][:21*9]
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
	for _, c := range []struct {
		from, name string
		value      any
		want       string
	}{
		{first.Dir, "filters", 12, "8 filters (lynx), not "},
		{second.Dir, "attacks", false, "with attacks=true, and do not fit one with attacks=false"},
		{second.Dir, "tactics", false, "with tactics=true, and do not fit one with tactics=false"},
		{third.Dir, "attacks", true, "with attacks=false, and do not fit one with attacks=true"},
	} {
		refused := tiny(t, data)
		refused.From, refused.Steps = c.from, 1
		refused.Adjust = func(r *run.Config) error { r.Batch = 16; return set(r, c.name, c.value) }
		if _, err := refused.Run(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s is made %v: %v", c.name, c.value, err)
		}
	}
}
