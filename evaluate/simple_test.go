package evaluate

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
	"talbot/network/predict"
)

// wandered are samples of random play, with a value that depends on material and noise, and a move as target.
func wandered(t *testing.T, n int) []Sample {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	var list []Sample
	for line := int64(1); len(list) < n; line++ {
		p := board.StartPosition()
		for range 10 + r.IntN(90) {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			p.Play(legal[r.IntN(len(legal))])
		}
		if !p.HasLegalMove() {
			continue
		}
		s := sampleOf(t, p)
		s.Origin = &Origin{Position: p, Line: line}
		own := 1.0
		if p.Turn() == board.Black {
			own = -1
		}
		value := math.Tanh(own*(0.1+float64(p.Material().Difference())/8) + r.NormFloat64()/3)
		s = labelled(s, float32(value))
		target := r.IntN(len(s.Legal))
		for i, m := range s.Legal { // captures are liked
			if p.PieceAt(m.To()) != board.NoPiece && r.IntN(3) == 0 {
				target = i
			}
		}
		s.Policy = []Target{{target, 1}}
		list = append(list, s)
	}
	return list
}

// The regression has the weights that numpy finds, to a millionth, and its error is less than that of the mean.
func TestMaterialOracle(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import numpy").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: python3 with numpy is missing: %v %s", err, out)
	}
	samples := wandered(t, 1000)
	fitted, err := FitSimple(sequence(samples), layout)
	if err != nil || fitted.Value == nil || fitted.Value.Samples != 1000 {
		t.Fatalf("%+v, %v", fitted, err)
	}
	var in bytes.Buffer
	for i := range samples {
		fmt.Fprintf(&in, "%s\t%v\n", samples[i].Origin.Position.FEN(), samples[i].Floats[0])
	}
	cmd := exec.Command("python3", "-B", "testdata/material.py")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range strings.Fields(string(out)) {
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := fitted.Value.Weights[i]; math.Abs(got-want) > 1e-6 {
			t.Errorf("weight %d: %g, by numpy %g", i, got, want)
		}
	}
}

// Where the value is a sum of material the regression finds it, beyond any value it says 1, and what never varies has
// no weight.
func TestMaterialValue(t *testing.T) {
	var e leastSquares
	for i := range 200 {
		x := [materialTerms]float64{1, float64(1 - i%2*2), float64(i%7 - 3), float64(i%5 - 2), float64(i%3 - 1)}
		e.add(x, 0.1+0.05*x[1]+0.2*x[2]+0.6*x[3]-0.3*x[4])
	}
	for i, want := range []float64{0.1, 0.05, 0.2, 0.6, -0.3, 0, 0} {
		if got := e.solve()[i]; math.Abs(got-want) > 1e-6 {
			t.Errorf("weight %d: %g, want %g", i, got, want)
		}
	}
	v := MaterialValue{Weights: [materialTerms]float64{0.1, 0.05, 0.2, 0.6, 0.6, 1, 1.8}}
	for fen, want := range map[string]float64{
		"4k3/8/8/8/8/8/3PP3/4K3 w - - 0 1":         0.1 + 0.05 + 2*0.2,
		"4k3/8/8/8/8/8/3PP3/4K3 b - - 0 1":         0.1 - 0.05 - 2*0.2,
		"4k1n1/8/8/8/8/8/3P4/4K3 b - - 0 1":        0.1 - 0.05 - 0.2 + 0.6,
		"4k3/8/8/8/8/8/8/Q3K3 w - - 0 1":           1,
		"4k3/8/8/8/8/8/8/Q3K3 b - - 0 1":           -1,
		"r3k3/pppp4/8/8/8/8/PPPP4/R3K3 w Qq - 0 1": 0.15,
	} {
		p := position(t, fen)
		if got := v.Of(&p); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", fen, got, want)
		}
	}
}

// The kinds of moves tell apart what moves, what it takes, checks, promotions and castling, and nothing else.
func TestMoveKinds(t *testing.T) {
	p := position(t, "r3k3/1P6/8/3pP3/8/2n5/1P1P4/R3K2R w KQq d6 0 2")
	kind := func(uci string) int {
		m, err := p.ParseUCI(uci)
		if err != nil {
			t.Fatal(err)
		}
		return moveKind(&p, m)
	}
	for _, alike := range [][]string{{"b2c3", "d2c3"}, {"d2d4", "d2d3"},
		{"b7b8r", "b7b8q"}} {
		if same := kind(alike[0]) == kind(alike[1]); same != (alike[0] != "b7b8r") {
			t.Errorf("%v: the same kind: %v", alike, same)
		}
	}
	seen := map[int]string{}
	for _, uci := range []string{"e1g1", "e1f1", "b2c3", "b2b3", "e5d6", "b7a8q", "b7a8n", "b7b8q", "a1a8", "a1a2",
		"h1h8"} {
		k := kind(uci)
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s are of one kind", uci, other)
		}
		if seen[k] = uci; k < 0 || k >= moveKinds {
			t.Errorf("%s: kind %d", uci, k)
		}
	}
}

// The strengths are the likeliest: of each kind as many moves are expected as were played, the two added comparisons
// included, and the statistics beat chance.
func TestMoveStatistics(t *testing.T) {
	samples := wandered(t, 1500)
	fitted, err := FitSimple(sequence(samples), layout)
	if err != nil {
		t.Fatal(err)
	}
	s := fitted.Policy
	var expected, played [moveKinds]float64
	for i := range samples {
		q := &samples[i]
		all := 0.0
		for _, m := range q.Legal {
			all += s.strengths[moveKind(&q.Origin.Position, m)]
		}
		for j, m := range q.Legal {
			k := moveKind(&q.Origin.Position, m)
			expected[k] += s.strengths[k] / all
			played[k] += indicator(q.Policy[0].Move == j)
		}
	}
	kinds := 0
	for k, x := range s.strengths {
		if expected[k] > 0 {
			kinds++
		}
		if got, want := expected[k]+2*x/(1+x), played[k]+1; math.Abs(got-want) > 1e-3*want {
			t.Errorf("kind %d: %g expected, %g played", k, got, want)
		}
	}
	if s.Samples != 1500 || s.Kinds != kinds {
		t.Errorf("%d samples, %d kinds, want %d", s.Samples, s.Kinds, kinds)
	}
	r := reportOf(t, samples, Options{Layout: layout, Simple: fitted})
	if ce := r.Figures["policy_ce_moves"]; !(ce < r.Figures["policy_ce_uniform"]-0.1) ||
		!(r.Figures["top1_moves"] > r.Figures["top1_uniform"]) || r.Simple == nil {
		t.Errorf("%v", r.Figures)
	}
	if mse := r.Figures["value_mse_material"]; !(mse < r.Figures["value_mse_mean"]/2) {
		t.Errorf("%v", r.Figures)
	}
}

// reportOf is that of a network that finds all moves equally likely, and all positions equal.
func reportOf(t *testing.T, samples []Sample, o Options) Report {
	t.Helper()
	flat := &asked{capabilities: all, batch: 64, answer: equally}
	a, err := Evaluate(t.Context(), flat, sequence(samples), o)
	if err != nil {
		t.Fatal(err)
	}
	return a.Report(false)
}

// Of too few train samples there are no baselines.
func TestSimpleOfFew(t *testing.T) {
	fitted, err := FitSimple(sequence(wandered(t, leastFitted-1)), layout)
	if err != nil || fitted != (Simple{}) {
		t.Errorf("%+v, %v", fitted, err)
	}
	r := reportOf(t, wandered(t, 20), Options{Layout: layout})
	for _, name := range []string{"value_mse_material", "policy_ce_moves", "top1_moves"} {
		if _, ok := r.Figures[name]; ok || r.Simple != nil {
			t.Errorf("there is a %s", name)
		}
	}
}

// equally finds all moves equally likely, and no side better.
func equally(q predict.Input) predict.Output {
	n := len(q.Codes)
	a := predict.Output{Prior: make([]float32, n), Inside: -0.1, Outside: 0.1, Other: -1}
	for i := range a.Prior {
		a.Prior[i] = float32(-math.Log(float64(n)))
	}
	return a
}
