package dataset

import (
	"strings"
	"testing"

	"talbot/board"
)

// TestSigns: scores of the right view agree; those of the other one contradict where Black moves, turned ones
// everywhere; few contradict nothing.
func TestSigns(t *testing.T) {
	positions := map[string]Result{ // White is a rook ahead and wins, or Black is
		"4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1": WhiteWins, "4k3/8/8/8/8/8/4P3/R3K3 b - - 0 1": WhiteWins,
		"r3k3/4p3/8/8/8/8/8/4K3 w - - 0 1": BlackWins, "r3k3/4p3/8/8/8/8/8/4K3 b - - 0 1": BlackWins,
	}
	for name, test := range map[string]struct {
		copies int
		ahead  func(white, whiteMoves bool) bool // what a file says of a position in which White is ahead, or is not
		wrong  bool
		black  string
	}{
		"mover's":  {20, func(white, whiteMoves bool) bool { return white == whiteMoves }, false, "40 of 40"},
		"White's":  {20, func(white, _ bool) bool { return white }, true, "0 of 40"},
		"turned":   {20, func(white, whiteMoves bool) bool { return white != whiteMoves }, true, "0 of 40"},
		"too few":  {5, func(white, _ bool) bool { return white }, false, "0 of 10"},
		"one sign": {20, func(bool, bool) bool { return true }, false, "20 of 40"},
	} {
		var s Signs
		for fen, result := range positions {
			p := parse(t, fen)
			for range test.copies {
				s.Add(&p, test.ahead(result == WhiteWins, p.Turn() == board.White), result)
			}
		}
		black := s.String()[strings.Index(s.String(), "Black"):]
		if s.Contradict() != test.wrong || strings.Count(black, test.black) != 2 {
			t.Errorf("%s: %v, %s", name, s.Contradict(), &s)
		}
	}
	var s Signs
	p := board.StartPosition()
	for range 100 {
		s.Add(&p, true, Draw)
	}
	if s != (Signs{}) {
		t.Errorf("a draw with equal material counts: %s", &s)
	}
}
