package train

import (
	"testing"

	"talbot/encode"
	"talbot/internal/golden"
	"talbot/train/backend"
	"talbot/train/model"
	"talbot/train/run"
)

// TestPyTorchProbability compares the network of the recipe probability with PyTorch (testdata/probability_oracle.py):
// its published size, logits and losses, the gradients of a step, and five steps with Adam.
func TestPyTorchProbability(t *testing.T) {
	type oracle struct {
		pytorch
		L2     float64
		Hidden int
	}
	want := golden.Read[oracle](t, "testdata/probability.json.gz")
	if len(want.Steps) != 5 {
		t.Fatalf("%d steps in testdata/probability.json.gz", len(want.Steps))
	}
	if n := model.CountTrainable(model.Probability{Hidden: 128}.Params()); n != 32148 {
		t.Errorf("%d parameters, published 32,148", n)
	}
	n, layout := want.Positions, encode.Probability{}.Layout()
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
			b.Codes[2*i], b.Codes[2*i+1] = at%20, (7*at+3)%20
			if b.Weights[2*i], b.Weights[2*i+1] = 0.75, 0.25; i%5 == 4 {
				b.Weights[2*i], b.Weights[2*i+1] = 0, 0
			}
		}
		return b
	}
	eachBackend(t, func(t *testing.T, b *backend.Opened) {
		c, err := run.New("probability", "")
		if err != nil {
			t.Fatal(err)
		}
		set(&c, "hidden", want.Hidden)
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
		want.train(t, load, c, batch, 2e-5, 2e-4)
	})
}
