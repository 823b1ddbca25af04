package train

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/golden"
	"talbot/network/backend"
	"talbot/network/recipe"
	"talbot/network/run"
)

// uciGolden is a golden position of a recipe with the moves of [encode.UCIIndex]: its words, and the numbers of its
// legal moves.
type uciGolden struct {
	packed golden.Words
	legal  []int32
}

// readUCIGolden returns n positions with legal moves of a file of encode/testdata: the first, which are special, and
// the last.
func readUCIGolden(t *testing.T, name string, n int) (rows []uciGolden) {
	t.Helper()
	type row struct {
		Packed golden.Words
		Legal  map[string]int32
	}
	for _, row := range golden.Lines[row](t, "../encode/testdata/"+name, n) {
		if len(row.Legal) > 0 {
			rows = append(rows, uciGolden{row.Packed, slices.Sorted(maps.Values(row.Legal))})
		}
	}
	return slices.Concat(rows[:n/2], rows[len(rows)-n/2:])
}

// TestPyTorchNoSearch compares the network of the recipe nosearch with PyTorch (testdata/nosearch_oracle.py): logits,
// the gradients of a step and five steps with AdamW, and a step with scores as targets.
func TestPyTorchNoSearch(t *testing.T) {
	all := golden.Read[map[string]pytorch](t, "testdata/nosearch.json.gz")
	n := all["played"].Positions
	rows := readUCIGolden(t, "nosearch.jsonl.gz", 5*n)
	batch := func(step int, scores bool) (b Batch) {
		layout := encode.NoSearch{Scores: scores}.Layout()
		moves := 2
		if scores {
			moves = 128
		}
		b.Resize(n, moves, &layout)
		for i := range n {
			row := &rows[step*n+i]
			copy(b.Packed[i*layout.Words:], row.packed)
			if !scores {
				playedMoves(&b, i, row.legal[0], row.legal[len(row.legal)-1])
				continue
			}
			codes, weights := b.Codes[i*moves:][:moves], b.Weights[i*moves:][:moves]
			for k := range codes {
				if codes[k], weights[k] = -1, 0; k < len(row.legal) {
					codes[k] = row.legal[k]
				}
			}
			weights[0] = 1
			b.Floats[2*i], b.Floats[2*i+1] = float32(i%3-1), float32(1+5*i%60)
			b.Known[2*i], b.Known[2*i+1] = 1, 1
		}
		return b
	}
	for name, steps := range map[string]int{"played": 5, "scores": 1} {
		want, scores := all[name], name == "scores"
		if len(want.Steps) != steps {
			t.Fatalf("%d steps in testdata/nosearch.json.gz, %s", len(want.Steps), name)
		}
		eachBackend(t, func(t *testing.T, b *backend.Backend) {
			c := smallNoSearch(t)
			set(&c, "scores", scores)
			c.Batch, c.Clip, c.Epsilon, c.WeightDecay, c.Decay = n, want.Clip, want.Epsilon, want.Decay, recipe.DecayAll
			want.evaluatePolicy(t, want.load(t, b, c), batch(0, scores))
			if scores && b.Kind != "go" { // the gradient by the logits aside, it is that of the moves played
				return
			}
			want.train(t, want.load(t, b, c), func(step int) Batch { return batch(step, scores) }, 2e-5)
		})
	}
}

// smallNoSearch is the network that is compared with PyTorch.
func smallNoSearch(t testing.TB) run.Config {
	t.Helper()
	c, err := run.New("nosearch", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		name  string
		value any
	}{{"heads", 4}, {"width", 32}, {"blocks", 2}} {
		set(&c, s.name, s.value)
	}
	return c
}

// TestNoSearchSchedule: the learning rate rises for 1,000 steps and falls along a cosine to a hundredth at the last
// one. In the published code it is the lowest one from the end of the rise on.
func TestNoSearchSchedule(t *testing.T) {
	c, err := run.New("nosearch", "")
	if err != nil {
		t.Fatal(err)
	}
	rate, err := c.LearningRate()
	if err != nil {
		t.Fatal(err)
	}
	cosine := func(step float64) float64 { return 4e-6 + 198e-6*(1+math.Cos(math.Pi*step/149_999)) }
	for step, want := range map[int64]float64{0: 4e-7, 499: cosine(499) / 2, 999: cosine(999), 1000: cosine(1000),
		1001: cosine(1001), 74_999: cosine(74_999), 75_000: 202e-6, 149_999: 4e-6} {
		if got := rate(step); math.Abs(got-want) > 2e-5*want {
			t.Errorf("step %d: %g, want %g", step, got, want)
		}
	}
}

// noSearchBatch is a batch of made-up tokens.
func noSearchBatch(n int) (b Batch) {
	layout := encode.NoSearch{}.Layout()
	b.Resize(n, 1, &layout)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		w := b.Packed[i*layout.Words:]
		w[0], w[1], w[2] = rng.Uint64()&rng.Uint64(), rng.Uint64()&rng.Uint64()&rng.Uint64(), 0
		w[3], w[4] = rng.Uint64(), rng.Uint64()&0x1fff
		b.Codes[i], b.Weights[i] = int32(rng.IntN(encode.UCIMoves)), 1
	}
	return b
}
