package train

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/encode"
	"talbot/internal/golden"
	"talbot/train/backend"
	"talbot/train/model"
	"talbot/train/run"
)

// TestPyTorchNapoleon compares the network of the recipe napoleon with PyTorch: values in evaluation mode, the
// gradients of a step and five steps with Adam.
func TestPyTorchNapoleon(t *testing.T) {
	want := golden.Read[pytorch](t, "testdata/napoleon.json.gz")
	if len(want.Steps) != 5 {
		t.Fatalf("%d steps in testdata/napoleon.json.gz", len(want.Steps))
	}
	n := want.Positions
	rows := golden.Lines[struct{ Packed golden.Words }](t, "../encode/testdata/napoleon.jsonl.gz", 5*n)
	rows = rows[len(rows)-5*n:]
	layout := encode.Napoleon{}.Layout()
	batch := func(step int) (b Batch) {
		b.Resize(n, 0, &layout)
		for i := range n {
			copy(b.Packed[i*layout.Words:], rows[step*n+i].Packed)
			b.Floats[i], b.Known[i] = float32(oracleNumber(fmt.Sprintf("value %d", step), i)), 1
			if i%3 == 2 {
				b.Known[i] = 0
			}
		}
		return b
	}
	eachBackend(t, func(t *testing.T, b *backend.Opened) {
		c, err := run.New("napoleon", "")
		if err != nil {
			t.Fatal(err)
		}
		c.Batch, c.Clip, c.WeightDecay, c.Epsilon = n, want.Clip, want.Decay, want.Epsilon
		load := func(c run.Config) *engine { return want.load(t, b, c, want.Gain) }
		e := load(c)
		x, err := gomlx.NewExec(b.Backend, e.store.Store, func(_ *gomlx.Scope, packed *graph.Node) *graph.Node {
			return e.network.Forward(&model.Pass{Store: e.store, Form: b.Form}, e.network.Unpack(b.Form, packed))[0]
		})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Finalize()
		first := batch(0)
		out, err := e.call(x, []any{tensors.FromFlatDataAndDimensions(first.Packed, n, layout.Words)})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want.Evaluation.Value {
			if math.Abs(float64(out[0][i])-v) > 1e-5 {
				t.Errorf("value %d is %g, in PyTorch %g", i, out[0][i], v)
			}
		}
		want.train(t, load, c, batch, 2e-5, 2e-4)
	})
}
