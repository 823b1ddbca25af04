package model

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/internal/testkit/golden"
)

// TestLynxInput compares what the graph makes of packed inputs with python-chess: encode/testdata.
func TestLynxInput(t *testing.T) {
	type row struct{ Packed, Planes, Attacks, Tactics golden.Words }
	rows := golden.Lines[row](t, "../../encode/testdata/tahl.jsonl.gz", 150)
	more := golden.Lines[row](t, "../../encode/testdata/lynx.jsonl.gz", len(rows))
	for _, network := range []Lynx{{}, {Attacks: true}, {Tactics: true}, {Attacks: true, Tactics: true}} {
		var packed []uint64
		var want []float32
		for i, row := range rows {
			packed = append(packed, row.Packed...)
			planes := row.Planes
			if network.Attacks {
				planes = append(slices.Clone(planes), more[i].Attacks...)
			}
			if network.Tactics {
				packed = append(packed, more[i].Tactics...)
				planes = append(planes, more[i].Tactics...)
			}
			for _, plane := range planes {
				for s := range 64 {
					want = append(want, float32(plane>>s&1))
				}
			}
		}
		for _, conv := range []ConvAlgorithm{Native, Im2col, Winograd} {
			exec := graph.MustNewExec(goBackend(t), func(x *graph.Node) *graph.Node {
				return conv.Flatten(network.Unpack(conv, x))
			})
			out := exec.MustCall(tensors.FromFlatDataAndDimensions(packed, len(rows), len(packed)/len(rows)))[0]
			if got := tensors.MustCopyFlatData[float32](out); !slices.Equal(got, want) {
				t.Errorf("algorithm %d, %+v: other planes than python-chess's", conv, network)
			}
		}
	}
}
