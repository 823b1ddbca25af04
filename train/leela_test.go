package train

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/golden"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// leelaPosition is a position of encode/testdata/leela.txt.gz: its words, and the numbers of its legal moves.
type leelaPosition struct {
	packed []uint64
	legal  []int32
}

// leelaPositions are those of a form of input.
func leelaPositions(t *testing.T, input int) (list []leelaPosition) {
	t.Helper()
	f, err := os.Open("../encode/testdata/leela.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if fields[0] != strconv.Itoa(input) {
			continue
		}
		p := leelaPosition{packed: make([]uint64, encode.LeelaWords)}
		encode.Leela{Input: input}.Pack(p.packed, afterMoves(t, fields[1], strings.Fields(fields[2])))
		for _, move := range strings.Fields(fields[4]) {
			_, number, _ := strings.Cut(move, ":")
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			p.legal = append(p.legal, int32(n))
		}
		list = append(list, p)
	}
	if err := lines.Err(); err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	return list
}

// leelaBatch is batch of testdata/leela_oracle.py.
func leelaBatch(positions []leelaPosition, layout encode.Layout, step, n int) (b Batch) {
	const longest = 256
	b.Resize(n, longest, &layout)
	clear(b.Weights)
	number := func(name string, i int) float32 { return float32(oracleNumber(fmt.Sprintf("%s %d", name, step), i)) }
	for i := range n {
		p := positions[(step*n+i)%len(positions)]
		copy(b.Packed[i*layout.Words:], p.packed)
		codes, weights := b.Codes[i*longest:][:longest], b.Weights[i*longest:][:longest]
		for j := range codes {
			codes[j] = -1
		}
		last := copy(codes, p.legal)
		codes[last] = int32(1792 + 7*i%66) // a promotion
		if i%5 != 4 {
			weights[0], weights[last] = 0.75, 0.25
		}
		copy(b.Floats[4*i:], []float32{number("value", i), (number("win", i) + 1) / 4, (number("draw", i) + 1) / 4,
			20 * (number("plies", i) + 1)})
		for f := range 4 {
			b.Known[4*i+f] = 1
			if f < 3 && i%3 == 2 || f == 3 && i%4 == 3 {
				b.Known[4*i+f] = 0
			}
		}
	}
	return b
}

// TestPyTorchLeela compares networks of the recipe leela with PyTorch (testdata/leela_oracle.py): all heads in
// evaluation mode, the gradients of a step, and steps with AdamW: five of a tower and of a body, one of a tower without
// normalisations and with attention's policy, of one with the classical policy, and of a body with the other embedding.
func TestPyTorchLeela(t *testing.T) {
	all := golden.Read[map[string]pytorch](t, "testdata/leela.json.gz")
	for name, steps := range map[string]int{"tower": 5, "body": 5, "folded": 1, "classical": 1, "map": 1} {
		want := all[name]
		if len(want.Steps) != steps || want.Steps[0].After == nil || want.Steps[steps-1].After == nil {
			t.Fatalf("%d steps in testdata/leela.json.gz, %s", len(want.Steps), name)
		}
		t.Run(name, func(t *testing.T) {
			eachBackend(t, func(t *testing.T, b *backend.Backend) {
				if b.Kind == "go" || name != "classical" && name != "map" { // XLA compiles for long, for little
					pyTorchLeela(t, b, &want)
				}
			})
		})
	}
}

func pyTorchLeela(t *testing.T, b *backend.Backend, want *pytorch) {
	c, err := run.New("leela", "")
	if err != nil {
		t.Fatal(err)
	}
	c.Settings, c.Optimizer = want.Settings, recipe.AdamW
	c.Batch, c.Clip, c.WeightDecay, c.Epsilon = want.Positions, want.Clip, want.Decay, want.Epsilon
	e := want.load(t, b, c)
	settings := e.network.(model.Leela)
	if b.Kind != "go" { // Winograd's algorithm is compiled for long: TestPyTorch has it
		e = direct(e)
	}
	positions := leelaPositions(t, settings.Input)
	batch := func(step int) Batch { return leelaBatch(positions, e.layout, step, c.Batch) }

	first := batch(0)
	heads := evaluated(t, e, &first)
	for i, head := range e.network.Heads() {
		switch got := heads[i]; head.Name {
		case "logits":
			agree(t, "logits", got, want.Evaluation.Logits, 5e-6)
		case "chances":
			agree(t, "chances", got, want.Evaluation.Chances, 5e-6)
		case "moves_left":
			agree(t, "plies left", got, want.Evaluation.Plies, 5e-6)
		case "value":
			for i, v := range want.Evaluation.Value {
				if !(math.Abs(float64(got[i])-v) <= 5e-6) {
					t.Errorf("value %d is %g, in PyTorch %g", i, got[i], v)
				}
			}
		}
	}
	want.train(t, e, batch, 2e-5)
	if settings.Blocks > 0 && settings.Policy == "attention" {
		far := slices.Repeat([]float32{100}, settings.PolicyFeatures) // exp(100) is infinite
		if err := e.store.Set("policy.embed.bias", []int{len(far)}, far); err != nil {
			t.Fatal(err)
		}
		if _, norm, err := e.step(&first, 1, want.LR); err != nil || math.IsNaN(norm) {
			t.Errorf("of SELU's gradient far from 0 the norm is %g, error %v", norm, err)
		}
	}
	if settings.Blocks > 0 && b.Kind == "go" {
		want.train(t, direct(want.load(t, b, c)), batch, 2e-5)
	}
}
