package encode

import (
	"slices"
	"testing"

	"talbot/internal/testkit/golden"
)

// TestLynxGolden compares the planes, those of tahl, of attacks and of tactics, with python-chess.
func TestLynxGolden(t *testing.T) {
	type row struct{ Attacks, Tactics golden.Words }
	more := golden.Lines[row](t, "testdata/lynx.jsonl.gz", 150)
	for i, g := range golden.Lines[tahlGolden](t, "testdata/tahl.jsonl.gz", len(more)) {
		l := uciLine(t, g.Start, g.Moves...)
		v := viewAt(t, &l, len(g.Moves))
		for _, e := range []Lynx{{}, {Attacks: true}, {Tactics: true}, {Attacks: true, Tactics: true}} {
			layout := e.Layout()
			want := slices.Clone(g.Planes)
			if e.Attacks {
				want = append(want, more[i].Attacks...)
			}
			if e.Tactics {
				want = append(want, more[i].Tactics...)
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
