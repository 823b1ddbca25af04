package encode

import (
	"slices"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
	"talbot/internal/testkit/golden"
)

// TestLynxGolden compares the planes, those of tahl, of attacks, tactics and threats, with python-chess.
func TestLynxGolden(t *testing.T) {
	type row struct{ Attacks, Tactics, Pins, Threats golden.Words }
	more := golden.Lines[row](t, "testdata/lynx.jsonl.gz", 150)
	for i, g := range golden.Lines[tahlGolden](t, "testdata/tahl.jsonl.gz", len(more)) {
		l := uciLine(t, g.Start, g.Moves...)
		v := viewAt(t, &l, len(g.Moves))
		for _, e := range []Lynx{{}, {Attacks: true}, {Tactics: true}, {Attacks: true, Tactics: true},
			{Threats: true}, {Tactics: true, Threats: true}, {Attacks: true, Tactics: true, Threats: true}} {
			layout := e.Layout()
			want := slices.Clone(g.Planes)
			if e.Attacks {
				want = append(want, more[i].Attacks...)
			}
			switch {
			case e.Tactics && e.Threats:
				want = append(want, more[i].Pins...)
			case e.Tactics:
				want = append(want, more[i].Tactics...)
			}
			if e.Threats {
				want = append(want, more[i].Threats...)
			}
			planes := make([]uint64, layout.Shape[0])
			e.Planes(planes, v.Game)
			if !slices.Equal(planes, want) {
				t.Fatalf("%q, %+v:\n%016x, want\n%016x", v.Position().FEN(), e, planes, want)
			}
			packed, numbers := make([]uint64, layout.Words), make([]float32, layout.Numbers())
			e.Pack(packed, v)
			e.Unpack(numbers, packed)
			for j, x := range numbers {
				if x != float32(want[j/64]>>(j%64)&1) {
					t.Fatalf("%q: plane %d, square %d is %g", v.Position().FEN(), j/64, j%64, x)
				}
			}
		}
	}
}

// TestLynxChecks: a piece that gives check has no squares behind its own, since the square that it leaves counts as
// taken. The squares are found by hand.
func TestLynxChecks(t *testing.T) {
	squares := func(names ...string) (set uint64) {
		for _, name := range names {
			set |= 1 << (name[0] - 'a' + 8*(name[1]-'1'))
		}
		return set
	}
	for fen, want := range map[string][2]uint64{ // own and the opponent's, in the mover's frame
		"k7/8/8/8/4r3/8/8/4K3 w - - 0 1":  {0, squares("e2", "e3")},
		"k7/8/8/8/4r3/8/8/3K4 w - - 0 1":  {0, squares("d4", "e1")},
		"4k3/8/8/8/4R3/8/8/4K3 b - - 0 1": {0, squares("e2", "e3", "e4")},
		"k7/8/8/8/4R3/8/8/4K3 w - - 0 1":  {squares("a4", "e8"), 0},
	} {
		g := board.NewGame(testkit.Must(board.ParseFEN(fen)))
		e := Lynx{Attacks: true, Tactics: true}
		planes := make([]uint64, e.Layout().Shape[0])
		e.Planes(planes, g)
		if got := [2]uint64(planes[45:]); got != want {
			t.Errorf("%s: %016x, want %016x", fen, got, want)
		}
	}
}
