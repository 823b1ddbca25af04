package encode

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/golden"
)

// priorOf returns the packed words and the numbers of p, whose side to move has that rating.
func priorOf(p *board.Position, elo int) (words []uint64, numbers []float32) {
	ratings := [2]int{elo, 3000}
	return encodedAs(Prior{}, viewOf(p, ratings[p.Turn()], ratings[p.Turn().Other()]))
}

// priorPlane is a plane of numbers of 0 and 1 as a word.
func priorPlane(t testing.TB, numbers []float32) (bits uint64) {
	t.Helper()
	for s, x := range numbers {
		switch x {
		case 1:
			bits |= 1 << s
		case 0:
		default:
			t.Fatalf("number %d of a plane of bits is %g", s, x)
		}
	}
	return bits
}

// TestPriorGolden compares words, planes and the number of each legal move with python-chess.
func TestPriorGolden(t *testing.T) {
	type row struct {
		FEN            string
		Elo            int
		Packed, Planes golden.Words
		Rating         float64
		Legal          map[string]int
	}
	for _, g := range golden.Lines[row](t, "testdata/prior.jsonl.gz", 200) {
		p := parseFEN(t, g.FEN)
		words, numbers := priorOf(&p, g.Elo)
		if !slices.Equal(words, g.Packed) {
			t.Errorf("%q: packed %016x, want %016x", g.FEN, words, g.Packed)
		}
		for i, want := range g.Planes {
			if got := priorPlane(t, numbers[64*i:][:64]); got != want {
				t.Errorf("%q: plane %d is %016x, want %016x", g.FEN, i, got, want)
			}
		}
		if got := slices.Compact(slices.Clone(numbers[17*64:])); len(g.Planes) != 17 || len(got) != 1 ||
			got[0] != float32(g.Rating) {
			t.Errorf("%q: the rating %d is %v, want %g", g.FEN, g.Elo, got, g.Rating)
		}
		legal := map[string]int{}
		var v View
		v.Play(board.NewGame(p), 0, 0)
		for _, m := range v.Legal() {
			legal[m.String()] = int(v.EncodeMove(Prior{}, 1, m)[0])
		}
		if !maps.Equal(legal, g.Legal) {
			t.Errorf("%q: legal moves %v, want %v", g.FEN, legal, g.Legal)
		}
	}
}

// TestPriorByHand has a position that is easy to work out, as White and as Black see it.
func TestPriorByHand(t *testing.T) {
	for _, fen := range []string{
		"1n2k2r/P7/8/3pP3/8/8/8/R3K3 w Qk d6 0 1",
		"r3k3/8/8/8/3Pp3/8/p7/1N2K2R b Kq d3 0 1",
	} {
		p := parseFEN(t, fen)
		_, numbers := priorOf(&p, 2250)
		want := make([]float32, PriorPlanes*64)
		on := func(plane int, names ...string) {
			for _, name := range names {
				want[64*plane+int(square(name))] = 1
			}
		}
		on(0, "e1")
		on(2, "a1")
		on(5, "a7", "e5")
		on(6, "e8")
		on(8, "h8")
		on(10, "b8")
		on(11, "d5")
		on(16, "d6")
		for s := range 64 {
			want[64*13+s], want[64*14+s], want[64*17+s] = 1, 1, 0.5
		}
		if !slices.Equal(numbers, want) {
			t.Errorf("%q: %v, want %v", fen, numbers, want)
		}
	}
}

// TestPriorRatings: the rating is that of the side to move, 1500 where it is not known, and can be changed in the
// packed input.
func TestPriorRatings(t *testing.T) {
	layout := Prior{}.Layout()
	for elo, want := range map[int]float64{0: 0, 1: -1499.0 / 1500, 1250: -1.0 / 6, 1500: 0, 1501: 1.0 / 1500,
		1750: 1.0 / 6, 2250: 0.5, 2750: 5.0 / 6, 65535: 64035.0 / 1500, 70000: 64035.0 / 1500} {
		var changed [2][]uint64
		for i, fen := range []string{board.StartFEN, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"} {
			p := parseFEN(t, fen)
			words, numbers := priorOf(&p, elo)
			for _, got := range numbers[17*64:] {
				if got != float32(want) {
					t.Fatalf("%q: %d is %g, want %g", fen, elo, got, want)
				}
			}
			layout.WithRating(1623).Apply(words)
			changed[i] = words
		}
		as, _ := priorOf(new(parseFEN(t, board.StartFEN)), 1623)
		if !slices.Equal(changed[0], as) || !slices.Equal(changed[1], as) {
			t.Errorf("changed to 1623: %x, want %x", changed, as)
		}
	}
	for elo := range 4000 { // the number nearest to what is meant
		p := board.StartPosition()
		if _, numbers := priorOf(&p, elo+1); numbers[17*64] != float32(float64(elo+1)/1500-1) {
			t.Errorf("%d is %g", elo+1, numbers[17*64])
		}
	}
	e, p := Prior{Unrated: true}, board.StartPosition()
	words, _ := encodedAs(e, viewOf(&p, 2000, 0))
	other, _ := encodedAs(Prior{}, viewOf(&p, 0, 0))
	if l := e.Layout(); !slices.Equal(words, other) || l.Ratings || l.WithRating(1500) != nil {
		t.Errorf("without ratings: %x, want %x; %+v", words, other, l)
	}
}

// TestPriorTargets: what is learnt of a list and of a move that was played, and what is shown of it. With the mask all
// legal moves are listed, those of the target with their shares.
func TestPriorTargets(t *testing.T) {
	e4, d4 := board.NewMove(12, 28), board.NewMove(11, 27)
	for _, test := range []struct {
		name     string
		elo      int
		policies [][]dataset.WeightedMove
		learnt   map[board.Move]float32
		want     string
	}{
		{"played", 1499, nil, map[board.Move]float32{e4: 1},
			`{"policy":{"e2e4":1}}`},
		{"no rating", 0, nil, map[board.Move]float32{e4: 1}, `{"policy":{"e2e4":1}}`},
		{"counted", 1750, [][]dataset.WeightedMove{{{Move: e4, Weight: 3}, {Move: d4, Weight: 1}}},
			map[board.Move]float32{e4: 0.75, d4: 0.25},
			`{"policy":{"d2d4":0.25,"e2e4":0.75}}`},
		{"of masters", 2500, [][]dataset.WeightedMove{{{Move: d4, Weight: 7}}}, map[board.Move]float32{d4: 1},
			`{"policy":{"d2d4":1}}`},
		{"nothing", 2000, [][]dataset.WeightedMove{{}}, nil, `null`},
	} {
		line := uciLine(t, board.StartFEN, "e2e4")
		line.Samples, line.WhiteElo, line.Policies = dataset.AllMoves(), test.elo, test.policies
		v := viewAt(t, &line, 0)
		if text, err := json.Marshal(Describe(Prior{}, v, Targets{})); string(text) != test.want || err != nil {
			t.Errorf("%s: %s, %v", test.name, text, err)
		}
		for e, listed := range map[Prior]int{{}: len(test.learnt), {LegalMask: true}: 20} {
			var target Target
			l := e.Layout()
			target.Reset(&l)
			learns := e.Target(&target, v, Targets{})
			if learns != (test.learnt != nil) || len(target.Moves) != listed {
				t.Errorf("%s, %+v: learns %v, %d moves", test.name, e, learns, len(target.Moves))
			}
			for _, m := range target.Moves {
				if m.Weight != test.learnt[m.Move] {
					t.Errorf("%s, %+v: %s has %g", test.name, e, m.Move, m.Weight)
				}
			}
		}
	}
	if (Prior{LegalMask: true}).Layout().Moves != LegalMoves || (Prior{}).Layout().Moves != TargetMoves {
		t.Error("lists the wrong moves")
	}
}

// checkPrior checks that the mirror image of a position is the same input, and that all of it is 0 or 1 but the rating.
func checkPrior(t testing.TB, p *board.Position) {
	t.Helper()
	words, numbers := priorOf(p, 1250)
	q := p.Mirror()
	if other, _ := priorOf(&q, 1250); !slices.Equal(words, other) {
		t.Fatalf("%q: packed %x, mirrored %x", p.FEN(), words, other)
	}
	all, pieces := uint64(0), 0
	for plane := range 12 {
		bits := priorPlane(t, numbers[64*plane:][:64])
		if all&bits != 0 {
			t.Fatalf("%q: two pieces on a square", p.FEN())
		}
		all |= bits
		pieces += board.Bitboard(bits).Len()
	}
	passed := board.Bitboard(priorPlane(t, numbers[64*16:][:64]))
	if pieces != p.Occupied().Len() || passed.Len() > 1 || (passed != 0) != (p.EnPassant() != board.NoSquare) {
		t.Fatalf("%q: %d pieces, en passant %x", p.FEN(), pieces, passed)
	}
}

func TestPriorRandomGames(t *testing.T) { eachRandomPosition(t, checkPrior) }

func FuzzPrior(f *testing.F) { fuzzPositions(f, checkPrior) }
