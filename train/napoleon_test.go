package train

import (
	"fmt"
	"math"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/golden"
	"talbot/network/backend"
	"talbot/network/run"
)

// TestPyTorchNapoleon compares the network of the recipe napoleon with PyTorch: values in evaluation mode, the
// gradients of a step and five steps with Adam.
func TestPyTorchNapoleon(t *testing.T) {
	want := readPyTorch(t, "napoleon.json.gz")
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
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c, err := run.New("napoleon", "")
		if err != nil {
			t.Fatal(err)
		}
		c.Batch, c.Clip, c.WeightDecay, c.Epsilon = n, want.Clip, want.Decay, want.Epsilon
		e := want.load(t, b, c)
		first := batch(0)
		values := evaluated(t, e, &first)[0]
		for i, v := range want.Evaluation.Value {
			if math.Abs(float64(values[i])-v) > 1e-5 {
				t.Errorf("value %d is %g, in PyTorch %g", i, values[i], v)
			}
		}
		want.train(t, want.load(t, b, c), batch, 2e-5)
	})
}
