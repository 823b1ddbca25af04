package mcts

import (
	"testing"

	"talbot/board"
)

func TestEnded(t *testing.T) {
	back := []string{"h1g1", "h8g8", "g1h1", "g8h8"}
	for _, c := range []struct {
		fen   string
		moves []string
		want  outcome
	}{
		{board.StartFEN, nil, open},
		{"7k/6Q1/6K1/8/8/8/8/8 b - - 100 90", nil, mated}, // mate comes before the fifty moves
		{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", nil, stalemate},
		{"7k/8/6K1/8/8/8/8/5B2 b - - 0 1", nil, dead},
		{"7k/8/6K1/8/8/8/8/5BN1 b - - 99 90", nil, open},
		{"7k/8/6K1/8/8/8/8/5BN1 b - - 100 90", nil, fifty},
		{shuffle, back, open},
		{shuffle, append(append([]string{}, back...), back...), threefold},
	} {
		s := mustNew(t, "policy", newFake(t, 1))
		g := set(t, s, c.fen, c.moves...)
		if got := ended(g, g.Position().LegalMoves(nil)); got != c.want || got.claimed() != (c.want >= fifty) {
			t.Errorf("%s %v: %d, not %d", c.fen, c.moves, got, c.want)
		}
	}
}

// TestFifty: a won ending is a draw when there is no time, and no draw with one ply more.
func TestFifty(t *testing.T) {
	for _, name := range []string{"puct", "talbotbot", "value"} {
		for _, c := range []struct {
			fen  string
			draw bool
		}{{"8/8/8/4k3/8/3QK3/8/8 w - - 99 100", true}, {"8/8/8/4k3/8/3QK3/8/8 w - - 10 100", false}} {
			s := mustNew(t, name, material(t, 4))
			g := set(t, s, c.fen)
			r := search(t, s, Limits{Nodes: 300})
			checkReport(t, g, r)
			if l := r.Lines[0]; (l.Value == 0) != c.draw || name == "puct" && l.Proven != c.draw {
				t.Errorf("%s: %s: %+v", name, c.fen, l)
			}
		}
	}
}
