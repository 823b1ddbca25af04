package encode

import (
	"math"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

func TestParsePolicyTarget(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "played": 0, "multipv:0.1": 0.1, "multipv:1e-3": 0.001,
		"multipv:100": 100} {
		got, err := ParsePolicyTarget(text)
		if err != nil || got.Temperature != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if again, err := ParsePolicyTarget(got.String()); err != nil || again != got {
			t.Errorf("%q: %q comes back as %v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"best", "multipv", "multipv:", "multipv:0", "multipv:-1", "multipv:NaN",
		"multipv:1000", "multipv:0.1 "} {
		if got, err := ParsePolicyTarget(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// indexed is an entry of a policy target by talbotbot's index of its move.
type indexed struct {
	Index  int
	Weight float32
}

// policyOf returns the policy target of the walker's sample with that label.
func policyOf(w *dataset.Walker, t Targets, label dataset.Label) (list []indexed) {
	var v View
	v.Visit(w, dataset.Counted{Moves: label, Value: label})
	for _, m := range Policy(nil, TalbotBot{}, t, &v) {
		list = append(list, indexed{TalbotBot{}.MoveIndex(w.Position(), m.Move), m.Weight})
	}
	return list
}

// TestSoftPolicy works the softmax out by hand: values tanh(35/350), tanh(-35/350) and a mate at temperature 0.1.
func TestSoftPolicy(t *testing.T) {
	line := uciLine(t, board.StartFEN, "e2e4")
	line.Samples, line.Source = dataset.AllMoves(), dataset.SourceGame
	var w dataset.Walker
	if err := w.At(&line, 0); err != nil {
		t.Fatal(err)
	}
	searched := func(score dataset.Score, from, to board.Square) dataset.Searched {
		return dataset.Searched{Score: score, WDL: dataset.WDL{Win: 500, Draw: 300, Loss: 200},
			PV: []board.Move{board.NewMove(from, to)}}
	}
	up, down := searched(dataset.Centipawns(35), 12, 28), searched(dataset.Centipawns(-35), 6, 21)
	label := func(lines ...dataset.Searched) dataset.Label {
		return dataset.Label{Status: dataset.Labelled, Best: board.NewMove(12, 28), Lines: lines}
	}
	empty := up
	empty.PV = nil
	x, m := math.Tanh(0.1), 1.0
	near := func(v ...float64) (list []indexed) {
		sum := 0.0
		for _, v := range v {
			sum += math.Exp(v / 0.1)
		}
		for i, v := range v {
			list = append(list, indexed{[]int{877, 501, 584}[i], float32(math.Exp(v/0.1) / sum)})
		}
		return list
	}
	silent, other := up, down
	silent.WDL, other.WDL = dataset.WDL{}, dataset.WDL{}
	for _, c := range []struct {
		name  string
		value ValueTarget
		label dataset.Label
		want  []indexed
	}{
		{"two lines", RecipeValue, label(up, down), near(x, -x)},
		{"three lines", RecipeValue, label(up, down, searched(dataset.MateIn(1), 8, 16)), near(x, -x, m)},
		{"a line without a move", RecipeValue, label(up, down, empty), near(x, -x)},
		{"equal chances", WDLValue, label(up, down), near(0.3, 0.3)},
		{"no chances: the move played", WDLValue, label(other, silent), []indexed{{877, 1}}},
		{"one line: the move played", RecipeValue, label(down), []indexed{{877, 1}}},
		{"no label: the move played", RecipeValue, dataset.Label{}, []indexed{{877, 1}}},
	} {
		got := policyOf(&w, Targets{c.value, PolicyTarget{Temperature: 0.1}}, c.label)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for i := range got {
			if got[i].Index != c.want[i].Index || math.Abs(float64(got[i].Weight-c.want[i].Weight)) > 1e-6 {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
	if got := policyOf(&w, Targets{}, label(down, up)); len(got) != 1 ||
		got[0] != (indexed{877, 1}) {
		t.Errorf("without a temperature: %v", got)
	}
	if got := policyOf(&w, Targets{Policy: PolicyTarget{Temperature: 0.001}},
		label(searched(dataset.Centipawns(900), 12, 28), searched(dataset.Centipawns(-900), 6, 21))); len(got) != 1 ||
		got[0] != (indexed{877, 1}) {
		t.Errorf("a weight of 0 is kept: %v", got)
	}
}

func TestPolicy(t *testing.T) {
	best := board.NewMove(6, 21) // g1f3
	label := dataset.Label{Status: dataset.Labelled, Best: best}
	line := uciLine(t, board.StartFEN, "e2e4", "g8f6")
	line.Samples = dataset.AllMoves()
	policies := [][]dataset.WeightedMove{
		{{Move: board.NewMove(12, 28), Weight: 6}, {Move: best, Weight: 2}, {Move: board.NewMove(8, 16), Weight: 0}},
		{},
	}
	zero := [][]dataset.WeightedMove{{{Move: best, Weight: 0}}, {}}
	for _, c := range []struct {
		name     string
		source   dataset.Source
		policies [][]dataset.WeightedMove
		label    dataset.Label
		ply      int
		want     []indexed
	}{
		{"game, White's move", dataset.SourceGame, nil, label, 0, []indexed{{877, 1}}},
		{"game, Black's move", dataset.SourceGame, nil, dataset.Label{}, 1, []indexed{{501, 1}}},
		{"game, at the end", dataset.SourceGame, nil, label, 2, nil},
		{"puzzle", dataset.SourcePuzzle, nil, label, 1, []indexed{{501, 1}}},
		{"endgame: the engine's move", dataset.SourceEndgame, nil, label, 0, []indexed{{501, 1}}}, // g1 = 6, (+2,-1)
		{"endgame, missing", dataset.SourceEndgame, nil, dataset.Label{}, 0, nil},
		{"endgame, failed", dataset.SourceEndgame, nil, dataset.Label{Status: dataset.Failed, Best: best}, 0, nil},
		{"endgame, terminal", dataset.SourceEndgame, nil, dataset.Label{Status: dataset.Terminal}, 0, nil},
		{"a list", dataset.SourceGame, policies, label, 0, []indexed{{877, 0.75}, {501, 0.25}}},
		{"a list of an endgame", dataset.SourceEndgame, policies, label, 0, []indexed{{877, 0.75}, {501, 0.25}}},
		{"an empty list", dataset.SourceGame, policies, label, 1, nil},
		{"a list, but no sample", dataset.SourceGame, policies, label, 2, nil},
		{"no weight", dataset.SourceGame, zero, label, 0, nil},
	} {
		line.Source, line.Policies = c.source, c.policies
		var w dataset.Walker
		if err := w.At(&line, c.ply); err != nil {
			t.Fatal(err)
		}
		if got := policyOf(&w, Targets{}, c.label); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
