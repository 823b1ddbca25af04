package model

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/encode"
	"talbot/internal/testkit/golden"
)

func TestPriorParameters(t *testing.T) {
	n := Prior{Blocks: 7, Filters: 256, L2: 1e-4, Rating: true}
	if got := CountTrainable(n.Params()); got != 8_634_804 {
		t.Errorf("%d trainable parameters", got)
	}
	if got := CountTrainable(Prior{Blocks: 7, Filters: 256}.Params()); got != 8_634_804 {
		t.Errorf("%d trainable parameters without the rating: it is to be the same network", got)
	}
	for name, spoil := range map[string]func(*Prior){
		"no blocks": func(n *Prior) { n.Blocks = 0 }, "one filter": func(n *Prior) { n.Filters = 1 },
		"negative l2": func(n *Prior) { n.L2 = -1 }, "l2 NaN": func(n *Prior) { n.L2 = math.NaN() },
	} {
		if bad := n; n.Validate() != nil {
			t.Error(n.Validate())
		} else if spoil(&bad); bad.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestPriorInitialValues: Keras's, uniform within √(6/(fan-in + fan-out)) with a convolution's fans counted over its
// kernel, and biases of 0.
func TestPriorInitialValues(t *testing.T) {
	n := Prior{Blocks: 1, Filters: 32}
	s, err := NewStore(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	fans := map[string]float64{"stem.conv.weight": 25 * (18 + 32), "blocks.0.conv1.weight": 9 * (32 + 32),
		"blocks.0.conv2.weight": 9 * (32 + 32), "policy.conv.weight": 32 + 2, "policy.fc.weight": 128 + 1968}
	for _, p := range n.Params() {
		data, err := s.Get(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		low, high := float64(slices.Min(data)), float64(slices.Max(data))
		if p.Kind != Weight {
			want := 0.0
			if p.Kind == NormGain || p.Kind == RunningVar {
				want = 1
			}
			if low != want || high != want {
				t.Errorf("%s is from %g to %g", p.Name, low, high)
			}
			continue
		}
		if bound := math.Sqrt(6 / fans[p.Name]); !(low >= -bound && low < -0.85*bound && high <= bound &&
			high > 0.85*bound) {
			t.Errorf("%s is from %g to %g, want ±%g", p.Name, low, high, bound)
		}
	}
}

// TestPriorInput compares what the graph makes of packed inputs with python-chess: encode/testdata/prior.jsonl.gz.
func TestPriorInput(t *testing.T) {
	var packed []uint64
	var want []float32
	type row struct {
		Packed, Planes golden.Words
		Rating         float64
	}
	for _, row := range golden.Lines[row](t, "../../encode/testdata/prior.jsonl.gz", 100) {
		packed = append(packed, row.Packed...)
		for _, plane := range row.Planes {
			for s := range 64 {
				want = append(want, float32(plane>>s&1))
			}
		}
		want = append(want, slices.Repeat([]float32{float32(row.Rating)}, 64)...)
	}
	n := len(packed) / encode.PriorWords
	for _, conv := range []ConvAlgorithm{Native, Im2col, Winograd} {
		exec := graph.MustNewExec(goBackend(t), func(x *graph.Node) *graph.Node {
			return conv.Flatten(Prior{}.Unpack(conv, x))
		})
		out := exec.MustCall(tensors.FromFlatDataAndDimensions(packed, n, encode.PriorWords))[0]
		if got := tensors.MustCopyFlatData[float32](out); !slices.Equal(got, want) {
			i := 0
			for got[i] == want[i] {
				i++
			}
			t.Errorf("algorithm %d, position %d: plane %d, square %d is %g, want %g", conv, i/64/18, i/64%18, i%64,
				got[i], want[i])
		}
	}
}
