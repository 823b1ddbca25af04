package dataset

import (
	"slices"
	"testing"

	"talbot/board"
)

// TestPrepend: with history in front a line has the same samples, split key and identity.
func TestPrepend(t *testing.T) {
	start := parse(t, "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 5 31")
	before := start
	var history []board.Move
	for range 4 {
		u := before.Unmoves(nil)[0]
		history = append(history, u.Move)
		before.Unplay(u)
	}
	slices.Reverse(history)
	moves := []board.Move{board.NewMove(55, 47), board.NewMove(0, 56), board.NewMove(62, 55)} // h7h6, Ra8+, Kh7
	for name, samples := range map[string]Samples{
		"odd": OddPlies(), "all": AllMoves(), "last": LastPosition(), "some": SomePlies([]byte{0b1001}),
	} {
		l := Line{Source: SourcePuzzle, Start: start, Moves: moves, Samples: samples}
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		with := l
		with.Prepend(before, history)
		if err := with.Check(); err != nil {
			t.Fatal(err)
		}
		if with.Reconstructed != 4 || len(with.Moves) != 7 || len(l.Moves) != 3 {
			t.Errorf("%s: %+v", name, with)
		}
		want := l.Samples.Plies(nil, 3)
		for i := range want {
			want[i] += 4
		}
		if got := with.Samples.Plies(nil, 7); !slices.Equal(got, want) {
			t.Errorf("%s: samples at %v, want %v", name, got, want)
		}
		if SplitKey(&with) != SplitKey(&l) || with.GameHash() != l.GameHash() {
			t.Errorf("%s: another key", name)
		}
		if real, rest := with.WithoutHistory(); real != start || !slices.Equal(rest, moves) {
			t.Errorf("%s: the real part is %s, %v", name, real.FEN(), rest)
		}
		// Not reconstructed, the same moves are another line.
		played := with
		played.Reconstructed = 0
		if SplitKey(&played) == SplitKey(&l) || played.GameHash() == l.GameHash() {
			t.Errorf("%s: history that was played is left out", name)
		}
	}
	damaged := Line{Start: start, Moves: []board.Move{board.NewMove(4, 60)}, Reconstructed: 1}
	if real, rest := damaged.WithoutHistory(); real != start || len(rest) != 1 {
		t.Error("an illegal move is played")
	}
}
