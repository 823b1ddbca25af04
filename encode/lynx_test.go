package encode

import (
	"math"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// scores are all of them from the worst to the best: mated in 0 … 2000, centipawns up to a number, mates in 2000 … 1.
func scores(most int) (list []dataset.Score) {
	for n := 0; n <= dataset.MaxMate; n++ {
		list = append(list, dataset.MateIn(-n))
	}
	for cp := -most; cp <= most; cp++ {
		list = append(list, dataset.Centipawns(cp))
	}
	for n := dataset.MaxMate; n >= 1; n-- {
		list = append(list, dataset.MateIn(n))
	}
	return list
}

// TestLynxValueOrder: with either formula the value rises with the score, is the opponent's turned round, and stays in
// [-1, 1]; mates keep their distance in float32.
func TestLynxValueOrder(t *testing.T) {
	for _, e := range []Lynx{{}, {Nearness: true}} {
		last, lastScore := float32(-2), dataset.Score(0)
		for _, s := range scores(dataset.MaxCentipawns) {
			v, ok := e.Value(s)
			_, mate := s.Mate()
			// beyond 3,000 cp a step of one is less than a float32 can tell apart
			cp, _ := s.Centipawns()
			if !ok || v < last || v < -1 || v > 1 || v == last && (mate || max(cp, -cp) < 3000) {
				t.Fatalf("%+v: %v is worth %v, and %v %v", e, s, v, lastScore, last)
			}
			if back, _ := e.Value(-s); s != dataset.MateIn(0) && math.Abs(float64(v+back)) > 1e-7 {
				t.Fatalf("%+v: %v is worth %v, and to the other side %v", e, s, v, back)
			}
			last, lastScore = v, s
		}
	}
}

// TestLynxValue has values that were worked out by hand.
func TestLynxValue(t *testing.T) {
	for _, c := range []struct {
		nearness bool
		score    dataset.Score
		want     float64
	}{
		{false, dataset.MateIn(1), 0.8 + 0.2*(0.85+1.5/11)},
		{false, dataset.MateIn(16), 0.8 + 0.2*(0.85+1.5/26)},
		{false, dataset.Centipawns(0), 0},
		{false, dataset.Centipawns(1000), 0.8*(1/(1+math.Exp(-15))-1/(1+math.Exp(1100.0/60))) + 0.2*0.425},
		{true, dataset.MateIn(1), 1 - 0.4/75},
		{true, dataset.MateIn(15), 0.92},
		{true, dataset.MateIn(-15), -0.92},
		{true, dataset.MateIn(0), -1},
		{true, dataset.MateIn(30), 0.84},
		{true, dataset.MateIn(60), 0.6 + 0.4*0.55},
		{true, dataset.Centipawns(0), 0},
		{true, dataset.Centipawns(700), 0.6*(1/(1+math.Exp(-10))-1/(1+math.Exp(800.0/60))) + 0.1},
	} {
		if v, ok := (Lynx{Nearness: c.nearness}).Value(c.score); !ok || math.Abs(float64(v)-c.want) > 1e-6 {
			t.Errorf("nearness %v: %v is worth %v, not %v", c.nearness, c.score, v, c.want)
		}
	}
	for n := 2; n <= 30; n++ {
		nearer, _ := Lynx{Nearness: true}.Value(dataset.MateIn(n - 1))
		if v, _ := (Lynx{Nearness: true}).Value(dataset.MateIn(n)); nearer-v < 0.005 {
			t.Errorf("mate in %d is worth %v, and one move nearer %v", n, v, nearer)
		}
	}
}

// TestLynxChances: chances of a label count with Nearness, a certain draw among them; the moves of a solved label are
// learnt alike in an endgame, and in a game none of them.
func TestLynxChances(t *testing.T) {
	p, err := board.ParseFEN("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	line := &dataset.Line{Source: dataset.SourceEndgame, Start: p}
	label := dataset.Label{Status: dataset.Labelled}
	for _, m := range p.LegalMoves(nil)[:3] {
		label.Lines = append(label.Lines, dataset.Searched{Score: dataset.Centipawns(0), WDL: dataset.WDL{Draw: 1000},
			PV: []board.Move{m}})
	}
	label.Best = label.Lines[0].PV[0]
	v := &View{Game: board.NewGame(p), Line: line, Labels: dataset.Counted{Moves: label, Value: label, Solved: true}}
	for _, c := range []struct {
		nearness  bool
		win, draw float64
	}{{true, 0, 1}, {false, 1 / (1 + math.Exp(100.0/60)), 1 - 2/(1+math.Exp(100.0/60))}} {
		value, win, draw, ok := Lynx{Nearness: c.nearness}.chances(v, Targets{})
		if !ok || math.Abs(float64(value)) > 1e-6 || math.Abs(float64(win)-c.win) > 1e-6 ||
			math.Abs(float64(draw)-c.draw) > 1e-6 {
			t.Errorf("nearness %v: value %v, win %v, draw %v, %v", c.nearness, value, win, draw, ok)
		}
	}
	moves := Policy(nil, Lynx{}, Targets{}, v)
	if len(moves) != 3 || slices.ContainsFunc(moves, func(m dataset.WeightedMove) bool { return m.Weight != 1.0/3 }) {
		t.Errorf("learns %v", moves)
	}
	line.Source = dataset.SourceGame
	if moves := Policy(nil, Lynx{}, Targets{}, v); moves != nil {
		t.Errorf("learns %v of a game that was not played on", moves)
	}
	line.Source = dataset.SourceEndgame
	v.Labels.Solved = false
	if moves := Policy(nil, Lynx{}, Targets{}, v); len(moves) != 1 || moves[0].Move != label.Best {
		t.Errorf("learns %v of an engine's label", moves)
	}
}
