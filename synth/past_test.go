package synth

import (
	"fmt"
	"math/rand/v2"
	"strings"
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

// TestReconstructCounters: the past agrees with the counters, wherever some past does; else the counters that its moves
// lead to hold.
func TestReconstructCounters(t *testing.T) {
	for _, c := range []struct {
		fen      string
		counters string // at the end; * is a clock that counts from the last capture or pawn move, or from the start
	}{
		// two moves of knights behind two of pawns
		{"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", "2 3"},
		{"8/8/8/8/3k4/8/3PK3/8 w - - 0 40", "0 40"}, // behind a capture or a pawn move
		{"8/8/8/8/3k4/8/3PK3/8 w - - 1 40", "1 40"},
		{"8/8/8/8/3k4/8/3PK3/8 b - - 3 40", "3 40"},
		{"8/8/8/8/3k4/8/3PK3/8 b - - 77 90", "77 90"},
		{"4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 30", "0 30"},
		{"8/8/8/8/3k4/8/3PK3/8 w - - 0 1", "* 3"}, // of nothing known
		{"8/8/8/8/3k4/8/3PK3/8 b - - 0 1", "* 3"},
		{"8/8/8/8/3k4/8/3PK3/8 w - - 1 1", "1 3"}, // four plies end with move 3
		{"8/8/8/8/3k4/8/3PK3/8 b - - 77 2", "77 3"},
		{"7k/5KR1/8/8/8/8/8/8 b - - 0 2", "0 3"},
		{"4k3/8/8/3Pp3/8/8/8/4K3 w - e6 5 30", "* 30"}, // the last move is a pawn's
	} {
		for seed := range uint64(50) {
			start, moves, ok := reconstruct(t, DefaultPast, c.fen, 4, seed)
			if !ok {
				t.Fatalf("%s: no past", c.fen)
			}
			free := start.HalfmoveClock() == 0
			pos, clock := start, 0
			for _, m := range moves {
				if clock++; pos.IsCapture(m) || pos.PieceAt(m.From()).Type() == board.Pawn {
					clock = 0
				}
				pos.Play(m)
			}
			want := strings.Replace(c.counters, "*", fmt.Sprint(clock), 1)
			if got := fmt.Sprint(pos.HalfmoveClock(), " ", pos.FullmoveNumber()); got != want ||
				want != c.counters && !free {
				t.Fatalf("%s: %v from %s lead to %s, not %s", c.fen, moves, start.FEN(), got, want)
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
