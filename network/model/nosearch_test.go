package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
)

// TestNoSearchInitialValues: the published ones.
func TestNoSearchInitialValues(t *testing.T) {
	n := NoSearch{Width: 64, Blocks: 1, AttentionHeads: 4}
	s, err := NewStore(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range n.Params() {
		data, err := s.Get(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		low, high := float64(slices.Min(data)), float64(slices.Max(data))
		constant, bound := 0.0, 0.0
		switch inner := strings.Contains(p.Name, "attention") || strings.Contains(p.Name, "mlp"); {
		case strings.HasSuffix(p.Name, ".bias") && inner:
			constant = 0.01
		case strings.HasSuffix(p.Name, ".bias"):
		case strings.Contains(p.Name, ".ln"):
			constant = 1
		case strings.HasSuffix(p.Name, "mlp.fc2.weight"):
			bound = 2 / math.Sqrt(256)
		case inner:
			bound = 2 / math.Sqrt(64)
		default:
			bound = 1 / math.Sqrt(64)
		}
		if bound == 0 && (low != float64(float32(constant)) || high != low) ||
			bound > 0 && !(high <= bound && high > 0.95*bound && low >= -bound && low < -0.95*bound) {
			t.Errorf("%s begins from %g to %g, want %g ± %g", p.Name, low, high, constant, bound)
		}
	}
}

// TestNoSearchTargets: the probabilities of a position with 30 legal moves, by hand, and every score that the graph
// makes beside the encoder's. Move 0 is not legal, and no place after a list makes it so.
func TestNoSearchTargets(t *testing.T) {
	const n, legal, places = 64, 30, 40
	var result, plies, weight []float32
	for i := range n {
		result, plies = append(result, float32(i%3-1)), append(plies, float32(i/2))
		weight = append(weight, []float32{1, 1, 1, 0, 0.5}[i%5])
	}
	for i, row := range [][3]float32{{1, 1e9, 1}, {1, 7, 1}, {1, 1, 1}, {-1, 1e9, 1}, {0, 9, 1}, {1, 9, 0}} {
		result[i], plies[i], weight[i] = row[0], row[1], row[2]
	}
	codes, weights := make([]int32, n*places), make([]float32, n*places)
	for i := range codes {
		codes[i] = -1
		if i%places < legal {
			codes[i] = int32(100 + 7*(i%places))
		}
	}
	for i, w := range weight {
		weights[i*places+5] = w
	}
	exec := MustNewExec(goBackend(t), func(codes, weights, result, plies *Node) []*Node {
		scores := scoresOf(Batch{Codes: codes, Weights: weights, Floats: []*Node{result, plies}})
		return []*Node{scores, Softmax(scores, 1)}
	})
	out := exec.MustCall(tensors.FromFlatDataAndDimensions(codes, n, places, 1),
		tensors.FromFlatDataAndDimensions(weights, n, places), tensors.FromFlatDataAndDimensions(result, n),
		tensors.FromFlatDataAndDimensions(plies, n))
	scores, shares := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
	const played = 100 + 7*5
	for i := range n {
		row := scores[i*encode.UCIMoves:][:encode.UCIMoves]
		for move, got := range row {
			want := float32(-10)
			if move >= 100 && move < 100+7*legal && (move-100)%7 == 0 {
				want = 0
			}
			if move == played {
				want = noSearchScore(weight[i], result[i], plies[i])
			}
			if !(math.Abs(float64(got-want)) <= 2e-6) {
				t.Fatalf("sample %d: move %d has the score %g, want %g", i, move, got, want)
			}
		}
	}
	for i, test := range []struct{ want, tolerance float64 }{{0.652, 5e-4}, {0.707, 5e-4}, {0.836, 5e-4},
		{0.00063, 5e-6}, {1 / 30.0880, 1e-5}, {1 / 30.0880, 1e-5}} {
		if got := float64(shares[i*encode.UCIMoves+played]); math.Abs(got-test.want) > test.tolerance {
			t.Errorf("sample %d: the move played has the share %g, want %g", i, got, test.want)
		}
	}
	illegal := 0.0
	for move, x := range shares[5*encode.UCIMoves:][:encode.UCIMoves] {
		if move < 100 || move >= 100+7*legal || (move-100)%7 != 0 {
			illegal += float64(x)
		}
	}
	if math.Abs(illegal-0.0029) > 5e-5 {
		t.Errorf("moves that are not legal have the share %g", illegal)
	}
}

// noSearchScore is the score of a legal move, on the host.
func noSearchScore(weight, result, plies float32) float32 {
	n := max(1, float32(int(plies+1)/2))
	return weight * result * (encode.NoSearchPlayed + 1/n)
}

// TestNoSearchScores goes the whole way from a game to scores: of what the encoder writes for the moves 1. e4 e5 2. Nf3
// and their results the graph makes those scores.
func TestNoSearchScores(t *testing.T) {
	encoder := encode.NoSearch{Scores: true}
	layout := encoder.Layout()
	exec := MustNewExec(goBackend(t), func(codes, weights, result, plies *Node) *Node {
		return scoresOf(Batch{Codes: codes, Weights: weights, Floats: []*Node{result, plies}})
	})
	line := dataset.Line{Start: board.StartPosition(), Samples: dataset.AllMoves()}
	p := line.Start
	for _, text := range []string{"e2e4", "e7e5", "g1f3"} {
		m, err := p.ParseUCI(text)
		if err != nil {
			t.Fatal(err)
		}
		line.Moves = append(line.Moves, m)
		p.Play(m)
	}
	for result, want := range map[dataset.Result][3]float32{
		dataset.WhiteWins: {4.5, -5, 5}, dataset.BlackWins: {-4.5, 5, -5}, dataset.Draw: {},
	} {
		line.Result = result
		for ply, played := range want {
			var w dataset.Walker
			if err := w.At(&line, ply); err != nil {
				t.Fatal(err)
			}
			var v encode.View
			v.Visit(&w, dataset.Counted{})
			var target encode.Target
			if target.Reset(&layout); !encoder.Target(&target, &v, encode.Targets{}) {
				t.Fatalf("ply %d: nothing to learn", ply)
			}
			var codes []int32
			var weights []float32
			expected := slices.Repeat([]float32{-10}, encode.UCIMoves)
			for _, m := range target.Moves {
				code := v.EncodeMove(encoder, layout.Codes, m.Move)[0]
				codes, weights = append(codes, code), append(weights, m.Weight)
				if expected[code] = 0; m.Move == line.Moves[ply] {
					expected[code] = played
				}
			}
			n := len(codes)
			got := tensors.MustCopyFlatData[float32](exec.MustCall(tensors.FromFlatDataAndDimensions(codes, 1, n, 1),
				tensors.FromFlatDataAndDimensions(weights, 1, n),
				tensors.FromFlatDataAndDimensions(target.Floats[:1], 1),
				tensors.FromFlatDataAndDimensions(target.Floats[1:2], 1))[0])
			for move := range expected {
				if !(math.Abs(float64(got[move]-expected[move])) <= 2e-6) {
					t.Errorf("result %v, ply %d: move %d has the score %g, want %g", result, ply, move, got[move],
						expected[move])
				}
			}
		}
	}
}

// logitsOf are the logits of a network with first weights, biases and all, for ids and bits.
func logitsOf(t *testing.T, net NoSearch, input []int32) []float32 {
	t.Helper()
	s, err := NewStore(net, 3)
	if err != nil {
		t.Fatal(err)
	}
	exec, err := gomlx.NewExec(goBackend(t), s.Store, func(_ *gomlx.Scope, x *Node) *Node {
		return net.Forward(&Pass{Store: s}, x)[0]
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(input, len(input)/noSearchTokens, noSearchTokens))
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](out[0])
}

// TestNoSearchSeesAllTokens: the logits of a sample are those of token 0 of that sample, and not of the batch's first
// one, in which the published code is wrong; and they depend on every token, each bit differently, which the published
// code cannot do.
func TestNoSearchSeesAllTokens(t *testing.T) {
	net := NoSearch{Width: 16, Blocks: 2, AttentionHeads: 2}
	base := make([]int32, noSearchTokens)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := 1; i < encode.NoSearchTokens; i++ {
		base[i] = int32(1 + rng.IntN(13))
	}
	input := slices.Clone(base)
	for i := 1; i < noSearchTokens; i++ {
		row := slices.Clone(base)
		if row[i]++; row[i] == 14 {
			row[i] = 1
		}
		input = append(input, row...)
	}
	all := logitsOf(t, net, input)
	var seen [][]float32
	for i := range noSearchTokens {
		logits := all[i*encode.UCIMoves:][:encode.UCIMoves]
		for j, other := range seen {
			worst := 0.0
			for k := range logits {
				worst = max(worst, math.Abs(float64(logits[k]-other[k])))
			}
			if worst < 1e-4 {
				t.Errorf("inputs changed in token %d and in token %d give logits within %g", j, i, worst)
			}
		}
		seen = append(seen, logits)
	}
	equal(t, "a sample alone", logitsOf(t, net, input[3*noSearchTokens:4*noSearchTokens]), seen[3])
}

// TestGelu: PyTorch's nn.GELU() is the exact function. The tanh approximation is off by up to 5e-4.
func TestGelu(t *testing.T) {
	var x []float32
	for v := -6.0; v <= 6; v += 1. / 64 {
		x = append(x, float32(v))
	}
	exec := MustNewExec(goBackend(t), func(x *Node) []*Node {
		y := gelu(x)
		return []*Node{y, Gradient(ReduceAllSum(y), x)[0]}
	})
	out := exec.MustCall(tensors.FromFlatDataAndDimensions(x, len(x)))
	y, slope := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
	for i, v := range x {
		phi := (1 + math.Erf(float64(v)/math.Sqrt2)) / 2
		density := math.Exp(-float64(v)*float64(v)/2) / math.Sqrt(2*math.Pi)
		if math.Abs(float64(y[i])-float64(v)*phi) > 1e-6 || math.Abs(float64(slope[i])-phi-float64(v)*density) > 2e-6 {
			t.Errorf("gelu(%g) is %g with slope %g, want %g and %g", v, y[i], slope[i], float64(v)*phi,
				phi+float64(v)*density)
		}
	}
}
