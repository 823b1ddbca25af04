package model

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/encode"
	"talbot/internal/testkit/golden"
)

// TestNapoleonInput compares what the graph makes of packed inputs with python-chess:
// encode/testdata/napoleon.jsonl.gz.
func TestNapoleonInput(t *testing.T) {
	var packed []uint64
	var want []float32
	var fens []string
	type row struct {
		FEN     string
		Packed  golden.Words
		Numbers []float32
	}
	for _, row := range golden.Lines[row](t, "../../encode/testdata/napoleon.jsonl.gz", 100) {
		packed = append(packed, row.Packed...)
		fens, want = append(fens, row.FEN), append(want, row.Numbers...)
	}
	for _, conv := range []ConvAlgorithm{Native, Im2col, Winograd} {
		exec := graph.MustNewExec(goBackend(t), func(x *graph.Node) *graph.Node {
			return conv.Flatten(Napoleon{}.Unpack(conv, x))
		})
		out := exec.MustCall(tensors.FromFlatDataAndDimensions(packed, len(fens), encode.NapoleonWords))[0]
		for i, got := range tensors.MustCopyFlatData[float32](out) {
			if got != want[i] {
				size := 64 * encode.NapoleonPlanes
				t.Fatalf("algorithm %d, %q: plane %d, square %d is %g, want %g", conv, fens[i/size], i%size/64, i%64,
					got, want[i])
			}
		}
	}
}
