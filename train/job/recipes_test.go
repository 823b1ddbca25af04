package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"talbot/dataset"
	"talbot/evaluate"
	"talbot/inspect/samples"
	"talbot/internal/testkit/traindata"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/predict"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// TestEveryRecipe takes every recipe from data to answers: a run that learns, one that was interrupted and ends with
// the same bytes, what its network says, and what inspect shows. With TALBOT_FULL the runs are also made on xla:cpu.
func TestEveryRecipe(t *testing.T) {
	spec := write(t, traindata.Dataset{Seed: 5, Games: 70, Candidates: true,
		Splits: dataset.Splits{Train: 80, Val: 10, Test: 10}})
	for _, r := range recipe.All() {
		t.Run(r.Name, func(t *testing.T) { everyRecipe(t, r, spec, "go") })
	}
	if os.Getenv("TALBOT_FULL") == "" {
		return
	}
	b, err := backend.Open("xla:cpu")
	if err != nil {
		t.Fatal(err)
	}
	b.Finalize()
	for _, r := range recipe.All() {
		t.Run(r.Name+"/xla", func(t *testing.T) { everyRecipe(t, r, spec, "xla:cpu") })
	}
}

func everyRecipe(t *testing.T, r *recipe.Recipe, spec loader.Spec, on string) {
	c := Train{Dir: filepath.Join(t.TempDir(), "run"), Data: []loader.Spec{spec}, Recipe: r.Name, Steps: 30,
		Backend: on, Adjust: func(c *run.Config) error {
			c.Batch, c.LR, c.CheckpointEvery, c.EvalEvery = 32, 5e-3, 10, 10
			small(c, 1)
			return nil
		}}
	var losses []float64
	c.Progress = func(p train.Progress) {
		if p.Val == nil {
			losses = append(losses, p.Loss)
		}
	}
	result := mustTrain(t, c)
	first, last := mean(losses[:5]), mean(losses[25:])
	if !(last < first) {
		t.Errorf("loss from %g to %g", first, last)
	}
	cut := c
	cut.Dir = filepath.Join(t.TempDir(), "cut")
	ctx, stop := context.WithCancel(t.Context())
	cut.Progress = func(p train.Progress) {
		if p.Step == 17 {
			stop()
		}
	}
	if _, err := cut.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	resumed := mustTrain(t, Train{Dir: cut.Dir, Resume: true, Workers: 1}) // nothing but the folder is needed
	sameBytes(t, result.Checkpoint, resumed.Checkpoint)
	answers(t, c.Dir, spec.Dir, r)
	inspects(t, spec.Dir, r)
	unpacks(t, spec.Dir, r)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}

// answers asks the network and checks that what it says are probabilities and values.
func answers(t *testing.T, dir, data string, r *recipe.Recipe) {
	t.Helper()
	b, err := backend.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	p, err := predict.Open(b, dir, predict.Options{Batches: []int{16}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	questions := positions(t, data, p.Encoder(), 40)
	out := make([]predict.Output, len(questions))
	if err := p.Predict(t.Context(), questions, out); err != nil {
		t.Fatal(err)
	}
	abilities := p.Capabilities()
	for i, a := range out {
		sum := 0.0
		for _, x := range a.Prior {
			sum += math.Exp(float64(x))
		}
		if abilities.Prior && (len(a.Prior)*p.Encoder().Layout().Codes != len(questions[i].Codes) ||
			math.Abs(sum-1) > 1e-4) {
			t.Errorf("%d priors of %d words sum to %g", len(a.Prior), len(questions[i].Codes), sum)
		}
		if abilities.Value && !(a.Value >= -1 && a.Value <= 1) {
			t.Errorf("value %g", a.Value)
		}
		if total := a.WDL[0] + a.WDL[1] + a.WDL[2]; abilities.WDL && math.Abs(float64(total)-1) > 1e-4 {
			t.Errorf("chances %v", a.WDL)
		}
	}
	if !abilities.Prior && !abilities.Value && !abilities.WDL {
		t.Errorf("%s knows nothing", r.Name)
	}
}

// inspects checks that inspect shows the numbers that the network gets.
func inspects(t *testing.T, dir string, r *recipe.Recipe) {
	t.Helper()
	built, err := r.Build("")
	if err != nil {
		t.Fatal(err)
	}
	shown, targets := 0, 0
	d, err := samples.Open(dir, samples.Options{Encoder: built.Encoder, Encoded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for s, err := range d.All(t.Context(), samples.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back struct {
			Input  struct{ Shape, Data []float64 }
			Target any
		}
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&back); err != nil {
			t.Fatal(err)
		}
		n := 1.0
		for _, d := range back.Input.Shape {
			n *= d
		}
		if len(back.Input.Data) != int(n) || n < 10 {
			t.Fatalf("input of shape %v with %d numbers", back.Input.Shape, len(back.Input.Data))
		}
		if shown++; back.Target != nil {
			targets++
		}
	}
	if shown < 100 || targets < shown/2 {
		t.Errorf("%d of %d samples have a target", targets, shown)
	}
}

// unpacks compares what the graph makes of packed inputs with the encoder's numbers, in both forms.
func unpacks(t *testing.T, dir string, r *recipe.Recipe) {
	t.Helper()
	built, err := r.Build("")
	if err != nil {
		t.Fatal(err)
	}
	layout := built.Encoder.Layout()
	questions := positions(t, dir, built.Encoder, 50)
	var packed []uint64
	var want []float32
	numbers := make([]float32, layout.Numbers())
	for _, q := range questions {
		packed = append(packed, q.Packed...)
		built.Encoder.Unpack(numbers, q.Packed)
		want = append(want, numbers...)
	}
	b, err := backend.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	for _, conv := range []model.ConvAlgorithm{model.Native, model.Im2col, model.Winograd} {
		exec, err := graph.NewExec(b.Backend, func(x *graph.Node) *graph.Node {
			y := built.Network.Unpack(conv, x)
			if y.Rank() == 4 {
				y = conv.Flatten(y)
			}
			return graph.ConvertDType(y, dtypes.Float32)
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(tensors.FromFlatDataAndDimensions(packed, len(questions), layout.Words))
		if err != nil {
			t.Fatal(err)
		}
		got := tensors.MustCopyFlatData[float32](out[0])
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("algorithm %d: number %d of sample %d is %g, on the host %g", conv, i%layout.Numbers(),
					i/layout.Numbers(), got[i], want[i])
			}
		}
		exec.Finalize()
	}
}

var _ evaluate.Network = (*predict.Predictor)(nil)
