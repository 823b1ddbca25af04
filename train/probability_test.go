package train

import (
	"testing"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
)

// TestPyTorchProbability compares the network of the recipe probability with PyTorch (testdata/probability_oracle.py):
// its published size, logits and losses, the gradients of a step, and five steps with Adam.
func TestPyTorchProbability(t *testing.T) {
	want := readPyTorch(t, "probability.json.gz")
	if n := model.CountTrainable(model.Probability{Hidden: 128}.Params()); n != 32148 {
		t.Errorf("%d parameters, published 32,148", n)
	}
	n, layout := want.Positions, encode.Probability{}.Layout()
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := want.published(t, "probability")
		set(&c, "hidden", want.Hidden)
		set(&c, "l2", want.L2)
		batch := func(step int) (b Batch) {
			b.Resize(n, 2, &layout)
			for i := range n {
				words := b.Packed[i*layout.Words:][:layout.Words]
				clear(words)
				for j := range encode.ProbabilityNumbers {
					x := oracleNumber("input", (step*n+i)*encode.ProbabilityNumbers+j)
					words[j/4] |= uint64((x+1)*32767) << (16 * (j % 4))
				}
				at := int32(step*n + i)
				playedMoves(&b, i, at%20, (7*at+3)%20)
			}
			return b
		}
		want.evaluatePolicy(t, want.load(t, b, c), batch(0))
		want.train(t, want.load(t, b, c), batch, 2e-5)
	})
}
