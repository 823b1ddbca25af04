package encode

import (
	"fmt"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/golden"
)

// tahlGolden is one position of testdata/tahl.jsonl.gz, written by testdata/tahl_oracle.py with python-chess.
type tahlGolden struct {
	Start          string
	Moves          []string
	Packed, Planes golden.Words
	Changes        map[string][]int32
}

// tahlOf returns the packed words of a view, and as bits the planes that they stand for.
func tahlOf(t testing.TB, v *View) (words, planes []uint64) {
	t.Helper()
	words, numbers := encodedAs(Tahl{}, v)
	planes = make([]uint64, TahlPlanes)
	for i, x := range numbers {
		if x != 0 && x != 1 {
			t.Fatalf("%q: plane %d, %v is %g", v.Position().FEN(), i/64, board.Square(i%64), x)
		}
		planes[i/64] |= uint64(x) << (i % 64)
	}
	again := slices.Repeat([]uint64{0xdeadbeef}, TahlPlanes)
	if (Tahl{}).Planes(again, v.Game); !slices.Equal(again, planes) {
		t.Fatalf("%q: planes %x, as numbers %x", v.Position().FEN(), again, planes)
	}
	return words, planes
}

// tahlChangesOf returns the words of a legal move, without those behind the last, sorted.
func tahlChangesOf(t testing.TB, v *View, m board.Move) []int32 {
	t.Helper()
	list := slices.Clone(v.EncodeMove(Tahl{}, tahlChanges, m))
	n := slices.Index(list, -1)
	if n < 0 {
		n = len(list)
	}
	for _, x := range list[n:] {
		if x != -1 {
			t.Fatalf("%q: %v is %v", v.Position().FEN(), m, list)
		}
	}
	slices.Sort(list[:n])
	return list[:n]
}

// sameTahl compares a view with what python-chess says; the changes of moves only where it says some.
func sameTahl(t testing.TB, v *View, want *tahlGolden) {
	t.Helper()
	fen := v.Position().FEN()
	words, planes := tahlOf(t, v)
	for i, plane := range planes {
		if plane != want.Planes[i] {
			t.Fatalf("%q: plane %d is %016x, want %016x", fen, i, plane, want.Planes[i])
		}
	}
	if !slices.Equal(words, want.Packed) {
		t.Fatalf("%q: packed %016x, want %016x", fen, words, want.Packed)
	}
	if want.Changes == nil {
		return
	}
	legal := v.Legal()
	if len(legal) != len(want.Changes) {
		t.Fatalf("%q: %d legal moves, want %d", fen, len(legal), len(want.Changes))
	}
	for _, m := range legal {
		if got := tahlChangesOf(t, v, m); !slices.Equal(got, want.Changes[m.String()]) {
			t.Fatalf("%q: %v changes %v, want %v", fen, m, got, want.Changes[m.String()])
		}
	}
}

// TestTahlGolden compares the input and what every legal move changes with python-chess.
func TestTahlGolden(t *testing.T) {
	for _, g := range golden.Lines[tahlGolden](t, "testdata/tahl.jsonl.gz", 150) {
		l := uciLine(t, g.Start, g.Moves...)
		v := viewAt(t, &l, len(g.Moves))
		sameTahl(t, v, &g)
	}
}

// TestTahlByHand has what is easy to work out: the order of the planes, which is not that of the layers, the frame of
// Black, and the order in which changes are written.
func TestTahlByHand(t *testing.T) {
	for _, test := range []struct {
		start  string
		moves  []string
		planes map[int]uint64
	}{
		{board.StartFEN, nil, map[int]uint64{
			0: set("a2", "b2", "c2", "d2", "e2", "f2", "g2", "h2"), 1: set("a1", "h1"), 2: set("b1", "g1"),
			3: set("c1", "f1"), 4: set("d1"), 5: set("e1"), 7: set("a8", "h8"), 8: set("b8", "g8"),
			9: set("c8", "f8"), 10: set("d8"), 11: set("e8"),
			12: all, 13: all, 14: 0, 15: 0, 16: all, 17: all, 18: 0, 19: 0, 20: 0, 21: 0, 24: 0, 27: 0}},
		// Black can castle king side and not queen side, and so could White; Black's own is at the bottom.
		{board.StartFEN, []string{"e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "d2d3"}, map[int]uint64{
			2: set("f3", "b1"), 3: set("c1", "c4"), 8: set("f6", "b8"), 9: set("c8", "c5"),
			12: all, 13: all, 14: all, 15: 0, 16: all, 17: all, 18: all, 19: 0,
			24: set("d7", "d6"), 25: set("f1", "c4"), 26: set("f8", "c5"), 27: set("g1", "f3")}},
		// Castling is the king's move, and Black captures en passant with either pawn.
		{"4k3/8/8/8/2p1p3/8/3P4/4K2R w K - 0 1", []string{"h1h2", "e8e7", "h2h1", "e7e8", "d2d4"}, map[int]uint64{
			0: set("c5", "e5"), 12: 0, 13: 0, 16: 0, 17: 0, 18: 0, 20: set("d6"), 21: set("c5", "e5"),
			22: 0, 23: 0, 24: set("d7", "d5"), 25: set("e2", "e1"), 26: set("h7", "h8"),
			27: set("e1", "e2")}},
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", []string{"e1g1"}, map[int]uint64{24: set("e8", "g8"), 25: 0}},
		// One of the two pawns that could capture en passant is pinned.
		{"k3r3/8/8/2PpP3/8/8/8/4K3 w - d6 0 2", nil, map[int]uint64{20: set("d6"), 21: set("c5")}},
		{"4k3/8/8/8/2pPp3/8/8/K3R3 b - d3 0 2", nil, map[int]uint64{20: set("d6"), 21: set("c5")}},
	} {
		l := uciLine(t, test.start, test.moves...)
		v := viewAt(t, &l, len(test.moves))
		_, planes := tahlOf(t, v)
		for i, want := range test.planes {
			if planes[i] != want {
				t.Errorf("%q: plane %d is %016x, want %016x", v.Position().FEN(), i, planes[i], want)
			}
		}
	}
	bit := func(layer int, square string, cleared int32) int32 {
		s, _ := board.ParseSquare(square)
		return int32(2*(64*layer+int(s))) + cleared
	}
	for _, test := range []struct {
		fen, move string
		want      []int32
	}{
		{board.StartFEN, "g1f3", []int32{bit(1, "g1", 1), bit(1, "f3", 0), -1, -1}},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", []int32{bit(0, "e5", 1), bit(0, "d6", 0), bit(6, "d5", 1), -1}},
		{"4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 2", "e4d3", []int32{bit(0, "e5", 1), bit(0, "d6", 0), bit(6, "d5", 1), -1}},
		{"1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8r",
			[]int32{bit(0, "a7", 1), bit(3, "b8", 0), bit(7, "b8", 1), -1}},
		{"r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8",
			[]int32{bit(5, "e1", 1), bit(5, "c1", 0), bit(3, "a1", 1), bit(3, "d1", 0)}},
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1",
			[]int32{bit(5, "e1", 1), bit(5, "g1", 0), bit(3, "h1", 1), bit(3, "f1", 0)}},
	} {
		l := uciLine(t, test.fen, test.move)
		v := viewAt(t, &l, 0)
		if got := v.EncodeMove(Tahl{}, tahlChanges, l.Moves[0]); !slices.Equal(got, test.want) {
			t.Errorf("%q: %s changes %v, want %v", test.fen, test.move, got, test.want)
		}
	}
}

// checkTahl checks every ply of a line: its mirror image has the same input, target and moves; castling is possible for
// the mover where it is legal; the squares of the past are those of the line's moves; and what a move changes makes the
// board after it of that before it.
func checkTahl(t testing.TB, l dataset.Line) {
	t.Helper()
	mirror := mirrorLine(l)
	for ply := range len(l.Moves) + 1 {
		v, u := viewAt(t, &l, ply), viewAt(t, &mirror, ply)
		p := v.Position()
		us := p.Turn()
		words, planes := tahlOf(t, v)
		if mirrored, _ := tahlOf(t, u); !slices.Equal(words, mirrored) {
			t.Fatalf("%q: packed %x, mirrored %x", p.FEN(), words, mirrored)
		}
		king := p.Pieces(us, board.King).First()
		for wing, to := range []board.Square{king + 2, king - 2} {
			right := p.CanCastle(us, wing == 0)
			if now := planes[14+wing] != 0; now != (right && p.IsLegal(board.NewMove(king, to))) {
				t.Fatalf("%q: castling on wing %d: %v", p.FEN(), wing, now)
			}
			if planes[18+wing]&^planes[16+wing] != 0 {
				t.Fatalf("%q: the opponent castles without the right", p.FEN())
			}
		}
		for k := range 4 {
			want := uint64(0)
			if k < ply {
				m := orientMove(us, l.Moves[ply-1-k])
				want = 1<<m.From() | 1<<m.To()
			}
			if planes[tahlHistory+k] != want {
				t.Fatalf("%q: plane %d is %x, want %x", p.FEN(), tahlHistory+k, planes[tahlHistory+k], want)
			}
		}
		var target, pawns uint64
		for _, m := range v.Legal() {
			if p.PieceAt(m.From()).Type() == board.Pawn && m.From().File() != m.To().File() &&
				p.PieceAt(m.To()) == board.NoPiece {
				o := orientMove(us, m)
				target, pawns = target|1<<o.To(), pawns|1<<o.From()
			}
		}
		if planes[20] != target || planes[21] != pawns || planes[22]|planes[23] != 0 {
			t.Fatalf("%q: en passant %x from %x", p.FEN(), planes[20], planes[21])
		}
		before := layersOf(p, us)
		for _, m := range v.Legal() {
			changes := tahlChangesOf(t, v, m)
			if mirrored := tahlChangesOf(t, u, m.Mirror()); !slices.Equal(changes, mirrored) {
				t.Fatalf("%q: %v changes %v, mirrored %v", p.FEN(), m, changes, mirrored)
			}
			got, after := before, p.After(m)
			for _, c := range changes {
				if got[c/128]>>(c/2%64)&1 != uint64(c&1) {
					t.Fatalf("%q: %v changes %v, which is so already", p.FEN(), m, c)
				}
				got[c/128] ^= 1 << (c / 2 % 64)
			}
			if want := layersOf(&after, us); got != want {
				t.Fatalf("%q: %v makes %x, want %x", p.FEN(), m, got, want)
			}
		}
	}
}

// layersOf are the pieces of a position as side us sees them.
func layersOf(p *board.Position, us board.Color) (layers [TahlLayers]uint64) {
	for i := range layers {
		side := us
		if i >= 6 {
			side = us.Other()
		}
		b := p.Pieces(side, board.Pawn+board.PieceType(i%6))
		if us == board.Black {
			b = b.Mirror()
		}
		layers[i] = uint64(b)
	}
	return layers
}

func TestTahlRandomGames(t *testing.T) {
	games := uint64(4)
	if testing.Short() {
		games = 1
	}
	for _, fen := range starts {
		for seed := range games {
			checkTahl(t, randomLine(seed, parseFEN(t, fen), 60))
		}
	}
}

func FuzzTahl(f *testing.F) { fuzzLines(f, func(t *testing.T, l dataset.Line) { checkTahl(t, l) }) }

// TestTahlLearns: the target is the move played among all legal ones, and the result for the side to move.
func TestTahlLearns(t *testing.T) {
	layout := Tahl{}.Layout()
	label := searched(dataset.Centipawns(1000))
	chances, _ := WinningChances(dataset.Centipawns(1000))
	for _, test := range []struct {
		source dataset.Source
		result dataset.Result
		value  ValueTarget
		ply    int
		moves  int // with a weight
		want   float32
	}{
		{dataset.SourceGame, dataset.WhiteWins, RecipeValue, 0, 1, 1},
		{dataset.SourceGame, dataset.WhiteWins, RecipeValue, 1, 1, -1},
		{dataset.SourceGame, dataset.BlackWins, RecipeValue, 1, 1, 1},
		{dataset.SourceGame, dataset.Draw, RecipeValue, 1, 1, 0},
		{dataset.SourceGame, dataset.Draw, RecipeValue, 2, 0, 0}, // at the end
		{dataset.SourceGame, dataset.ResultUnknown, RecipeValue, 1, 1, unknown},
		{dataset.SourceGame, dataset.ResultUnknown, RecipeValue, 2, 0, unknown},
		{dataset.SourceGame, dataset.BlackWins, WinProbValue, 1, 1, chances},
	} {
		name := fmt.Sprintf("%+v", test)
		l := uciLine(t, board.StartFEN, "e2e4", "e7e5")
		l.Source, l.Result, l.Samples = test.source, test.result, dataset.AllMoves()
		v := viewAt(t, &l, test.ply)
		v.Labels = dataset.Counted{Moves: label, Value: label}
		var target Target
		target.Reset(&layout)
		known := test.want == test.want
		if ok := (Tahl{}).Target(&target, v, Targets{Value: test.value}); ok != (known || test.moves > 0) {
			t.Errorf("%s: %v", name, ok)
		}
		if got := target.Floats[0]; known && got != test.want || known != (got == got) {
			t.Errorf("%s: value %g", name, got)
		}
		if len(target.Moves) != len(v.Legal()) {
			t.Fatalf("%s: %d moves", name, len(target.Moves))
		}
		weights := 0
		for i, m := range target.Moves {
			if m.Move != v.Legal()[i] || m.Weight != 0 && (m.Weight != 1 || m.Move != l.Moves[test.ply]) {
				t.Errorf("%s: move %d is %v", name, i, m)
			}
			if m.Weight != 0 {
				weights++
			}
		}
		if weights != test.moves {
			t.Errorf("%s: %d moves to be learnt", name, weights)
		}
	}
	// of several moves all have their weight
	l := uciLine(t, board.StartFEN, "e2e4")
	l.Samples = dataset.AllMoves()
	l.Policies = [][]dataset.WeightedMove{{{Move: l.Moves[0], Weight: 1}, {Move: board.NewMove(6, 21), Weight: 3}}}
	v := viewAt(t, &l, 0)
	var target Target
	target.Reset(&layout)
	Tahl{}.Target(&target, v, Targets{})
	sum := map[board.Move]float32{}
	for _, m := range target.Moves {
		sum[m.Move] += m.Weight
	}
	if len(sum) != 20 || sum[l.Moves[0]] != 0.25 || sum[board.NewMove(6, 21)] != 0.75 {
		t.Errorf("weights %v", sum)
	}
}

// TestTahlWithoutPast: the disguise takes the past away and nothing else.
func TestTahlWithoutPast(t *testing.T) {
	l := randomLine(5, board.StartPosition(), 30)
	v := viewAt(t, &l, 30)
	words, with := tahlOf(t, v)
	Tahl{}.Layout().NoHistory.Apply(words)
	alone := dataset.Line{Start: *v.Position()}
	want, without := tahlOf(t, viewAt(t, &alone, 0))
	if !slices.Equal(words, want) || !slices.Equal(with[:tahlHistory], without[:tahlHistory]) {
		t.Errorf("packed without past %x, want %x", words, want)
	}
}
