package encode

import (
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// TestWalker compares every stop with a game replayed from scratch, for every kind of samples.
func TestWalker(t *testing.T) {
	line := randomLine(7, board.StartPosition(), 20)
	n := len(line.Moves)
	var w dataset.Walker
	for _, c := range []struct {
		name    string
		samples dataset.Samples
		want    []int
	}{
		{"odd", dataset.OddPlies(), []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}},
		{"last", dataset.LastPosition(), []int{20}},
		{"some", dataset.SomePlies([]byte{0b10000001, 0, 0b10000}), []int{0, 7, 20}},
		{"none", dataset.SomePlies(nil), nil},
		{"all", dataset.AllMoves(), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}},
	} {
		line.Samples = c.samples
		var got []int
		w.Reset(&line)
		if w.Sample() != -1 || w.Ply() != 0 || w.Line() != &line {
			t.Errorf("%s: sample %d at ply %d after Reset", c.name, w.Sample(), w.Ply())
		}
		for w.Next() {
			if w.Sample() != len(got) {
				t.Errorf("%s: sample %d, want %d", c.name, w.Sample(), len(got))
			}
			got = append(got, w.Ply())
			checkStop(t, &w, &line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: plies %v, want %v", c.name, got, c.want)
		}
		for ply := n; ply >= 0; ply-- {
			if err := w.At(&line, ply); err != nil {
				t.Fatal(err)
			}
			if w.Ply() != ply || w.Sample() != slices.Index(c.want, ply) {
				t.Errorf("%s: sample %d at ply %d, asked for %d", c.name, w.Sample(), w.Ply(), ply)
			}
			checkStop(t, &w, &line)
			i := slices.IndexFunc(c.want, func(p int) bool { return p > ply })
			if more := w.Next(); more != (i >= 0) || more && (w.Ply() != c.want[i] || w.Sample() != i) {
				t.Errorf("%s: Next behind ply %d: %v, sample %d at ply %d", c.name, ply, more, w.Sample(), w.Ply())
			}
		}
	}
	for _, ply := range []int{-1, n + 1} {
		if err := w.At(&line, ply); err == nil {
			t.Errorf("ply %d of %d is no error", ply, n)
		}
	}
}

func checkStop(t *testing.T, w *dataset.Walker, l *dataset.Line) {
	t.Helper()
	g := board.NewGame(l.Start)
	for _, m := range l.Moves[:w.Ply()] {
		g.Push(m)
	}
	got, want := make([]uint64, TalbotBotPlanes), make([]uint64, TalbotBotPlanes)
	TalbotBot{}.Planes(got, w.Game())
	TalbotBot{}.Planes(want, g)
	if *w.Position() != *g.Position() || !slices.Equal(got, want) {
		t.Errorf("ply %d: %q, want %q", w.Ply(), w.Position().FEN(), g.Position().FEN())
	}
	clear(want[repetitionPlane:])
	TalbotBot{}.Planes(got, board.NewGame(*w.Position()))
	if !slices.Equal(got, want) {
		t.Errorf("ply %d alone: planes %x, want %x", w.Ply(), got, want)
	}
}

// TestAllocatesNothing: what is written for each sample of a line makes no garbage.
func TestAllocatesNothing(t *testing.T) {
	line := randomLine(3, board.StartPosition(), 80)
	label := searched(dataset.Centipawns(20))
	for _, e := range []Encoder{TalbotBot{LegalMask: true}, Napoleon{}, Tahl{}, NoSearch{}, Prior{}} {
		var w dataset.Walker
		var v View
		var target Target
		layout := e.Layout()
		packed, numbers, code := make([]uint64, layout.Words), make([]float32, layout.Numbers()),
			make([]int32, layout.Codes)
		walk := func() {
			w.Reset(&line)
			for w.Next() {
				v.Visit(&w, dataset.Counted{Moves: label, Value: label})
				e.Pack(packed, &v)
				e.Unpack(numbers, packed)
				for _, m := range v.Legal() {
					e.EncodeMove(code, &v, m)
				}
				target.Reset(&layout)
				e.Target(&target, &v, Targets{})
			}
		}
		walk()
		if n := testing.AllocsPerRun(10, walk); n != 0 {
			t.Errorf("%s: %v allocations a line", e.Name(), n)
		}
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
