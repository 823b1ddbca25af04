package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"talbot/encode"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"
)

// goBackend is one for all tests: tensors cannot move between two.
func goBackend(*testing.T) compute.Backend { return gobackend.GetBackend() }

func TestParameterCount(t *testing.T) {
	// to what was published for nosearch the 26 embeddings of the bits come
	nosearch := func(width int) Network { return NoSearch{Width: width, Blocks: 8, AttentionHeads: 8} }
	for want, n := range map[int]Network{6_594_375: TalbotBot{Blocks: 20, Filters: 128}, 162_595: Napoleon{},
		// 28·9·128 + 2·128 of the stem, 10·(2·9·128² + 4·128) of the blocks, 12·128 + 12 of the board after the move,
		// 128 + 2 + 64·64 + 64 + 64 + 1 of the value
		2_992_655:                             Tahl{Blocks: 10, Filters: 128},
		8_634_804:                             Prior{Blocks: 7, Filters: 256, L2: 1e-4, Rating: true},
		6_847_920 + 2*encode.NoSearchBits*256: nosearch(256), 1_852_080 + 2*encode.NoSearchBits*128: nosearch(128)} {
		if got := CountTrainable(n.Params()); got != want {
			t.Errorf("%T: %d trainable parameters, want %d", n, got, want)
		}
	}
}

func TestDropoutBlocks(t *testing.T) {
	for blocks, first := range map[int]int{20: 10, 6: 3, 7: 4, 1: 1} {
		for b := 1; b <= blocks; b++ {
			if got := (residual{blocks: blocks}).dropsIn(b); got != (b >= first) {
				t.Errorf("block %d of %d: dropout %v", b, blocks, got)
			}
		}
	}
}

// TestDropoutIsUsed: in training a network draws for each of its layers with dropout, and otherwise for none.
func TestDropoutIsUsed(t *testing.T) {
	for name, c := range map[string]struct {
		net   Network
		input shapes.Shape
		draws uint32
	}{
		"talbotbot": {TalbotBot{Blocks: 3, Filters: 4, BlockDropout: .2, ValueDropout: .2},
			shapes.Make(dtypes.Float32, 2, 8, 8, encode.TalbotBotPlanes), 2 + 1},
		"tahl": {Tahl{Blocks: 3, Filters: 4, BlockDropout: .2, ValueDropout: .2},
			shapes.Make(dtypes.Float32, 2, 8, 8, encode.TahlPlanes), 2 + 1},
		"nosearch": {NoSearch{Blocks: 3, Width: 8, AttentionHeads: 2, Dropout: .1},
			shapes.Make(dtypes.Int32, 2, noSearchTokens), 6},
	} {
		s, err := NewStore(c.net, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, train := range []bool{true, false} {
			var draws uint32
			exec, err := gomlx.NewExec(goBackend(t), s.Store, func(_ *gomlx.Scope, key *Node) *Node {
				p := &Pass{Store: s, Train: train, Key: key}
				heads := c.net.Forward(p, Zeros(key.Graph(), c.input))
				draws = p.draws
				return heads[0]
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := exec.Call(tensors.FromFlatDataAndDimensions([]uint32{1, 2}, 2)); err != nil {
				t.Fatal(err)
			}
			exec.Finalize()
			if want := map[bool]uint32{true: c.draws}[train]; draws != want {
				t.Errorf("%s, training %v: %d layers with dropout, want %d", name, train, draws, want)
			}
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	bot, search := TalbotBot{Blocks: 1, Filters: 2}, NoSearch{Width: 16, Blocks: 1, AttentionHeads: 2}
	prior := Prior{Blocks: 7, Filters: 256, L2: 1e-4}
	for _, good := range []Network{bot, search, prior} {
		if err := good.Validate(); err != nil {
			t.Error(err)
		}
	}
	changed := func(n TalbotBot, change func(*TalbotBot)) Network { change(&n); return n }
	for name, bad := range map[string]Network{
		"no blocks":        changed(bot, func(n *TalbotBot) { n.Blocks = 0 }),
		"one filter":       changed(bot, func(n *TalbotBot) { n.Filters = 1 }),
		"dropout 1":        changed(bot, func(n *TalbotBot) { n.BlockDropout = 1 }),
		"dropout NaN":      changed(bot, func(n *TalbotBot) { n.ValueDropout = math.NaN() }),
		"negative weight":  changed(bot, func(n *TalbotBot) { n.ValueWeight = -1 }),
		"smoothing 1":      changed(bot, func(n *TalbotBot) { n.LabelSmoothing = 1 }),
		"no layers":        NoSearch{Width: 16, AttentionHeads: 2},
		"no heads":         NoSearch{Width: 16, Blocks: 1},
		"no width":         NoSearch{Blocks: 1, AttentionHeads: 2},
		"heads of 16/3":    NoSearch{Width: 16, Blocks: 1, AttentionHeads: 3},
		"width 8192":       NoSearch{Width: 8192, Blocks: 1, AttentionHeads: 2},
		"negative dropout": NoSearch{Width: 16, Blocks: 1, AttentionHeads: 2, Dropout: -0.1},
		"no trunk":         Prior{Filters: 256},
		"narrow trunk":     Prior{Blocks: 7, Filters: 1},
		"negative l2":      Prior{Blocks: 7, Filters: 256, L2: -1},
		"l2 NaN":           Prior{Blocks: 7, Filters: 256, L2: math.NaN()},
		"squeeze":          Lynx{Blocks: 1, Filters: 2, Squeeze: -1, ValueFilters: 1, Hidden: 1},
		"no hidden":        Lynx{Blocks: 1, Filters: 2, ValueFilters: 1},
		"chances":          Lynx{Blocks: 1, Filters: 2, ValueFilters: 1, Hidden: 1, ChancesWeight: math.Inf(1)},
		"units":            Probability{},
	} {
		if bad.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := Guard(func() error { Panics(); return nil }); err == nil {
		t.Error("a panic in a graph is no error")
	}
}

// Panics is a graph function gone wrong.
func Panics() { Reshape(nil, 1) }

func random(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// TestConvolutionForms proves the forms equal, forward and in both gradients, and the forward pass right against
// loops.
func TestConvolutionForms(t *testing.T) {
	for _, shape := range []struct{ in, out, size int }{{5, 5, 3}, {7, 2, 1}, {6, 3, 3}, {3, 6, 3},
		{3, 6, 1}, {4, 3, 5}, {3, 6, 5}} {
		const n = 4
		rng := rand.New(rand.NewPCG(1, 2))
		x, w, v := random(rng, n*64*shape.in), random(rng, shape.out*shape.in*shape.size*shape.size), random(rng,
			n*64*shape.out)
		var first [][]float32
		for _, way := range []struct {
			conv     ConvAlgorithm
			convolve func(a ConvAlgorithm, x, kernel *Node) *Node
		}{{Native, ConvAlgorithm.Convolve}, {Im2col, ConvAlgorithm.Convolve}, {Winograd, ConvAlgorithm.Convolve},
			{Winograd, func(a ConvAlgorithm, x, kernel *Node) *Node { return a.ConvolveDense(x, kernel, false) }},
			{Winograd, func(a ConvAlgorithm, x, kernel *Node) *Node { return a.ConvolveDense(x, kernel, true) }}} {
			conv := way.conv
			exec := MustNewExec(goBackend(t), func(x, w, v *Node) []*Node {
				y := way.convolve(conv, laidOut(conv, x), w)
				grads := Gradient(ReduceAllSum(Mul(y, laidOut(conv, v))), x, w)
				return []*Node{conv.Flatten(y), grads[0], grads[1]}
			})
			out := exec.MustCall(
				tensors.FromFlatDataAndDimensions(x, n, 8, 8, shape.in),
				tensors.FromFlatDataAndDimensions(w, shape.out, shape.in, shape.size, shape.size),
				tensors.FromFlatDataAndDimensions(v, n, 8, 8, shape.out))
			if conv == Native {
				for _, o := range out {
					first = append(first, tensors.MustCopyFlatData[float32](o))
				}
				equal(t, "loops", first[0], loops(x, w, n, shape.in, shape.out, shape.size))
				continue
			}
			for i, name := range []string{"forward", "gradient by x", "gradient by the kernel"} {
				equal(t, name, tensors.MustCopyFlatData[float32](out[i]), first[i])
			}
		}
	}
}

// laidOut turns activations [sample, rank, file, channel] into the layout of a form.
func laidOut(a ConvAlgorithm, x *Node) *Node {
	if a == Winograd {
		return TransposeAllAxes(x, 1, 2, 0, 3)
	}
	return x
}

// loops is the convolution as a definition, flattened channel-major.
func loops(x, w []float32, n, in, out, size int) []float32 {
	y := make([]float32, n*out*64)
	half := size / 2
	for s := range n {
		for o := range out {
			for sq := range 64 {
				var sum float64
				for c := range in {
					for dr := range size {
						for df := range size {
							r, f := sq/8+dr-half, sq%8+df-half
							if r >= 0 && r < 8 && f >= 0 && f < 8 {
								sum += float64(x[((s*8+r)*8+f)*in+c]) * float64(w[((o*in+c)*size+dr)*size+df])
							}
						}
					}
				}
				y[(s*out+o)*64+sq] = float32(sum)
			}
		}
	}
	return y
}

func equal(t *testing.T, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", name, len(got), len(want))
	}
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > 2e-4 {
			t.Fatalf("%s: number %d is %g, want %g", name, i, got[i], want[i])
		}
	}
}

// TestNorm compares with the definition in float64, in both modes.
func TestNorm(t *testing.T) {
	const n, channels = 3, 2
	rng := rand.New(rand.NewPCG(5, 6))
	x := random(rng, n*64*channels)
	for _, conv := range []ConvAlgorithm{Native, Im2col, Winograd} {
		store := &Store{Store: gomlx.NewStore()}
		for name, data := range map[string][]float32{"bn.weight": {2, 0.5}, "bn.bias": {1, -1},
			"bn.running_mean": {0.3, 0}, "bn.running_var": {4, 1}} {
			if err := store.create(name, true, data, []int{channels}); err != nil {
				t.Fatal(err)
			}
		}
		run := func(train bool) []float32 {
			exec := gomlx.MustNewExec(goBackend(t), store.Store, func(_ *gomlx.Scope, x *Node) *Node {
				store.SetTraining(x.Graph(), true)
				return conv.Flatten((&Pass{Store: store, Conv: conv, Train: train}).norm(laidOut(conv, x), "bn"))
			})
			return tensors.MustCopyFlatData[float32](exec.MustCall1(tensors.FromFlatDataAndDimensions(x, n, 8, 8,
				channels)))
		}
		apply := func(mean, variance []float64) []float32 {
			y := make([]float32, len(x))
			for i, v := range x {
				c := i % channels
				z := (float64(v)-mean[c])/math.Sqrt(variance[c]+1e-5)*[]float64{2, 0.5}[c] + []float64{1, -1}[c]
				y[(i/channels/64*channels+c)*64+i/channels%64] = float32(z)
			}
			return y
		}
		equal(t, "evaluation", run(false), apply([]float64{float64(float32(0.3)), 0}, []float64{4, 1}))
		mean, variance := make([]float64, 2), make([]float64, 2)
		for i, v := range x {
			mean[i%2] += float64(v) / (n * 64)
		}
		for i, v := range x {
			variance[i%2] += math.Pow(float64(v)-mean[i%2], 2) / (n * 64)
		}
		equal(t, "training", run(true), apply(mean, variance))
		gotMean, _ := store.Get("bn.running_mean")
		gotVar, _ := store.Get("bn.running_var")
		unbiased := float64(n*64) / (n*64 - 1)
		equal(t, "running mean", gotMean, []float32{float32(0.9*0.3 + 0.1*mean[0]), float32(0.1 * mean[1])})
		equal(t, "running variance", gotVar, []float32{float32(0.9*4 + 0.1*variance[0]*unbiased),
			float32(0.9 + 0.1*variance[1]*unbiased)})
	}
}

// TestDropout checks rate, scale, independence of the layers and equality of the layouts.
func TestDropout(t *testing.T) {
	const n, channels, rate = 64, 100, 0.1
	var first []float32
	for _, conv := range []ConvAlgorithm{Native, Im2col, Winograd} {
		exec := MustNewExec(goBackend(t), func(key *Node) []*Node {
			p := &Pass{Conv: conv, Train: true, Key: key}
			ones := laidOut(conv, BroadcastToDims(Scalar(key.Graph(), 11, 1.0), n, 8, 8, channels))
			return []*Node{conv.Flatten(p.dropChannels(ones, rate)), conv.Flatten(p.dropChannels(ones, rate))}
		})
		out := exec.MustCall(tensors.FromFlatDataAndDimensions([]uint32{123, 456}, 2))
		a, b := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
		dropped, both := 0, 0
		for i := 0; i < len(a); i += 64 {
			for sq := range 64 {
				if a[i+sq] != a[i] {
					t.Fatal("a channel is dropped in part")
				}
			}
			if a[i] == 0 {
				dropped++
				if b[i] == 0 {
					both++
				}
			} else if math.Abs(float64(a[i])-1/0.9) > 1e-6 {
				t.Fatalf("kept channels are scaled by %g", a[i])
			}
		}
		// 6400 draws: 640 ± 24, in two layers 64 ± 8.
		if dropped < 540 || dropped > 740 || both < 32 || both > 100 {
			t.Errorf("%d of 6400 dropped, %d in two layers", dropped, both)
		}
		if first == nil {
			first = a
		} else {
			equal(t, "other layout", a, first)
		}
	}
}

// TestDisguise: a sample is shown otherwise wholly or not at all, words beyond the disguise stay, and nothing is
// changed in evaluation.
func TestDisguise(t *testing.T) {
	const n, words = 1000, encode.TalbotBotWords + encode.LegalWords
	packed := make([]uint64, n*words)
	for i := range packed {
		packed[i] = uint64(i)*0x9E3779B97F4A7C15 | 1<<5
	}
	layout := encode.TalbotBot{LegalMask: true}.Layout()
	for name, d := range map[string]*encode.InputTransform{"no past": layout.NoHistory,
		"other colour": layout.OtherColour} {
		exec := MustNewExec(goBackend(t), func(key, packed *Node) []*Node {
			p := &Pass{Train: true, Key: key}
			return []*Node{p.TransformInput(packed, d, 0.3), (&Pass{Key: key}).TransformInput(packed, d, 0.3)}
		})
		out := exec.MustCall(tensors.FromFlatDataAndDimensions([]uint32{123, 456}, 2),
			tensors.FromFlatDataAndDimensions(packed, n, words))
		got, kept := tensors.MustCopyFlatData[uint64](out[0]), tensors.MustCopyFlatData[uint64](out[1])
		if !slices.Equal(kept, packed) {
			t.Fatalf("%s: changed in evaluation", name)
		}
		changed := 0
		for i := range n {
			was := packed[i*words:][:words]
			want := slices.Clone(was)
			d.Apply(want)
			switch now := got[i*words:][:words]; {
			case slices.Equal(now, want):
				changed++
			case !slices.Equal(now, was):
				t.Fatalf("%s: sample %d is %x of %x", name, i, now, was)
			}
		}
		if changed < 240 || changed > 360 { // 300 ± 14
			t.Errorf("%s: %d of %d samples", name, changed, n)
		}
	}
}
