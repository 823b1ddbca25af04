package model

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/encode"
	"talbot/internal/testkit/golden"
)

// TestInputs: of the packed inputs that python-chess made, the graph makes the numbers that the encoder makes of them,
// which package encode compares with python-chess.
func TestInputs(t *testing.T) {
	type row struct{ Packed, Tactics, Threats golden.Words }
	read := func(name string) []row { return golden.Lines[row](t, "../../encode/testdata/"+name+".jsonl.gz", 100) }
	tactics := read("lynx")
	for _, c := range []struct {
		file    string
		network Network
		encoder encode.Encoder
	}{
		{"napoleon", Napoleon{}, encode.Napoleon{}},
		{"nosearch", NoSearch{}, encode.NoSearch{}},
		{"prior", Prior{}, encode.Prior{}},
		{"tahl", Tahl{}, encode.Tahl{}},
		{"tahl", Lynx{}, encode.Lynx{}},
		{"tahl", Lynx{Attacks: true}, encode.Lynx{Attacks: true}},
		{"tahl", Lynx{Tactics: true}, encode.Lynx{Tactics: true}},
		{"tahl", Lynx{Attacks: true, Tactics: true}, encode.Lynx{Attacks: true, Tactics: true}},
		{"tahl", Lynx{Threats: true}, encode.Lynx{Threats: true}},
		{"tahl", Lynx{Attacks: true, Tactics: true, Threats: true},
			encode.Lynx{Attacks: true, Tactics: true, Threats: true}},
	} {
		layout := c.encoder.Layout()
		var packed []uint64
		var want []float32
		for i, row := range read(c.file) {
			words := slices.Clone(row.Packed)
			if len(words) < layout.Words {
				words = slices.Concat(words, tactics[i].Tactics, tactics[i].Threats)[:layout.Words]
			}
			numbers := make([]float32, layout.Numbers())
			c.encoder.Unpack(numbers, words)
			packed, want = append(packed, words...), append(want, numbers...)
		}
		for _, conv := range []ConvAlgorithm{Native, Im2col, Winograd} {
			exec := MustNewExec(goBackend(t), func(x *Node) *Node {
				x = c.network.Unpack(conv, x)
				if x.Rank() == 4 {
					x = conv.Flatten(x)
				}
				return ConvertDType(x, dtypes.Float32)
			})
			out := exec.MustCall(tensors.FromFlatDataAndDimensions(packed, len(packed)/layout.Words, layout.Words))[0]
			for i, got := range tensors.MustCopyFlatData[float32](out) {
				if got != want[i] {
					t.Fatalf("algorithm %d, %+v, position %d: number %d is %g, want %g", conv, c.network,
						i/layout.Numbers(), i%layout.Numbers(), got, want[i])
				}
			}
		}
	}
}
