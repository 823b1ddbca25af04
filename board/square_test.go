package board

import "testing"

func TestSquare(t *testing.T) {
	for s := range Square(64) {
		got, ok := ParseSquare(s.String())
		if !ok || got != s || NewSquare(s.File(), s.Rank()) != s || s.Mirror().Mirror() != s ||
			s.Bitboard().First() != s {
			t.Errorf("square %d (%v) comes back as %d", s, s, got)
		}
		if s.Mirror().File() != s.File() || s.Mirror().Rank() != 7-s.Rank() ||
			s.Bitboard().Mirror() != s.Mirror().Bitboard() {
			t.Errorf("mirror of %v is %v", s, s.Mirror())
		}
	}
	if NoSquare.String() != "-" || NoSquare.Bitboard() != 0 || Bitboard(^uint64(0)).Has(NoSquare) {
		t.Error("NoSquare is a square")
	}
	for _, s := range []string{"", "e", "e0", "e9", "i1", "E4", "e44"} {
		if _, ok := ParseSquare(s); ok {
			t.Errorf("%q is read as a square", s)
		}
	}
}

func TestMove(t *testing.T) {
	for _, test := range []struct {
		move         Move
		text, mirror string
	}{
		{NoMove, "0000", "0000"},
		{NewMove(12, 28), "e2e4", "e7e5"},
		{NewMove(63, 0), "h8a1", "h1a8"},
		{NewPromotion(52, 60, Queen), "e7e8q", "e2e1q"},
		{NewPromotion(8, 1, Knight), "a2b1n", "a7b8n"},
	} {
		if got := test.move.String(); got != test.text {
			t.Errorf("%#x is %s, want %s", uint16(test.move), got, test.text)
		}
		if got := test.move.Mirror(); got.String() != test.mirror || got.Mirror() != test.move {
			t.Errorf("the mirror of %v is %v, want %s", test.move, got, test.mirror)
		}
	}
}

// TestAttacks compares the tables with steps taken one by one, for random
// occupancies.
func TestAttacks(t *testing.T) {
	state := uint64(1)
	for range 200 {
		state = state*6364136223846793005 + 1442695040888963407
		occ := Bitboard(state & (state >> 17) & ^uint64(0))
		for s := range Square(64) {
			for _, pt := range []PieceType{Bishop, Rook, Queen} {
				var want Bitboard
				for df := -1; df <= 1; df++ {
					for dr := -1; dr <= 1; dr++ {
						diagonal := df != 0 && dr != 0
						if df == 0 && dr == 0 || pt == Bishop && !diagonal || pt == Rook && diagonal {
							continue
						}
						for f, r := s.File()+df, s.Rank()+dr; f >= 0 && f < 8 && r >= 0 && r < 8; f, r = f+df, r+dr {
							want |= NewSquare(f, r).Bitboard()
							if occ.Has(NewSquare(f, r)) {
								break
							}
						}
					}
				}
				if got := Attacks(White, pt, s, occ); got != want {
					t.Fatalf("type %d on %v with %#x: %#x, want %#x", pt, s, occ, got, want)
				}
			}
		}
	}
	for s, want := range map[Square]int{0: 2, 9: 4, 27: 8} {
		if got := Attacks(White, Knight, s, 0).Len(); got != want {
			t.Errorf("a knight on %v attacks %d squares, want %d", s, got, want)
		}
	}
	if Attacks(White, NoPieceType, 0, 0) != 0 {
		t.Error("nothing attacks something")
	}
}

func TestSetup(t *testing.T) {
	var s Setup
	s.Put(NewPiece(White, Queen), 4)
	s.Put(NewPiece(White, King), 4) // in place of the queen
	s.Put(NewPiece(Black, King), 60)
	s.Put(NewPiece(Black, Rook), 0)
	s.Put(NoPiece, 0)
	s.Turn = Black
	p, err := s.Position()
	if want := mustParse(t, "4k3/8/8/8/8/8/8/4K3 b - - 0 1"); err != nil || p != want {
		t.Errorf("%v, %v", p.FEN(), err)
	}
	s.Put(NewPiece(White, Rook), 56)
	s.Turn = White
	if _, err := s.Position(); err == nil {
		t.Error("Black is in check and White to move, yet the position is accepted")
	}
}
