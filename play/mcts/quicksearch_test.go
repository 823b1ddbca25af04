package mcts

import (
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
)

func TestQuickSearch(t *testing.T) {
	for _, c := range []struct {
		name, fen string
		past      []string
		want      string // the move; "" any but not
		not       string
		mate      int
	}{
		{"a mate in one", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", nil, "d1d8", "", 1},
		{"Black's mate in one", "3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", nil, "d8d1", "", 1},
		{"a mate by promotion", "7k/4P1pp/8/8/8/8/8/6K1 w - - 0 1", nil, "", "e7e8n", 1},
		{"a queen for nothing", "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", nil, "e4d5", "", 0},
		{"a pawn that is guarded", "4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1", nil, "", "d2d6", 0},
		{"a rook that hangs", "4k3/8/8/8/1b6/8/3R4/5K2 w - - 0 1", nil, "", "f1e1", 0},
		{"a mate that must be parried", "6k1/5ppp/8/8/8/q7/3r1PPP/3R2K1 w - - 0 1", nil, "d1d2", "", 0},
		{"a queen to be", "8/P7/8/8/8/k7/8/K7 w - - 0 1", nil, "a7a8q", "", 0},
		{"no stalemate", "7k/8/8/6Q1/8/8/5K2/8 w - - 0 1", nil, "", "g5g6", 0},
		{"no repetition when ahead", "7k/7p/8/8/8/8/2Q5/K7 w - - 0 1",
			[]string{"c2d2", "h8g8", "d2c2", "g8h8"}, "", "c2d2", 0},
		{"one move", "7k/R7/8/8/8/8/8/K7 b - - 0 1", nil, "h8g8", "", 0},
		{"not a shuffle of the rook", board.StartFEN, nil, "", "a2a3", 0},
	} {
		g := gameAt(t, c.fen, c.past...)
		before := *g.Position()
		moves := before.LegalMoves(nil)
		lines := QuickSearch(g, moves)
		first := lines[0]
		if len(lines) != len(moves) || *g.Position() != before {
			t.Errorf("%s: %d lines for %d moves, stands at %s", c.name, len(lines), len(moves), g.Position().FEN())
		}
		m := first.PV[0].String()
		if c.want != "" && m != c.want || m == c.not || first.Mate != c.mate || !first.Quick {
			t.Errorf("%s: %s, %+v", c.name, m, first)
		}
		for i, l := range lines {
			if !before.IsLegal(l.PV[0]) || l.Value < -1 || l.Value > 1 ||
				i > 0 && l.Centipawns > lines[i-1].Centipawns {
				t.Errorf("%s: line %d: %+v", c.name, i, l)
			}
		}
	}
	if lines := QuickSearch(gameAt(t, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), nil); len(lines) != 0 {
		t.Errorf("stalemate: %+v", lines)
	}
}

// TestQuickSearchMirrored: Black sees what White does.
func TestQuickSearchMirrored(t *testing.T) {
	for _, fen := range positions {
		p := testkit.Must(board.ParseFEN(fen))
		q := p.Mirror()
		white, black := QuickSearch(board.NewGame(p), p.LegalMoves(nil)), QuickSearch(board.NewGame(q),
			q.LegalMoves(nil))
		for i, l := range white {
			if b := black[i]; b.PV[0] != l.PV[0].Mirror() || b.Centipawns != l.Centipawns || b.Mate != l.Mate {
				t.Errorf("%s: line %d: %+v and %+v", fen, i, l, b)
			}
		}
	}
}

func BenchmarkQuickSearch(b *testing.B) {
	g := gameAt(b, positions[1])
	moves := g.Position().LegalMoves(nil)
	for b.Loop() {
		QuickSearch(g, moves)
	}
}
