package dataset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"talbot/board"
)

// TestWalker compares every stop with a game replayed from scratch, for every kind of samples.
func TestWalker(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	line := Line{Start: board.StartPosition()}
	p := line.Start
	for range 20 {
		moves := p.LegalMoves(nil)
		m := moves[rng.IntN(len(moves))]
		line.Moves = append(line.Moves, m)
		p.Play(m)
	}
	n := len(line.Moves)
	var w Walker
	for _, c := range []struct {
		name    string
		samples Samples
		want    []int
	}{
		{"odd", OddPlies(), []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}},
		{"last", LastPosition(), []int{20}},
		{"some", SomePlies([]byte{0b10000001, 0, 0b10000}), []int{0, 7, 20}},
		{"none", SomePlies(nil), nil},
		{"all", AllMoves(), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}},
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

// checkStop compares where a walker stands, and its past, with a game replayed from scratch.
func checkStop(t *testing.T, w *Walker, l *Line) {
	t.Helper()
	g := board.NewGame(l.Start)
	for _, m := range l.Moves[:w.Ply()] {
		g.Push(m)
	}
	if *w.Position() != *g.Position() || w.Game().Repetitions() != g.Repetitions() {
		t.Errorf("ply %d: %q, want %q", w.Ply(), w.Position().FEN(), g.Position().FEN())
	}
	for k := 0; k < 6; k++ {
		got, want := w.Game().Previous(k), g.Previous(k)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("ply %d: another position %d plies before", w.Ply(), k)
		}
	}
}
