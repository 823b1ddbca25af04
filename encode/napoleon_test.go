package encode

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/golden"
)

// napoleonGolden is one position of testdata/napoleon.jsonl.gz, written by testdata/napoleon_oracle.py with
// python-chess.
type napoleonGolden struct {
	FEN     string
	Packed  golden.Words
	Numbers []float32
}

func readNapoleonGolden(t testing.TB) []napoleonGolden {
	t.Helper()
	return golden.Lines[napoleonGolden](t, "testdata/napoleon.jsonl.gz", 100)
}

// napoleonOf returns the packed words and the numbers of p.
func napoleonOf(p *board.Position) (words []uint64, numbers []float32) {
	return encodedAs(Napoleon{}, viewOf(p, 0, 0))
}

func parseFEN(t testing.TB, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sameNapoleon compares an input with the expected one.
func sameNapoleon(t testing.TB, p *board.Position, got, want []float32) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] { // NaN too
			t.Fatalf("%q: plane %d, %v is %g, want %g", p.FEN(), i/64, board.Square(i%64), got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
}

// TestNapoleonGolden compares packed words and numbers with python-chess, with either side to move and at the limits
// of every plane.
func TestNapoleonGolden(t *testing.T) {
	for _, g := range readNapoleonGolden(t) {
		p := parseFEN(t, g.FEN)
		words, numbers := napoleonOf(&p)
		if !slices.Equal(words, g.Packed) {
			t.Errorf("%q: packed %016x, want %016x", g.FEN, words, g.Packed)
		}
		sameNapoleon(t, &p, numbers, g.Numbers)
	}
}

// TestNapoleonByHand has positions that are easy to work out. The published code fails most of them: it names pieces by
// colour instead of by side to move, reads Black's attacks from squares that are not turned, lets the sum of all
// attacks run over the squares, and another version of it fills only a corner of the board.
func TestNapoleonByHand(t *testing.T) {
	type number struct {
		plane  int
		square string
		want   float32
	}
	for _, test := range []struct {
		fen  string
		want []number
		sums map[int]float32 // of whole planes
	}{
		{fen: board.StartFEN, want: []number{
			{0, "e2", 1}, {5, "e1", 1}, {6, "e7", -1}, {11, "e8", -1}, {4, "d1", 1}, {10, "d8", -1},
			{12, "e3", 2}, {12, "a3", 1}, {13, "f3", 1}, {13, "d2", 1}, {17, "d1", 1}, {16, "e1", 1}, {18, "e6", -2},
			{30, "a1", 0}, {30, "h8", 0}, {30, "e4", 0}, {30, "d2", 4}, {31, "d2", 4}, {32, "d7", -4}, {31, "d7", 0},
			{33, "b1", 3}, {33, "e1", 5}, {33, "d1", 5}, {33, "a1", 2}, {33, "a2", 1}, {33, "e7", 2}, {33, "e4", 0},
		}, sums: map[int]float32{0: 8, 6: -8, 12: 14, 18: -14, 13: 6, 19: -6, 24: 0, 30: 0, 31: 38, 33: 76}},

		// The same seen by Black after a move of White's pawn: own pieces are at the bottom.
		{fen: "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", want: []number{
			{0, "e2", 1}, {0, "e7", 0}, {6, "e5", -1}, {6, "e7", 0}, {4, "d1", 1}, {10, "d8", -1}, {5, "e1", 1},
			{11, "e8", -1}, {12, "d3", 2}, {18, "d4", -1}, {18, "f4", -1}, {18, "d6", -1}, {20, "a3", -1},
			{20, "b4", -1}, {22, "h4", -1}, {33, "d8", 8}, {33, "f8", 6}, {33, "d1", 5},
		}},

		// Black to move and nothing symmetrical: a pawn on c7 and a queen on h6 for Black, a rook on a8 for White.
		{fen: "R7/2p1k3/7q/8/8/8/8/K7 b - - 0 1", want: []number{
			{0, "c2", 1}, {4, "h3", 1}, {5, "e2", 1}, {9, "a1", -1}, {11, "a8", -1},
			{12, "b3", 1}, {12, "d3", 1}, {12, "c3", 0}, {21, "h1", -1}, {21, "a8", -1}, {16, "c8", 1}, {16, "e6", 1},
			{16, "d6", 0},
			{16, "h8", 1}, {16, "h1", 1}, {33, "a1", 14}, {33, "h3", 21}, {33, "c2", 2}, {33, "a8", 3},
			{31, "f1", 2}, {32, "f1", -1}, {30, "f1", 1}, {30, "h8", 1},
		}},

		// A pinned knight and a pinned pawn attack all the same, a king attacks a protected piece, and a rook behind a
		// rook sees the rook only.
		{fen: "4r1k1/8/8/8/8/4R2b/4N1P1/4RK2 w - - 0 1", want: []number{
			{13, "c3", 1}, {13, "g3", 1}, {12, "h3", 1}, {12, "f3", 1}, {15, "e2", 2}, {15, "e3", 0}, {15, "e8", 1},
			{20, "g2", -1}, {20, "f1", 0}, {17, "g2", 1}, {21, "e3", -1}, {21, "e2", 0}, {33, "e2", 6},
		}},
	} {
		p := parseFEN(t, test.fen)
		_, numbers := napoleonOf(&p)
		for _, n := range test.want {
			s := int(n.square[0]-'a') + 8*int(n.square[1]-'1')
			if got := numbers[64*n.plane+s]; got != n.want {
				t.Errorf("%q: plane %d, %s is %g, want %g", test.fen, n.plane, n.square, got, n.want)
			}
		}
		for plane, want := range test.sums {
			sum := float32(0)
			for _, x := range numbers[64*plane:][:64] {
				sum += x
			}
			if sum != want {
				t.Errorf("%q: plane %d has the sum %g, want %g", test.fen, plane, sum, want)
			}
		}
	}
}

func TestNapoleonValue(t *testing.T) {
	for _, test := range []struct {
		score dataset.Score
		want  float32
		ok    bool
	}{
		{dataset.Centipawns(0), 0, true}, {dataset.Centipawns(1), 0.001, true}, {dataset.Centipawns(-250), -0.25, true},
		{dataset.Centipawns(1000), 1, true}, {dataset.Centipawns(-1000), -1, true},
		{dataset.Centipawns(1001), 0, false}, {dataset.Centipawns(-1001), 0, false},
		{dataset.Centipawns(30000), 0, false}, {dataset.MateIn(1), 0, false}, {dataset.MateIn(-1), 0, false},
		{dataset.MateIn(0), 0, false}, {dataset.MateIn(2000), 0, false}, {dataset.MateIn(-2000), 0, false},
		{dataset.Score(math.MinInt16), 0, false}, {dataset.Score(30500), 0, false},
	} {
		if got, ok := (Napoleon{}).Value(test.score); got != test.want || ok != test.ok {
			t.Errorf("%v: %g %v, want %g %v", test.score, got, ok, test.want, test.ok)
		}
	}
	last := float32(-2)
	for cp := -1000; cp <= 1000; cp++ {
		got, ok := (Napoleon{}).Value(dataset.Centipawns(cp))
		back, _ := (Napoleon{}).Value(dataset.Centipawns(-cp))
		if !ok || got <= last || back != -got || fmt.Sprint(got) != fmt.Sprint(float64(cp)/1000) {
			t.Fatalf("%d centipawns: %g %v", cp, got, ok)
		}
		last = got
	}
}
