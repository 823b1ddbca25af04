package encode

import (
	"slices"
	"testing"

	"talbot/internal/golden"
)

// TestLynxGolden compares the planes, both those of tahl and those of attacks, with python-chess.
func TestLynxGolden(t *testing.T) {
	type row struct{ Attacks golden.Words }
	attacks := golden.Lines[row](t, "testdata/lynx.jsonl.gz", 150)
	for i, g := range golden.Lines[tahlGolden](t, "testdata/tahl.jsonl.gz", len(attacks)) {
		l := uciLine(t, g.Start, g.Moves...)
		v := viewAt(t, &l, len(g.Moves))
		for _, e := range []Lynx{{}, {Attacks: true}} {
			layout := e.Layout()
			want := slices.Clone(g.Planes)
			if e.Attacks {
				want = append(want, attacks[i].Attacks...)
			}
			planes := make([]uint64, layout.Shape[0])
			e.Planes(planes, v.Game)
			if !slices.Equal(planes, want) {
				t.Fatalf("%q, attacks %v:\n%016x, want\n%016x", v.Position().FEN(), e.Attacks, planes, want)
			}
			packed, numbers := make([]uint64, layout.Words), make([]float32, layout.Numbers())
			e.Pack(packed, v)
			e.Numbers(numbers, packed)
			for j, x := range numbers {
				if x != float32(want[j/64]>>(j%64)&1) {
					t.Fatalf("%q: plane %d, square %d is %g", v.Position().FEN(), j/64, j%64, x)
				}
			}
		}
	}
}
