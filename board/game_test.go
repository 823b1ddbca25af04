package board

import (
	"math/rand/v2"
	"testing"
)

// TestRepetitions compares with a map from the text of a position to how often
// it occurred, over random games of kings and rooks, which repeat often.
func TestRepetitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	repeated := 0
	g := NewGame(StartPosition())
	for _, fen := range []string{
		"r3k3/8/8/8/8/8/7P/4K2R w Kq - 7 30",
		"8/8/8/8/8/p7/P1k5/K7 b - - 0 1",
		"k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 90 1",
		StartFEN,
	} {
		for range 20 {
			g.Reset(mustParse(t, fen))
			seen := map[string]int{g.Position().EPD(): 1}
			for range 300 {
				moves := g.Position().LegalMoves(nil)
				if len(moves) == 0 {
					break
				}
				m := moves[rng.IntN(len(moves))]
				if back := g.Previous(1); back != nil && g.Ply() > 2 && rng.IntN(2) == 0 {
					// Going back makes repetitions.
					for _, other := range moves {
						if q := g.Position().After(other); q.ByColor(White) == g.Previous(3).ByColor(White) &&
							q.ByColor(Black) == g.Previous(3).ByColor(Black) {
							m = other
						}
					}
				}
				g.Push(m)
				epd := g.Position().EPD()
				if got := g.Repetitions(); got != seen[epd] {
					t.Fatalf("%s at ply %d: %d repetitions, want %d", epd, g.Ply(), got, seen[epd])
				}
				if seen[epd] > 0 {
					repeated++
				}
				seen[epd]++
			}
		}
	}
	if repeated < 1000 {
		t.Errorf("only %d repetitions were seen", repeated)
	}
}

// TestRepetitionsByHand: lost castling rights and a lost en passant capture
// make another position.
func TestRepetitionsByHand(t *testing.T) {
	for _, test := range []struct {
		name, fen string
		moves     []string
		want      []int
	}{
		{"knights", StartFEN,
			[]string{"g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"},
			[]int{0, 0, 0, 1, 1, 1, 1, 2}},
		{"castling rights", "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1",
			[]string{"h1h2", "a8a7", "h2h1", "a7a8", "h1h2", "a8a7", "h2h1", "a7a8"},
			[]int{0, 0, 0, 0, 0, 1, 1, 1}}, // h2 with a7 recurs first: Black had his right before
		{"en passant", "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1",
			[]string{"d7d5", "e1f1", "e8f8", "f1e1", "f8e8", "e1f1", "e8f8", "f1e1", "f8e8"},
			[]int{0, 0, 0, 0, 0, 1, 1, 1, 1}},
		{"double push without capture", "4k3/3p4/8/8/8/8/8/4K3 b - - 0 1",
			[]string{"d7d5", "e1f1", "e8f8", "f1e1", "f8e8"},
			[]int{0, 0, 0, 0, 1}},
	} {
		g := NewGame(mustParse(t, test.fen))
		for i, uci := range test.moves {
			g.Push(mustMove(t, g.Position(), uci))
			if got := g.Repetitions(); got != test.want[i] {
				t.Errorf("%s: %d repetitions after %s (ply %d), want %d", test.name, got, uci, i+1, test.want[i])
			}
		}
	}
}

func TestGame(t *testing.T) {
	start := mustParse(t, "8/8/8/8/8/8/8/K1k4r w - - 40 90")
	g := NewGame(start)
	if g.Ply() != 0 || *g.Position() != start || g.Repetitions() != 0 || *g.Previous(0) != start ||
		g.Previous(1) != nil || g.Previous(-1) != nil {
		t.Error("a new game is not its start")
	}
	m := mustMove(t, &start, "a1a2")
	g.Push(m)
	if g.Ply() != 1 || *g.Position() != start.After(m) || *g.Previous(1) != start || g.Previous(2) != nil {
		t.Error("a push does not lead from the start to the next position")
	}
	g.Reset(StartPosition())
	if g.Ply() != 0 || *g.Position() != StartPosition() || g.Previous(1) != nil {
		t.Error("a reset game is not its start")
	}
}

// TestRewind takes moves back and sees that positions and repetitions are those before.
func TestRewind(t *testing.T) {
	g := NewGame(StartPosition())
	for _, uci := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
		g.Push(mustMove(t, g.Position(), uci))
	}
	if g.Rewind(4); g.Ply() != 4 || g.Repetitions() != 1 {
		t.Errorf("%d plies, %d repetitions", g.Ply(), g.Repetitions())
	}
	if g.Rewind(1); g.Ply() != 1 || g.Repetitions() != 0 || *g.Previous(1) != StartPosition() {
		t.Errorf("%d plies, %d repetitions, after %s", g.Ply(), g.Repetitions(), g.Previous(1).FEN())
	}
}
