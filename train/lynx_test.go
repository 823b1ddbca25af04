package train

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/testkit/golden"
	"talbot/network/backend"
	"talbot/network/recipe"
	"talbot/network/run"
)

// lynxBatches are those of testdata/lynx_oracle.py: positions of n samples each, as batches and as planes.
func lynxBatches(t testing.TB, batches, n int) (list []Batch, planes [][]uint64) {
	t.Helper()
	layout := encode.Lynx{Attacks: true, Tactics: true}.Layout()
	list, planes = make([]Batch, batches), make([][]uint64, batches)
	type row struct {
		Start          string
		Moves          []string
		Packed, Planes golden.Words
		Attacks        golden.Words
		Tactics        golden.Words
		Changes        map[string][]int32
	}
	var rows []row
	longest := 0
	more := golden.Lines[row](t, "../encode/testdata/lynx.jsonl.gz", batches*n)
	for i, r := range golden.Lines[row](t, "../encode/testdata/tahl.jsonl.gz", batches*n) {
		r.Packed = append(r.Packed, more[i].Tactics...)
		r.Planes = slices.Concat(r.Planes, more[i].Attacks, more[i].Tactics)
		if len(r.Changes) > 0 {
			rows, longest = append(rows, r), max(longest, len(r.Changes))
		}
	}
	for step := range list {
		b := &list[step]
		b.Resize(n, longest, &layout)
		clear(b.Weights)
		number := func(name string, i int) float32 { return float32(oracleNumber(fmt.Sprintf("%s %d", name, step), i)) }
		for i, row := range rows[step*n:][:n] {
			copy(b.Packed[i*layout.Words:], row.Packed)
			planes[step] = append(planes[step], row.Planes...)
			codes := b.Codes[i*longest:][:longest]
			for j := range codes {
				codes[j] = -1
			}
			for j, code := range lynxCodes(t, row.Start, row.Moves, slices.Sorted(maps.Keys(row.Changes))) {
				codes[j] = code
			}
			if i%5 != 4 {
				b.Weights[i*longest] += 0.75
				b.Weights[i*longest+len(row.Changes)-1] += 0.25
			}
			for f, x := range []float32{number("value", i), (number("win", i) + 1) / 4, (number("draw", i) + 1) / 4} {
				at := 3*i + f
				b.Floats[at], b.Known[at] = x, 1
				if i%3 == 2 {
					b.Known[at] = 0
				}
			}
		}
	}
	return list, planes
}

// lynxCodes are the indices of moves of the position after those that were played.
func lynxCodes(t testing.TB, start string, played, names []string) (codes []int32) {
	t.Helper()
	p, err := board.ParseFEN(start)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range played {
		m, err := p.ParseUCI(name)
		if err != nil {
			t.Fatal(err)
		}
		p.Play(m)
	}
	for _, name := range names {
		m, err := p.ParseUCI(name)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, int32(encode.Lynx{}.MoveIndex(&p, m)))
	}
	return codes
}

// TestPyTorchLynx compares the network of the recipe lynx with PyTorch: policy and value in evaluation mode, the
// gradients of a step and five steps with AdamW, and the same with Muon and SGD.
func TestPyTorchLynx(t *testing.T) {
	for name, optimizer := range map[string]recipe.Optimizer{"lynx": recipe.AdamW, "muon": recipe.Muon,
		"sgd": recipe.SGD} {
		t.Run(name, func(t *testing.T) { pyTorchLynx(t, name+".json.gz", optimizer) })
	}
}

func pyTorchLynx(t *testing.T, file string, optimizer recipe.Optimizer) {
	want := readPyTorch(t, file)
	batches, planes := lynxBatches(t, len(want.Steps), want.Positions)
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c, err := run.New("lynx", "")
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]any{"threats": false, "blocks": want.Blocks, "filters": want.Filters,
			"squeeze": 4, "value_filters": 3, "hidden": 16, "value_weight": want.ValueWeight, "chances_weight": 0.75} {
			set(&c, name, value)
		}
		c.Batch, c.Clip, c.WeightDecay, c.Optimizer = want.Positions, want.Clip, want.Decay, optimizer
		batch := func(step int) Batch { return batches[step] }
		if optimizer == recipe.AdamW {
			want.evaluate(t, want.load(t, b, c), planes[0])
			want.trainForms(t, b, c, batch)
			return
		}
		want.train(t, direct(want.load(t, b, c)), batch, 2e-5)
	})
}
