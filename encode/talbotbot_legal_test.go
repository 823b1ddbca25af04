package encode

import (
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// TestNumbers walks through random games and compares the numbers of packed inputs, in every disguise, with the planes:
// without a past those of a game that begins here, as the other colour those of the mirrored position.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var passes, repeated int
	for _, e := range []TalbotBot{{}, {LegalMask: true}} {
		layout := e.Layout()
		packed, numbers := make([]uint64, layout.Words), make([]float32, layout.Numbers())
		compare := func(name string, want *board.Game) {
			t.Helper()
			var planes [TalbotBotPlanes]uint64
			e.Planes(planes[:], want)
			e.Unpack(numbers, packed)
			for i, x := range numbers {
				if x != float32(planes[i/64]>>(i%64)&1) {
					t.Fatalf("%s of %s: plane %d, square %d is %g", name, want.Position().FEN(), i/64, i%64, x)
				}
			}
		}
		for range 40 {
			start := board.StartPosition()
			g, other := board.NewGame(start), board.NewGame(start.Mirror())
			var v View
			for range 120 {
				v.Play(g, 0, 0)
				e.Pack(packed, &v)
				compare("input", g)
				e.Pack(packed, &v)
				layout.OtherColour.Apply(packed)
				compare("the other colour", other)
				e.Pack(packed, &v)
				layout.NoHistory.Apply(packed)
				compare("no past", board.NewGame(*g.Position()))
				if g.Position().EnPassant() != board.NoSquare {
					passes++
				}
				repeated += g.Repetitions()
				moves := v.Legal()
				if len(moves) == 0 {
					break
				}
				m := moves[rng.IntN(len(moves))]
				other.Push(m.Mirror())
				g.Push(m)
			}
		}
	}
	if passes == 0 || repeated == 0 {
		t.Errorf("%d en passant captures, %d repetitions", passes, repeated)
	}
}

// TestLegalMaskByHand: a king that may castle, a pawn that promotes, one on its double step, a rook and a knight.
func TestLegalMaskByHand(t *testing.T) {
	p, err := board.ParseFEN("7k/1P6/8/8/8/8/7P/R3K2N w Q - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	want := [LegalWords]uint64{
		0:  set("a2", "a3", "a4", "a5", "a6", "a7", "a8", "b8", "e2", "h3", "h4"),
		1:  set("f2"),
		2:  set("b1", "c1", "d1", "f1"),
		6:  set("c1", "d1"), // c1 is castling: the king is the first piece to the east of it
		7:  set("d2"),
		14: set("f2"),
		15: set("g3"),
	}
	for _, q := range []board.Position{p, p.Mirror()} {
		got := [TalbotBotWords + LegalWords]uint64{TalbotBotWords + 3: all} // what was there before
		var v View
		v.Play(board.NewGame(q), 0, 0)
		TalbotBot{LegalMask: true}.Pack(got[:], &v)
		if [LegalWords]uint64(got[TalbotBotWords:]) != want {
			t.Errorf("%s: got %x, want %x", q.FEN(), got[TalbotBotWords:], want)
		}
	}
}

// TestPackByHand lists words worked out by hand: a pawn that was passed, seen by both sides, and four plies of history.
func TestPackByHand(t *testing.T) {
	l := uciLine(t, "4k3/3p4/8/4P3/8/8/8/R3K3 b Q - 0 1", "d7d5")
	for _, c := range []struct {
		line dataset.Line
		want map[int]uint64
	}{
		{l, map[int]uint64{
			0: set("e5", "d5"), 1: set("e1", "e8"), 2: set("a1", "e1", "e8"), 3: set("d5", "e8"),
			4: set("e5", "d7"), 5: set("e1", "e8"), 6: set("a1", "e1", "e8"), 7: set("d7", "e8"),
			20: 1<<1 | set("d6"),
		}},
		{mirrorLine(l), map[int]uint64{
			0: set("e5", "d5"), 1: set("e1", "e8"), 2: set("a1", "e1", "e8"), 3: set("d5", "e8"),
			4: set("e5", "d7"), 5: set("e1", "e8"), 6: set("a1", "e1", "e8"), 7: set("d7", "e8"),
			20: 1<<1 | 1<<4 | set("d6"),
		}},
		{uciLine(t, "4k2r/8/8/8/8/8/8/N3K3 b k - 0 1", "e8f8", "a1b3", "f8e8", "b3a1", "e8f8", "a1b3", "f8e8", "b3a1"),
			map[int]uint64{
				1: set("a8", "e1", "e8"), 2: set("e1", "e8", "h1"), 3: set("a8", "e8"),
				5: set("b6", "e1", "e8"), 6: set("e1", "e8", "h1"), 7: set("b6", "e8"),
				9: set("b6", "f1", "e8"), 10: set("f1", "e8", "h1"), 11: set("b6", "e8"),
				13: set("a8", "f1", "e8"), 14: set("f1", "e8", "h1"), 15: set("a8", "e8"),
				17: set("a8", "e1", "e8"), 18: set("e1", "e8", "h1"), 19: set("a8", "e8"),
				20: 1<<4 | 1<<5, // before it occurred once without the right to castle
			}},
	} {
		got, want := [TalbotBotWords]uint64{}, [TalbotBotWords]uint64{}
		(TalbotBot{}).Pack(got[:], viewAt(t, &c.line, len(c.line.Moves)))
		for i, word := range c.want {
			want[i] = word
		}
		if got != want {
			t.Errorf("got\n%x, want\n%x", got, want)
		}
	}
}
