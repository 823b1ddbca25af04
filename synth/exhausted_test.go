package synth

import (
	"testing"

	"talbot/board"
)

// TestLeft: what an exhausted class would have is spread over as many pieces,
// then over the other numbers.
func TestLeft(t *testing.T) {
	d := drawer(t, func(c *Config) {
		c.Pieces = PieceWeights{3: 1, 4: 1}
		c.Materials = []WeightedMaterial{{material(t, "KPvK"), 1}, {material(t, "KRvK"), 2}, {material(t, "KQvK"), 1},
			{material(t, "KRvKB"), 1}}
	})
	left := d.Remaining()
	x := d.Draw(1)
	for x.Class.String() != "KPvK" {
		x = d.Draw(x.Line.Number + 1)
	}
	left.Exhaust(x.Class)
	if !left.Exhausted(x.Class) || left.Exhausted(material(t, "KRvK")) {
		t.Error("another class is exhausted")
	}
	got := map[string]int{}
	const n = 3000
	for range n {
		y := x
		if !d.DrawOtherClass(&y, left) {
			t.Fatal("nothing is left")
		}
		x.source = y.source
		got[y.Class.String()]++
	}
	chance(t, "KRvK", got["KRvK"], n, 2./3)
	chance(t, "KQvK", got["KQvK"], n, 1./3)
	left.Exhaust(material(t, "KRvK"))
	left.Exhaust(material(t, "KQvK"))
	if y := x; !d.DrawOtherClass(&y, left) || y.Class.String() != "KRvKB" {
		t.Errorf("then %v", y.Class)
	}
	left.Exhaust(material(t, "KRvKB"))
	if y := x; d.DrawOtherClass(&y, left) {
		t.Errorf("then %v", y.Class)
	}
}

// TestAgainFindsAll: drawing again and again finds every position of a class,
// and ends when none is left. The number is that of an enumeration.
func TestAgainFindsAll(t *testing.T) {
	d := drawer(t, func(c *Config) {
		c.Pieces, c.Materials = PieceWeights{}, []WeightedMaterial{{material(t, "KPvK"), 1}}
		c.Past.Captures, c.Past.Promotions = 1, 1
	})
	want := map[uint64]bool{}
	for wk := range board.Square(64) {
		for bk := range board.Square(64) {
			for pawn := range board.Square(48) {
				for turn := range board.Black + 1 {
					s := board.Setup{Turn: turn}
					s.Put(board.NewPiece(board.White, board.King), wk)
					s.Put(board.NewPiece(board.Black, board.King), bk)
					s.Put(board.NewPiece(board.White, board.Pawn), pawn+8)
					if p, err := s.Position(); err == nil && s.Occupied().Len() == 3 && p.HasLegalMove() &&
						len(p.Unmoves(nil)) > 0 {
						want[Key(&p)] = true
					}
				}
			}
		}
	}
	seen := map[uint64]bool{}
	x := d.Draw(1)
	for ; x.OK; d.Redraw(&x, func(key uint64) bool { return seen[key] }) {
		if p := last(&x.Line); !want[x.Key] {
			t.Fatalf("%s is not among the %d positions", p.FEN(), len(want))
		}
		seen[x.Key] = true
	}
	t.Logf("%d of %d positions, %v", len(seen), len(want), x.Rejects)
	if len(seen) < len(want)*998/1000 {
		t.Errorf("%d of %d positions were found", len(seen), len(want))
	}
}
