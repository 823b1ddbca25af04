package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// TestStack: steps that are computed together equal those one by one to the bit, however they are put together. In a
// separate program a step rounds differently.
func TestStack(t *testing.T) {
	configs := map[string]run.Config{"talbotbot": tiny()}
	c, err := run.New("nosearch", "")
	if err != nil {
		t.Fatal(err)
	}
	c.Batch = 16
	set(&c, "blocks", 1)
	set(&c, "width", 16)
	set(&c, "heads", 2)
	configs["nosearch"] = c
	batch := func(name string, step int) (b Batch) {
		if name == "talbotbot" {
			(&synthetic{batch: 16, k: 2}).fill(&b, int64(step))
			return b
		}
		b = noSearchBatch(16)
		for i := range b.Codes {
			b.Codes[i] = (b.Codes[i] + int32(step)) % encode.UCIMoves
		}
		return b
	}
	b := openTest(t, "xla:cpu") // go has no DynamicSlice, and nothing to gain
	for name, c := range configs {
		c.Clip, c.EMA, c.WeightDecay = 0.5, 0.9, 0.1
		if name == "talbotbot" {
			c.HistoryDropout = 0.3
		}
		e := trainingEngine(t, b, c)
		begin := snapshot(t, e)
		train := func(fill int, sizes []int) (figures string) {
			step, s := 0, stack{room: e.room()}
			defer s.clear()
			for _, n := range sizes {
				var rates []float64
				for i := range n {
					if s.left() == 0 {
						s.clear()
						for k := range fill {
							x := batch(name, step+i+k)
							e.add(&s, &x)
						}
						e.upload(&s)
					}
					rates = append(rates, 1e-3*float64(step+i+1))
				}
				found, err := e.steps(&s, int64(step), rates)
				if err != nil {
					t.Fatal(err)
				}
				figures, step = figures+shown(found), step+n
			}
			return figures
		}
		want := train(1, slices.Repeat([]int{1}, 14))
		end := snapshot(t, e)
		if err := e.restore(begin); err != nil {
			t.Fatal(err)
		}
		if got := train(10, []int{1, 8, 1, 3, 1}); got != want {
			t.Errorf("%s: steps together:\n%s\none by one:\n%s", name, got, want)
		}
		if !reflect.DeepEqual(snapshot(t, e), end) {
			t.Errorf("%s: the tensors differ", name)
		}
	}
}

// uneven is a source whose lists of moves are now and then longer, so that not all steps fit together.
type uneven struct{ synthetic }

func (u *uneven) Next(b *Batch) error {
	u.k = 1 + int(u.at/7)%2
	return u.synthetic.Next(b)
}

// TestPaces: how many steps are computed together depends on how long they take, and so on what else the machine does;
// no byte of a checkpoint does. Every run compiles again, so it needs TALBOT_FULL.
func TestPaces(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("set TALBOT_FULL=1")
	}
	c := tiny()
	set(&c, "filters", 24)
	c.Steps, c.LogEvery, c.EvalEvery, c.CheckpointEvery, c.Keep = 36, 18, 0, 18, 9
	c.Clip, c.WeightDecay, c.HistoryDropout = 0.5, 0.1, 0.3
	b := openTest(t, "xla:cpu")
	rng := rand.New(rand.NewPCG(1, 2))
	paces := []func() time.Duration{
		func() time.Duration { return maxCallTime }, // one at a time
		func() time.Duration { return maxCallTime / time.Duration(1+rng.IntN(together)) },
		func() time.Duration { return 1 }, // as many as may be
	}
	var files []map[string][]byte
	var executions []int
	for _, pace := range paces {
		o := Options{Dir: t.TempDir(), Backend: b, Source: &uneven{synthetic{batch: c.Batch}}}
		r, err := begin(c, o)
		if err != nil {
			t.Fatal(err)
		}
		r.Progress = func(Progress) { r.stepTime = pace() }
		n := 0
		r.engine.execute = func(x *gomlx.Exec, args ...any) ([]*tensors.Tensor, error) {
			n++
			return x.Call(args...)
		}
		if err := errors.Join(r.loop(t.Context()), r.end()); err != nil {
			t.Fatal(err)
		}
		names, err := filepath.Glob(filepath.Join(o.Dir, "checkpoints", "*.safetensors"))
		if err != nil || len(names) < 2 {
			t.Fatalf("%v, %v", names, err)
		}
		found := map[string][]byte{}
		for _, name := range names {
			if found[filepath.Base(name)], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		files, executions = append(files, found), append(executions, n)
	}
	for i, n := range executions[1:] {
		if n >= executions[i] {
			t.Errorf("%d executions", executions)
		}
	}
	for i, other := range files[1:] {
		if !reflect.DeepEqual(files[0], other) {
			t.Errorf("pace %d makes other checkpoints than one step at a time", i+1)
		}
	}
}

// shown are all digits of what steps found, a line for each.
func shown(list []stepResult) (lines string) {
	for _, s := range list {
		line := fmt.Sprint(s.Loss, s.norm)
		for _, term := range s.Terms {
			if term.Mean != nil {
				line += fmt.Sprint(" ", term.Name, *term.Mean)
			}
		}
		lines += line + "\n"
	}
	return lines
}

// cheap is a network that XLA compiles in a moment; [anything] has samples for it.
func cheap() run.Config {
	c, _ := run.New("probability", "")
	c.Batch, c.Steps = 16, 12
	return c
}

// anything is a source of one batch of random bits.
type anything struct {
	batch  int
	layout encode.Layout
}

func (a anything) Next(b *Batch) error {
	*b = madeUpBatch(a.batch, &a.layout)
	return nil
}

func (anything) Restore(json.RawMessage) error { return nil }

// TestNaNInStack: of several steps in one execution the one that was not finite is named, and what was saved before
// them stays.
func TestNaNInStack(t *testing.T) {
	c := cheap()
	c.Steps, c.LogEvery, c.CheckpointEvery, c.EvalEvery = 24, 8, 8, 0
	o := Options{Dir: t.TempDir(), Backend: openTest(t, "xla:cpu"),
		Source: anything{c.Batch, encode.Probability{}.Layout()}}
	r, err := begin(c, o)
	if err != nil {
		t.Fatal(err)
	}
	r.most, r.stepTime = together, 1 // so each execution takes LogEvery steps
	r.Progress = func(Progress) { r.stepTime = 1 }
	var begun []int64
	r.engine.execute = func(x *gomlx.Exec, args ...any) ([]*tensors.Tensor, error) {
		begun = append(begun, r.state.Step)
		out, err := x.Call(args...)
		if r.state.Step == 8 && err == nil {
			rows, err := tensors.CopyFlatData[float32](out[0])
			if err != nil {
				return nil, err
			}
			rows[(8+2)*len(rows)/together] = float32(math.NaN())
			out[0] = tensors.FromFlatDataAndDimensions(rows, len(rows))
		}
		return out, err
	}
	err = errors.Join(r.loop(t.Context()), r.end())
	if !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "at step 11: loss NaN") ||
		!strings.HasSuffix(err.Error(), "the last checkpoint is from step 8") {
		t.Errorf("%v", err)
	}
	if !slices.Equal(begun, []int64{0, 8}) {
		t.Errorf("executions began after the steps %d", begun)
	}
}

// TestStacks: no convolution of XLA's own comes into a loop on a processor.
func TestStacks(t *testing.T) {
	const never = "napoleon"
	for _, name := range recipe.Names() {
		c, err := run.New(name, "")
		if err != nil {
			t.Fatal(err)
		}
		built, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		stacks := func(kind string, conv model.ConvAlgorithm) bool {
			b := &backend.Backend{Kind: kind, Conv: conv}
			return (&engine{config: c, backend: b, conv: convOf(c, b), network: built.Network}).room() > 1
		}
		if !stacks("xla:cuda", model.Native) || stacks("go", model.Winograd) {
			t.Errorf("%s: on a GPU %v, on go %v", name, stacks("xla:cuda", model.Native),
				stacks("go", model.Winograd))
		}
		if got, want := stacks("xla:cpu", model.Native), name != never; got != want {
			t.Errorf("%s on a processor: %v, want %v; a recipe that convolves sets Winograd", name, got, want)
		}
		c.Precision = run.BFloat16
		if got, want := stacks("xla:cpu", model.Native), !convolves(built.Network); got != want {
			t.Errorf("%s in bf16 on a processor: %v, want %v", name, got, want)
		}
		c.Accumulate = 2
		if stacks("xla:cuda", model.Native) {
			t.Errorf("%s: micro-batches are stacked", name)
		}
	}
}
