package encode

import (
	"math"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// TestResultValue: by hand, for both colours, at the beginning and at the end of a game of four plies.
func TestResultValue(t *testing.T) {
	line := uciLine(t, board.StartFEN, "e2e4", "e7e5", "g1f3", "b8c6")
	line.Samples = dataset.AllMoves()
	chances := dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: dataset.Centipawns(700),
		WDL: dataset.WDL{Win: 100, Draw: 600, Loss: 300}}}}
	score := dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: dataset.Centipawns(350)}}}
	tanh1 := math.Tanh(1)
	for _, c := range []struct {
		name    string
		target  ValueTarget
		result  dataset.Result
		ply     int
		label   dataset.Label
		value   float64
		win, wd float64 // and draw, of lynx; −1: not looked at
	}{
		{"White won", ResultValue(0, 1), dataset.WhiteWins, 0, chances, 1, 1, 0},
		{"White won, Black to move", ResultValue(0, 1), dataset.WhiteWins, 1, chances, -1, 0, 0},
		{"a draw", ResultValue(0, 0.9), dataset.Draw, 1, chances, 0, 0, 1},
		{"Black won, three plies to go", ResultValue(0, 0.9), dataset.BlackWins, 1, chances, 0.729, 0.729, 0.271},
		{"the label alone", ResultValue(1, 0.9), dataset.WhiteWins, 0, chances, -0.2, 0.1, 0.6},
		{"mixed", ResultValue(0.25, 1), dataset.WhiteWins, 0, chances, 0.75 - 0.05, 0.775, 0.15},
		{"mixed, discounted, lost", ResultValue(0.5, 0.5), dataset.WhiteWins, 3, chances, -0.25 - 0.1, 0.05, 0.55},
		{"a score", ResultValue(0.5, 1), dataset.Draw, 0, score, tanh1 / 2, -1, -1},
		{"no result", ResultValue(0.5, 0.5), dataset.ResultUnknown, 0, chances, -0.2, 0.1, 0.6},
		{"no label", ResultValue(0.5, 1), dataset.BlackWins, 0, dataset.Label{}, -1, 0, 0},
		{"neither", ResultValue(0.5, 1), dataset.ResultUnknown, 0, dataset.Label{}, math.NaN(), math.NaN(), math.NaN()},
	} {
		line.Result = c.result
		v := viewAt(t, &line, c.ply)
		v.Labels = dataset.Counted{Moves: c.label, Value: c.label}
		for name, e := range map[string]Encoder{"talbotbot": TalbotBot{}, "tahl": Tahl{}, "lynx": Lynx{}} {
			var target Target
			layout := e.Layout()
			target.Reset(&layout)
			e.Target(&target, v, Targets{Value: c.target})
			want := []float64{c.value, c.win, c.wd}
			for i, x := range target.Floats {
				same := math.Abs(float64(x)-want[i]) < 1e-6 || x != x && math.IsNaN(want[i])
				if !same && (i == 0 || want[i] != -1) {
					t.Errorf("%s, %s: %s %v, want %v", c.name, name, layout.Floats[i], x, want[i])
				}
			}
		}
	}
	target := ResultValue(0.5, 1)
	if p := target.WinProbability(Lynx{}); p == nil || p(0.5) != 0.75 {
		t.Error("0.5 is not three points of four")
	}
}

// TestCutGame: a game of self-play without a result has the value of its last search, from each side's view.
func TestCutGame(t *testing.T) {
	label := func(win, draw, loss uint16) dataset.Label {
		return dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{
			WDL: dataset.WDL{Win: win, Draw: draw, Loss: loss}}}}
	}
	line := uciLine(t, board.StartFEN, "e2e4", "e7e5", "g1f3", "b8c6")
	line.Source, line.Samples = dataset.SourceSelfPlay, dataset.SomePlies([]byte{0b1110})
	line.Labels = []dataset.LabelColumn{{Fingerprint: 0, Labels: []dataset.Label{label(0, 1000, 0), label(1000, 0, 0),
		label(700, 200, 100)}}}
	value := func(target ValueTarget, ply int) (float64, bool) {
		v := viewAt(t, &line, ply)
		l := line.Labels[0].Labels[v.Sample]
		v.Labels = dataset.Counted{Moves: l, Value: l}
		x, ok := Targets{Value: target}.ValueOf(Lynx{}, v)
		return float64(x), ok
	}
	for _, c := range []struct {
		target ValueTarget
		ply    int
		want   float64
	}{
		{ResultValue(0, 0.9), 3, 0.6},
		{ResultValue(0, 0.9), 2, -0.54},
		{ResultValue(0, 0.9), 1, 0.486},
		{ResultValue(0, 1), 1, 0.6},
		{ResultValue(0.5, 0.9), 2, 0.5 - 0.27},
	} {
		if got, ok := value(c.target, c.ply); !ok || math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s, ply %d: %v, %v, want %v", c.target, c.ply, got, ok, c.want)
		}
	}
	line.Source = dataset.SourceGame
	if got, _ := value(ResultValue(0, 0.9), 2); got != 1 {
		t.Errorf("a game that was not played here: %v, want the label alone", got)
	}
}

// TestLearnsResults: with labels or without.
func TestLearnsResults(t *testing.T) {
	for _, c := range []struct {
		target        ValueTarget
		e             Encoder
		with, without bool
	}{
		{RecipeValue, Tahl{}, true, true},
		{RecipeValue, Lynx{Nearness: true}, false, true},
		{RecipeValue, TalbotBot{}, false, false},
		{WDLValue, Lynx{}, false, false},
		{WDLValue, Tahl{}, false, false},
		{ResultValue(0.5, 1), TalbotBot{}, true, true},
		{ResultValue(1, 1), TalbotBot{}, false, true},
	} {
		if with, without := c.target.LearnsResults(c.e, true), c.target.LearnsResults(c.e, false); with != c.with ||
			without != c.without {
			t.Errorf("%s of %T: %v with labels, %v without", c.target, c.e, with, without)
		}
	}
}
