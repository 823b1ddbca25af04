package encode

import (
	"math"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

func valueOf(t *testing.T, s dataset.Score) float32 {
	t.Helper()
	v, ok := TalbotBot{}.Value(s)
	if !ok {
		t.Fatalf("%v has no value", s)
	}
	return v
}

// TestValueKnown holds values worked out with a pocket calculator to 7 digits.
func TestValueKnown(t *testing.T) {
	for _, c := range []struct {
		score dataset.Score
		want  float64
	}{
		{dataset.Centipawns(0), 0},
		{dataset.Centipawns(100), 0.2781855}, // (e^(4/7) - 1) / (e^(4/7) + 1)
		{dataset.Centipawns(-100), -0.2781855},
		{dataset.Centipawns(400), 0.8153740},
		{dataset.Centipawns(1500), 0.9996212},
		{dataset.Centipawns(2500), 0.9996212},
		{dataset.Centipawns(-30000), -0.9996212},
		{dataset.MateIn(1), 1},
		{dataset.MateIn(2), 0.99985}, // 1 - 0.0003/2
		{dataset.MateIn(3), 0.9998},  // 1 - 0.0003·2/3
		{dataset.MateIn(-1), -1},
		{dataset.MateIn(-4), -0.999775},
		{dataset.MateIn(0), -1},
	} {
		if got := valueOf(t, c.score); math.Abs(float64(got)-c.want) > 6e-8 {
			t.Errorf("value of %v = %.8f, want %.7f", c.score, got, c.want)
		}
	}
	for _, s := range []dataset.Score{math.MinInt16, dataset.MaxCentipawns + 1, -dataset.MaxCentipawns - 1} {
		if v, ok := (TalbotBot{}).Value(s); ok {
			t.Errorf("value of the number %d, which is no score, = %v", s, v)
		}
	}
}

// strictMates is how far float32 tells all mates apart: below 1 its numbers lie 2^-24 = 6.0e-8 apart, mate in n and in
// n + 1 differ by 0.0003 / (n·(n + 1)), which is less than that from n = 71 on, and 78 and 79 are the first to meet.
const strictMates = 78

// TestValueOrder walks the whole order of scores.
func TestValueOrder(t *testing.T) {
	order := scores(1500)[1:] // being mated in 0 is as being mated in 1
	ties := 0
	for i, s := range order[1:] {
		a, b := valueOf(t, order[i]), valueOf(t, s)
		n, mate := s.Mate()
		before, mateBefore := order[i].Mate()
		far := mate && mateBefore && max(n, -n, before, -before) > strictMates
		if a > b || a == b && !far {
			t.Errorf("value of %v is %.9f, of %v %.9f", order[i], a, s, b)
		}
		if a == b {
			ties++
		}
		if -b != valueOf(t, -s) {
			t.Errorf("value of %v is not the negative of that of %v", s, -s)
		}
	}
	t.Logf("%d of %d neighbours tie, all of them mates in more than %d", ties, len(order)-1, strictMates)
	if v := valueOf(t, dataset.MateIn(dataset.MaxMate)); v <= valueOf(t, dataset.Centipawns(dataset.MaxCentipawns)) {
		t.Errorf("the farthest mate is worth %v, no more than centipawns", v)
	}
}

// TestValueTargets holds values worked out with a pocket calculator to 7 digits.
func TestValueTargets(t *testing.T) {
	with := func(s dataset.Score, w dataset.WDL) dataset.Label {
		l := searched(s)
		l.Lines[0].WDL = w
		return l
	}
	p := board.StartPosition()
	for _, c := range []struct {
		target ValueTarget
		label  dataset.Label
		want   float64
		ok     bool
	}{
		{RecipeValue, searched(dataset.Centipawns(100)), 0.2781855, true},
		{TanhValue, searched(dataset.Centipawns(100)), 0.2781855, true},
		{TanhValue, searched(dataset.MateIn(-2)), -0.99985, true},
		{WinProbValue, searched(dataset.Centipawns(0)), 0, true},
		{WinProbValue, searched(dataset.Centipawns(100)), 0.1820518, true}, // 2/(1+e^-0.368208) - 1
		{WinProbValue, searched(dataset.Centipawns(-300)), -0.5022510, true},
		{WinProbValue, searched(dataset.Centipawns(1000)), 0.9508949, true},
		{WinProbValue, searched(dataset.Centipawns(2900)), 0.9508949, true},
		{WinProbValue, searched(dataset.MateIn(1)), 1, true},
		{WinProbValue, searched(dataset.MateIn(-4)), -0.999775, true},
		{WDLValue, with(dataset.Centipawns(5), dataset.WDL{Win: 100, Draw: 850, Loss: 50}), 0.05, true},
		{WDLValue, with(dataset.MateIn(3), dataset.WDL{Win: 1000}), 1, true},
		{WDLValue, with(dataset.Centipawns(-5), dataset.WDL{Loss: 1000}), -1, true},
		{WDLValue, searched(dataset.Centipawns(5)), 0, false},
		{WinProbValue, searched(math.MinInt16), 0, false},
	} {
		got, ok := Value(TalbotBot{}, c.target, &p, c.label)
		if ok != c.ok || math.Abs(float64(got)-c.want) > 6e-8 {
			t.Errorf("%v of %v: %.8f %v, want %.7f %v", c.target, c.label.Lines[0], got, ok, c.want, c.ok)
		}
	}
	mated, err := board.ParseFEN("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "recipe", "tanh", "wdl", "winprob", "result", "result:0.5",
		"result:0:0.99", "result:1:0.5"} {
		target, err := ParseValueTarget(name)
		if err != nil || name != "" && target.String() != name || target.Formula(TalbotBot{}) == "" {
			t.Errorf("%q: %v, %v", name, target, err)
		}
		if v, ok := Value(TalbotBot{}, target, &mated, dataset.Label{Status: dataset.Terminal}); v != -1 || !ok {
			t.Errorf("%q of a mate on the board: %v %v", name, v, ok)
		}
	}
	for _, name := range []string{"cp", "wdl:1", "result:", "result:2", "result:-0.1", "result:NaN", "result:0.5:0",
		"result:0.5:1.1", "result:0.5:0.9:1"} {
		if target, err := ParseValueTarget(name); err == nil {
			t.Errorf("%s is the target %v", name, target)
		}
	}
	if RecipeValue.Formula(TalbotBot{}) != TanhValue.Formula(TalbotBot{}) {
		t.Error("the recipe's formula is another one")
	}
}

func searched(s dataset.Score) dataset.Label {
	return dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: s}, {Score: -s}}}
}

func TestValueOfLabel(t *testing.T) {
	terminal := dataset.Label{Status: dataset.Terminal}
	const start, mated = board.StartFEN, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
	for _, c := range []struct {
		name, fen string
		label     dataset.Label
		want      float32
		ok        bool
	}{
		{"first line", start, searched(dataset.MateIn(1)), 1, true},
		{"missing", start, dataset.Label{}, 0, false},
		{"missing on a mated board", mated, dataset.Label{}, 0, false},
		{"failed", start, dataset.Label{Status: dataset.Failed}, 0, false},
		{"labelled without lines", start, dataset.Label{Status: dataset.Labelled}, 0, false},
		{"no score", start, searched(math.MinInt16), 0, false},
		{"white mated", mated, terminal, -1, true},
		{"black mated", "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", terminal, -1, true},
		{"stalemate", "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", terminal, 0, true},
		{"dead", "k7/8/1KB5/8/8/8/8/8 b - - 0 1", terminal, 0, true},
		{"not terminal", start, terminal, 0, false},
	} {
		p, err := board.ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Value(TalbotBot{}, RecipeValue, &p, c.label); got != c.want || ok != c.ok {
			t.Errorf("%s: value %v %v, want %v %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
