package train

import (
	"testing"

	"talbot/encode"
	"talbot/internal/golden"
	"talbot/train/backend"
	"talbot/train/run"
)

// TestPyTorchPrior compares the network of the recipe prior with PyTorch (testdata/prior_oracle.py): logits and losses
// in evaluation mode, the gradients of a step, and five steps with Adam.
func TestPyTorchPrior(t *testing.T) {
	want := golden.Read[struct {
		pytorch
		L2 float64
	}](t, "testdata/prior.json.gz")
	if len(want.Steps) != 5 {
		t.Fatalf("%d steps in testdata/prior.json.gz", len(want.Steps))
	}
	n, layout := want.Positions, encode.Prior{}.Layout()
	rows := readUCIGolden(t, "prior.jsonl.gz", 5*n)
	batch := func(step int) (b Batch) {
		b.Resize(n, 2, &layout)
		for i, row := range rows[step*n:][:n] {
			copy(b.Packed[i*layout.Words:], row.packed)
			b.Codes[2*i], b.Codes[2*i+1] = row.legal[0], row.legal[len(row.legal)-1]
			if b.Weights[2*i], b.Weights[2*i+1] = 0.75, 0.25; i%5 == 4 {
				b.Weights[2*i], b.Weights[2*i+1] = 0, 0
			}
		}
		return b
	}
	eachBackend(t, func(t *testing.T, b *backend.Opened) {
		c, err := run.New("prior", "")
		if err != nil {
			t.Fatal(err)
		}
		set(&c, "blocks", want.Blocks)
		set(&c, "filters", want.Filters)
		if c.Batch = n; c.Clip != want.Clip || c.WeightDecay != want.Decay || c.Epsilon != want.Epsilon {
			t.Errorf("trained with clip %g, decay %g, ε %g", c.Clip, c.WeightDecay, c.Epsilon)
		}
		load := func(c run.Config) *engine {
			set(&c, "l2", want.L2*float64(c.Accumulate)) // each part of a batch has its share
			return want.load(t, b, c, want.Gain)
		}
		e, first := load(c), batch(0)
		agree(t, "logits", firstHead(t, e, &first), want.Evaluation.Logits, 5e-6)
		m, err := e.validate([]Batch{first})
		if err != nil {
			t.Fatal(err)
		}
		agreeOne(t, "loss", m.Loss, want.Evaluation.Policy+want.Evaluation.Penalty, 5e-6)
		agreeOne(t, "penalty", want.L2**m.Of("weights"), want.Evaluation.Penalty, 5e-6)
		want.train(t, load, c, batch, 2e-5, 2e-4)
	})
}
