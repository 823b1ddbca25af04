package train

import (
	"testing"

	"talbot/encode"
	"talbot/network/backend"
)

// TestPyTorchPrior compares the network of the recipe prior with PyTorch (testdata/prior_oracle.py): logits and losses
// in evaluation mode, the gradients of a step, and five steps with Adam.
func TestPyTorchPrior(t *testing.T) {
	want := readPyTorch(t, "prior.json.gz")
	n, layout := want.Positions, encode.Prior{}.Layout()
	rows := readUCIGolden(t, "prior.jsonl.gz", 5*n)
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := want.published(t, "prior")
		set(&c, "blocks", want.Blocks)
		set(&c, "filters", want.Filters)
		set(&c, "l2", want.L2)
		batch := func(step int) (b Batch) {
			b.Resize(n, 2, &layout)
			for i, row := range rows[step*n:][:n] {
				copy(b.Packed[i*layout.Words:], row.packed)
				playedMoves(&b, i, row.legal[0], row.legal[len(row.legal)-1])
			}
			return b
		}
		want.evaluatePolicy(t, want.load(t, b, c), batch(0))
		for _, c.Winograd = range []bool{true, false} {
			want.train(t, want.load(t, b, c), batch, 2e-5)
		}
	})
}
