package synth

import (
	"math/rand/v2"
	"testing"

	"talbot/board"
)

// reconstruct finds a past for a FEN and checks that it leads there.
func reconstruct(t *testing.T, past Past, fen string, plies int, seed uint64) (start board.Position, moves []board.Move,
	ok bool) {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewReconstructor(past)
	if err != nil {
		t.Fatal(err)
	}
	moves = make([]board.Move, plies)
	start, ok = v.Reconstruct(rand.New(rand.NewPCG(seed, 0)), p, moves)
	if !ok {
		return start, nil, false
	}
	q := start
	for _, m := range moves {
		if !q.IsLegal(m) {
			t.Fatalf("%s: %v is illegal in %s", fen, m, q.FEN())
		}
		q.Play(m)
	}
	if q.EPD() != p.EPD() {
		t.Fatalf("%s: the past leads to %s", fen, q.FEN())
	}
	return start, moves, true
}

// TestReconstructCounters: the past agrees with the counters, wherever some past does.
func TestReconstructCounters(t *testing.T) {
	for _, c := range []struct {
		fen     string
		counted bool // whether its counters can be had and say something
	}{
		// two moves of knights behind two of pawns
		{"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", true},
		{"8/8/8/8/3k4/8/3PK3/8 w - - 0 40", true}, // behind a capture or a pawn move
		{"8/8/8/8/3k4/8/3PK3/8 w - - 1 40", true},
		{"8/8/8/8/3k4/8/3PK3/8 b - - 3 40", true},
		{"8/8/8/8/3k4/8/3PK3/8 b - - 77 90", true},
		{"4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 30", true},
		{"8/8/8/8/3k4/8/3PK3/8 w - - 0 1", false}, // of nothing known
		{"7k/5KR1/8/8/8/8/8/8 b - - 0 2", false},
	} {
		for seed := range uint64(50) {
			start, moves, ok := reconstruct(t, DefaultPast, c.fen, 4, seed)
			if !ok {
				t.Fatalf("%s: no past", c.fen)
			}
			for _, m := range moves {
				start.Play(m)
			}
			if c.counted && start.FEN() != c.fen {
				t.Fatalf("%s: the past leads to %s", c.fen, start.FEN())
			}
		}
	}
}

// TestReconstructBounds: kinds without weight and more pieces than allowed never come; what has no past has none.
func TestReconstructBounds(t *testing.T) {
	const fen = "Q3k3/8/8/8/8/8/8/4K3 b - - 0 1"
	captures, promotions := 0, 0
	for seed := range uint64(300) {
		start, _, _ := reconstruct(t, Past{Captures: 0, Promotions: 1, MostPieces: 32}, fen, 6, seed)
		if start.Occupied().Len() != 3 {
			t.Fatalf("%s has captures", start.FEN())
		}
		promotions += start.Pieces(board.White, board.Pawn).Len()
		start, _, _ = reconstruct(t, Past{Captures: 5, Promotions: 0, MostPieces: 5}, fen, 6, seed)
		if n := start.Occupied().Len(); n > 5 || start.Pieces(board.White, board.Queen) == 0 {
			t.Fatalf("%s has %d pieces, or a promotion", start.FEN(), n)
		} else {
			captures += n - 3
		}
	}
	if captures < 500 || promotions < 50 {
		t.Errorf("%d captures, %d promotions", captures, promotions)
	}
	if _, _, ok := reconstruct(t, DefaultPast, "4K3/BB6/4p3/2k5/3P4/8/8/8 b - - 0 1", 1, 1); ok {
		t.Error("an impossible double check has a past")
	}
}

// TestReconstructReachable: in front of a past there is no check that no move gives.
func TestReconstructReachable(t *testing.T) {
	checks := 0
	d := drawer(t, nil)
	for i := range int64(20000) {
		x := d.Draw(i)
		if p := &x.Line.Start; p.InCheck() {
			checks++
			if len(p.Unmoves(nil)) == 0 {
				t.Fatalf("%s cannot have come about", p.FEN())
			}
		}
	}
	if checks < 500 {
		t.Errorf("%d checks", checks)
	}
}
