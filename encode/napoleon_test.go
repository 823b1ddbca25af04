package encode

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// napoleonGolden is one position of testdata/napoleon.jsonl.gz, written by testdata/napoleon_oracle.py with
// python-chess.
type napoleonGolden struct {
	FEN     string
	Packed  []string
	Numbers []float32
}

func readNapoleonGolden(t testing.TB) (all []napoleonGolden) {
	t.Helper()
	f, err := os.Open("testdata/napoleon.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	for in.Scan() {
		var g napoleonGolden
		if err := json.Unmarshal(in.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("%d golden positions", len(all))
	}
	return all
}

// napoleonOf returns the packed words and the numbers of p. The memory is dirty: every word and number must be written.
func napoleonOf(p *board.Position) (words []uint64, numbers []float32) {
	words, numbers = make([]uint64, napoleonWords), make([]float32, napoleonSize)
	for i := range words {
		words[i] = 0xdeadbeef
	}
	for i := range numbers {
		numbers[i] = float32(math.NaN())
	}
	napoleonPack(words, p)
	napoleonNumbers(numbers, words)
	return words, numbers
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
		if got := hexPlanes(words); !slices.Equal(got, g.Packed) {
			t.Errorf("%q: packed %v, want %v", g.FEN, got, g.Packed)
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

// walked is the input worked out another way: each piece walks the board in steps of rank and file.
func walked(p *board.Position) []float32 {
	if p.Turn() == board.Black {
		mirror := p.Mirror()
		p = &mirror
	}
	n := make([]float32, napoleonSize)
	straight, diagonal := [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, [][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}
	around := slices.Concat(straight, diagonal)
	jumps := [][2]int{{2, 1}, {2, -1}, {-2, 1}, {-2, -1}, {1, 2}, {1, -2}, {-1, 2}, {-1, -2}}
	for s := range 64 {
		piece := p.PieceAt(board.Square(s))
		if piece == board.NoPiece {
			continue
		}
		kind, sign := 0, float32(1)
		if piece.Color() == board.Black {
			kind, sign = 6, -1
		}
		var steps [][2]int
		far := false
		switch piece.Type() {
		case board.Pawn:
			steps = [][2]int{{int(sign), -1}, {int(sign), 1}}
		case board.Knight:
			steps = jumps
		case board.Bishop:
			steps, far = diagonal, true
		case board.Rook:
			steps, far = straight, true
		case board.Queen:
			steps, far = around, true
		case board.King:
			steps = around
		}
		kind += int(piece.Type()) - 1
		n[64*kind+s] = sign
		for _, step := range steps {
			for rank, file := s/8+step[0], s%8+step[1]; rank >= 0 && rank < 8 && file >= 0 && file < 8; {
				to := 8*rank + file
				n[64*(12+kind)+to] += sign
				n[64*33+s]++
				if !far || p.PieceAt(board.Square(to)) != board.NoPiece {
					break
				}
				rank, file = rank+step[0], file+step[1]
			}
		}
	}
	for i := range 64 {
		for k := range 6 {
			own, theirs := n[64*(12+k)+i], n[64*(18+k)+i]
			n[64*(24+k)+i] = own + theirs
			n[64*30+i] += own + theirs
			n[64*31+i] += own
			n[64*32+i] += theirs
		}
	}
	return n
}

// checkNapoleon checks the input of a position against another way to work it out, its mirror image, and what the
// planes must have to do with each other.
func checkNapoleon(t testing.TB, p *board.Position) {
	t.Helper()
	words, numbers := napoleonOf(p)
	sameNapoleon(t, p, numbers, walked(p))
	q := p.Mirror()
	mirroredWords, mirrored := napoleonOf(&q)
	if !slices.Equal(words, mirroredWords) {
		t.Fatalf("%q: packed %x, mirrored %x", p.FEN(), words, mirroredWords)
	}
	sameNapoleon(t, &q, mirrored, numbers)
	sum := func(from, to, s int) (x float32) {
		for plane := from; plane < to; plane++ {
			x += numbers[64*plane+s]
		}
		return x
	}
	made, met := float32(0), float32(0)
	for s := range 64 {
		own, theirs, all := numbers[64*31+s], numbers[64*32+s], numbers[64*30+s]
		if own != sum(12, 18, s) || theirs != sum(18, 24, s) || all != sum(24, 30, s) || all != own+theirs {
			t.Fatalf("%q: %v: attackers %g and %g, in all %g", p.FEN(), board.Square(s), own, theirs, all)
		}
		for k, limit := range []float32{2, 8, 4, 4, 8, 1} {
			if a, b := numbers[64*(12+k)+s], -numbers[64*(18+k)+s]; !(a >= 0 && a <= limit && b >= 0 && b <= limit) {
				t.Fatalf("%q: %v is attacked by %g and %g pieces of type %d", p.FEN(), board.Square(s), a, b, k)
			}
		}
		made += numbers[64*33+s]
		met += own - theirs
	}
	if made != met {
		t.Fatalf("%q: pieces attack %g squares, squares are attacked %g times", p.FEN(), made, met)
	}
}

func TestNapoleonRandomGames(t *testing.T) {
	everywhere := [34]uint64{}
	count := func(p *board.Position) {
		checkNapoleon(t, p)
		_, numbers := napoleonOf(p)
		for i, x := range numbers {
			if x != 0 {
				everywhere[i/64] |= 1 << (i % 64)
			}
		}
	}
	games := uint64(12)
	if testing.Short() {
		games = 3
	}
	for _, fen := range starts {
		for seed := range games {
			line := randomLine(seed, parseFEN(t, fen), 80)
			var w dataset.Walker
			w.Reset(&line)
			for w.Next() {
				count(w.Position())
			}
		}
	}
	for _, g := range readNapoleonGolden(t) {
		p := parseFEN(t, g.FEN)
		count(&p)
	}
	pawns := [34]uint64{0: ^(uint64(0xff)<<56 | 0xff), 6: ^(uint64(0xff)<<56 | 0xff), 12: ^uint64(0xffff),
		18: ^(uint64(0xffff) << 48)}
	for plane, squares := range everywhere {
		want := ^uint64(0)
		if pawns[plane] != 0 {
			want = pawns[plane]
		}
		if !testing.Short() && squares != want {
			t.Errorf("plane %d was something on the squares %016x only, want %016x", plane, squares, want)
		}
	}
}

// FuzzNapoleon plays the moves that the bytes choose among the legal ones.
func FuzzNapoleon(f *testing.F) {
	f.Add(uint8(0), []byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(uint8(4), []byte("pawns run to the end"))
	f.Add(uint8(7), []byte{0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, start uint8, choice []byte) {
		p := parseFEN(t, starts[int(start)%len(starts)])
		checkNapoleon(t, &p)
		for _, c := range choice[:min(len(choice), 60)] {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p.Play(moves[int(c)%len(moves)])
			checkNapoleon(t, &p)
		}
	})
}

// TestNapoleonIsTheBoard: rights, en passant and counters are not in the input.
func TestNapoleonIsTheBoard(t *testing.T) {
	for _, same := range [][2]string{
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w - - 40 90"},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "4k3/8/8/3pP3/8/8/8/4K3 w - - 7 20"},
	} {
		p, q := parseFEN(t, same[0]), parseFEN(t, same[1])
		a, _ := napoleonOf(&p)
		if b, _ := napoleonOf(&q); !slices.Equal(a, b) {
			t.Errorf("%q and %q are packed as %x and %x", same[0], same[1], a, b)
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
		if got, ok := napoleonValue(test.score); got != test.want || ok != test.ok {
			t.Errorf("%v: %g %v, want %g %v", test.score, got, ok, test.want, test.ok)
		}
	}
	last := float32(-2)
	for cp := -1000; cp <= 1000; cp++ {
		got, ok := napoleonValue(dataset.Centipawns(cp))
		back, _ := napoleonValue(dataset.Centipawns(-cp))
		if !ok || got <= last || back != -got || fmt.Sprint(got) != fmt.Sprint(float64(cp)/1000) {
			t.Fatalf("%d centipawns: %g %v", cp, got, ok)
		}
		last = got
	}
}

func TestNapoleonAllocatesNothing(t *testing.T) {
	p := board.StartPosition()
	var words [napoleonWords]uint64
	var numbers [napoleonSize]float32
	if n := testing.AllocsPerRun(100, func() {
		napoleonPack(words[:], &p)
		napoleonNumbers(numbers[:], words[:])
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// napoleonPositions are those of random games.
func napoleonPositions() (all []board.Position) {
	for seed := range uint64(64) {
		p := board.StartPosition()
		for _, m := range randomLine(seed, p, 80).Moves {
			all = append(all, p)
			p.Play(m)
		}
	}
	return all
}

func BenchmarkNapoleonPack(b *testing.B) {
	all := napoleonPositions()
	var words [napoleonWords]uint64
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		napoleonPack(words[:], &all[i])
		if i++; i == len(all) {
			i = 0
		}
	}
}

func BenchmarkNapoleonNumbers(b *testing.B) {
	all := napoleonPositions()
	words := make([][napoleonWords]uint64, len(all))
	for i := range all {
		napoleonPack(words[i][:], &all[i])
	}
	var numbers [napoleonSize]float32
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		napoleonNumbers(numbers[:], words[i][:])
		if i++; i == len(all) {
			i = 0
		}
	}
}
