package board

import "testing"

func TestMaterial(t *testing.T) {
	for _, c := range []struct {
		fen, signature, folded string
		pieces, difference     int
		mate                   bool
	}{
		{StartFEN, "KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP", "KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP", 32, 0, true},
		{"8/8/8/8/8/8/8/K1k5 w - - 0 1", "KvK", "KvK", 2, 0, false},
		{"8/8/8/3r4/8/1P6/8/K1k5 w - - 0 1", "KPvKR", "KRvKP", 4, -4, true},
		{"8/8/8/3n4/2b5/1R6/8/K1k5 w - - 0 1", "KRvKBN", "KBNvKR", 5, -1, true}, // more pieces come first
		{"8/8/8/3r4/2r5/1Q6/P7/K1k5 w - - 0 1", "KQPvKRR", "KQPvKRR", 6, 0, true},
		{"8/8/8/3b4/8/8/8/K1k5 w - - 0 1", "KvKB", "KBvK", 3, -3, false},
		{"8/8/8/3n4/8/8/6N1/K1k5 w - - 0 1", "KNvKN", "KNvKN", 4, 0, true},
	} {
		p := mustParse(t, c.fen)
		m := p.Material()
		if m.String() != c.signature || m.Fold().String() != c.folded || m.Pieces() != c.pieces ||
			m.Difference() != c.difference || m.CanMate() != c.mate {
			t.Errorf("%s: %v, folded %v, %d pieces, difference %d, mate %v", c.fen, m, m.Fold(), m.Pieces(),
				m.Difference(), m.CanMate())
		}
		q := p.Mirror()
		if q.Material() != m.Mirror() || m.Mirror().Fold() != m.Fold() || q.Material().Difference() != -c.difference {
			t.Errorf("%s: mirrored %v", c.fen, q.Material())
		}
		if back, err := ParseMaterial(c.signature); err != nil || back != m {
			t.Errorf("%s comes back as %v, %v", c.signature, back, err)
		}
	}
	if m, err := ParseMaterial("KPRvNKB"); err != nil || m.String() != "KRPvKBN" {
		t.Errorf("any order: %v, %v", m, err)
	}
	for _, s := range []string{"", "KR", "KRK", "RvK", "KKvK", "KXvK", "krvk", "KvKvK", "KPPPPPPPPPvK", "KQQPPPPPPPPvK",
		"KvKQQQQQQQQQQ", "KRvKéé"} {
		if m, err := ParseMaterial(s); err == nil {
			t.Errorf("%q is read as %v", s, m)
		}
	}
}

// FuzzParseMaterial: what is read comes back from its own signature.
func FuzzParseMaterial(f *testing.F) {
	f.Add("KRPvKR")
	f.Add("KQQQvKNN")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseMaterial(s)
		if err != nil {
			return
		}
		if back, err := ParseMaterial(m.String()); err != nil || back != m || m.Pieces() != len(s)-1 {
			t.Fatalf("%q is %v, then %v, %v", s, m, back, err)
		}
	})
}
