package train

import (
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/golden"
	"talbot/network/backend"
)

// TestPyTorchPrior compares the network of the recipe prior with PyTorch (testdata/prior_oracle.py): logits and losses
// in evaluation mode, the gradients of a step, and five steps with Adam; and a step with the softmax over the legal
// moves.
func TestPyTorchPrior(t *testing.T) {
	all := golden.Read[map[string]pytorch](t, "testdata/prior.json.gz")
	n := all["all"].Positions
	rows := readUCIGolden(t, "prior.jsonl.gz", 5*n)
	for name, steps := range map[string]int{"all": 5, "legal": 1} {
		want, masked := all[name], name == "legal"
		if len(want.Steps) != steps {
			t.Fatalf("%d steps in testdata/prior.json.gz, %s", len(want.Steps), name)
		}
		layout, moves := encode.Prior{LegalMask: masked}.Layout(), 2
		if masked {
			moves = 128
		}
		batch := func(step int) (b Batch) {
			b.Resize(n, moves, &layout)
			for i, row := range rows[step*n:][:n] {
				copy(b.Packed[i*layout.Words:], row.packed)
				if masked {
					legalMoves(&b, i, moves, row.legal)
				} else {
					playedMoves(&b, i, row.legal[0], row.legal[len(row.legal)-1])
				}
			}
			return b
		}
		eachBackend(t, func(t *testing.T, b *backend.Backend) {
			if masked && b.Kind != "go" { // the softmax over legal moves is that of lynx
				return
			}
			c := want.published(t, "prior")
			set(&c, "blocks", want.Blocks)
			set(&c, "filters", want.Filters)
			set(&c, "l2", want.L2)
			set(&c, "legal_mask", masked)
			want.evaluatePolicy(t, want.load(t, b, c), batch(0))
			want.trainForms(t, b, c, batch)
		})
	}
}

// legalMoves lists the legal moves of the i-th sample, with the target of [playedMoves] on the first and the last one.
func legalMoves(b *Batch, i, moves int, legal []int32) {
	codes, weights := b.Codes[i*moves:][:moves], b.Weights[i*moves:][:moves]
	for k := range codes {
		if codes[k], weights[k] = -1, 0; k < len(legal) {
			codes[k] = legal[k]
		}
	}
	if i%5 != 4 {
		weights[0] += 0.75
		weights[len(legal)-1] += 0.25
	}
}
