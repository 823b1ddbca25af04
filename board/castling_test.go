package board

import "testing"

// TestCastlingConditions holds castling to every condition, in all spellings.
func TestCastlingConditions(t *testing.T) {
	for _, test := range []struct {
		fen         string
		king, queen bool
	}{
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true, true},
		{"r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1", true, false},
		{"r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1", false, false},
		{"r3k2r/8/8/8/8/8/8/R3K2R b kq - 0 1", true, true},
		{"4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", false, false}, // in check
		{"4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", false, true},   // through check
		{"4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", false, true},  // into check
		{"3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", true, false},   // through check
		{"1r2k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1", true, true},  // b1 and h1 may be attacked
		{"4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", false, false}, // b1, g1 occupied
		{"4k3/8/8/8/8/8/8/R1b1K2R w KQ - 0 1", true, false},  // an enemy in between
		{"4k3/8/8/8/8/8/6p1/R3K2R w KQ - 0 1", false, true},  // a pawn attacks f1
		{"R3k2r/8/8/8/8/8/8/4K3 b k - 0 1", false, false},    // in check
	} {
		p := mustParse(t, test.fen)
		for _, wing := range []struct {
			want  bool
			to    Square
			texts []string
		}{
			{test.king, 6, []string{"O-O", "0-0", "Kg1", "Kg8", "e1g1", "e1h1", "e8g8", "e8h8"}},
			{test.queen, 2, []string{"O-O-O", "0-0-0", "Kc1", "Kc8", "e1c1", "e1a1", "e8c8", "e8a8"}},
		} {
			home := Square(56 * p.Turn())
			m := NewMove(home+4, home+wing.to)
			if p.IsLegal(m) != wing.want {
				t.Errorf("%s: %v legal: %v", test.fen, m, !wing.want)
			}
			for _, text := range wing.texts {
				own := text[0] != 'e' && text[0] != 'K' || int(text[len(text)-1]-'1') == home.Rank()
				got, err := p.ParseSAN([]byte(text))
				if (err == nil && got == m) != (wing.want && own) {
					t.Errorf("%s: %q gives %v, %v", test.fen, text, got, err)
				}
			}
		}
	}
}
