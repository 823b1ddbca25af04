package train

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/golden"
	"talbot/network/backend"
	"talbot/network/recipe"
	"talbot/network/run"
)

// tahlBatches are those of testdata/tahl_oracle.py: positions of n samples each, as batches and as planes.
func tahlBatches(t testing.TB, batches, n int) (list []Batch, planes [][]uint64) {
	t.Helper()
	layout := encode.Tahl{}.Layout()
	list, planes = make([]Batch, batches), make([][]uint64, batches)
	longest := 0
	type row struct {
		Packed, Planes golden.Words
		Changes        map[string][]int32
	}
	var rows []row
	for _, r := range golden.Lines[row](t, "../encode/testdata/tahl.jsonl.gz", batches*n) {
		if len(r.Changes) > 0 {
			rows, longest = append(rows, r), max(longest, len(r.Changes))
		}
	}
	for step := range list {
		b := &list[step]
		b.Resize(n, longest, &layout)
		for i := range b.Codes {
			b.Codes[i] = -1
		}
		clear(b.Weights)
		for i, row := range rows[step*n:][:n] {
			copy(b.Packed[i*layout.Words:], row.Packed)
			planes[step] = append(planes[step], row.Planes...)
			names := slices.Sorted(maps.Keys(row.Changes))
			castling := -1 // the first move that changes four bits
			for j, name := range names {
				copy(b.Codes[(i*longest+j)*layout.Codes:], row.Changes[name])
				if castling < 0 && len(row.Changes[name]) == 4 {
					castling = j
				}
			}
			if i%5 != 4 {
				b.Weights[i*longest+max(0, castling)] += 0.75
				b.Weights[i*longest+len(names)-1] += 0.25
			}
			b.Floats[i], b.Known[i] = float32(oracleNumber(fmt.Sprintf("value %d", step), i)), 1
			if i%3 == 2 {
				b.Known[i] = 0
			}
		}
	}
	return list, planes
}

// TestPyTorchTahl compares the network of the recipe tahl with PyTorch: both heads in evaluation mode, the gradients of
// a step and five steps with AdamW that decays all tensors.
func TestPyTorchTahl(t *testing.T) {
	want := readPyTorch(t, "tahl.json.gz")
	batches, planes := tahlBatches(t, len(want.Steps), want.Positions)
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c, err := run.New("tahl", "")
		if err != nil {
			t.Fatal(err)
		}
		want.set(&c)
		c.Decay = recipe.DecayAll
		want.evaluate(t, want.load(t, b, c), planes[0])
		want.train(t, want.load(t, b, c), func(step int) Batch { return batches[step] }, 2e-5)
	})
}
