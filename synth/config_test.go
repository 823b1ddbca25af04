package synth

import (
	"errors"
	"testing"

	"talbot/board"
)

func TestParsePieces(t *testing.T) {
	for s, want := range map[string]PieceWeights{
		"3-7": {3: 1, 4: 1, 5: 1, 6: 1, 7: 1}, "5": {5: 1}, "4-4": {4: 1}, "3,5": {3: 1,
			5: 1}, "3:1, 4:2,6-7:0.5": {3: 1, 4: 2, 6: 0.5, 7: 0.5},
	} {
		w, err := ParsePieces(s)
		if err != nil || w != want {
			t.Errorf("%q: %v, %v", s, w, err)
		}
		if again, err := ParsePieces(w.String()); err != nil || again != w {
			t.Errorf("%v comes back as %v, %v", w, again, err)
		}
	}
	for _, s := range []string{"", "2-7", "3-8", "7-3", "x", "3-", "-3", "3-7-8", "3:0", "3:-1", "3:x", "3:NaN",
		"3:Inf", "3,,4", "9223372036854775807"} {
		if _, err := ParsePieces(s); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestParseTypes(t *testing.T) {
	want := DefaultConfig().Types
	for _, s := range []string{"P5R2B2N2Q1", "P5 R2 B2 N2 Q1", "Q1,N2,B2,R2,P5.0"} {
		if w, err := ParseTypes(s); err != nil || w != want {
			t.Errorf("%q: %v, %v", s, w, err)
		}
	}
	if again, err := ParseTypes(want.String()); err != nil || again != want {
		t.Errorf("%v comes back as %v, %v", want, again, err)
	}
	for _, s := range []string{"", " ", "P", "5P", "K1", "P1P2", "P0", "P-1", "p1", "P1.2.3", "Q1é"} {
		if w, err := ParseTypes(s); err == nil {
			t.Errorf("%q is accepted as %v", s, w)
		}
	}
}

func TestParseMaterials(t *testing.T) {
	list, err := ParseMaterials("# rooks\nKRPvKR:3, KPvK\n\n  KvKQ # last\n")
	if err != nil || len(list) != 3 || list[0].Weight != 3 || list[1].Weight != 1 ||
		list[2].Material.String() != "KvKQ" {
		t.Errorf("%v, %v", list, err)
	}
	for _, s := range []string{"", "# none", "KRPvKR:0", "KRPvKR:x", "KvK", "KBvK", "KNvK", "KRvK KvKR", "KRRRvKRRR",
		"KR"} {
		if list, err := ParseMaterials(s); err == nil {
			t.Errorf("%q is accepted as %v", s, list)
		}
	}
	if _, err := ParseMaterials("KRvK\nKXvK"); err == nil || err.Error()[:6] != "line 2" {
		t.Errorf("%v", err)
	}
}

// TestNothingToDraw: wishes that nothing can fulfil are refused.
func TestNothingToDraw(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"three pieces in balance": func(c *Config) { c.Balance = 0 },
		"a count without material": func(c *Config) {
			c.Materials = []WeightedMaterial{{Material: 1, Weight: 1}}
		},
		"nearly only dead ones": func(c *Config) { c.Types = TypeWeights{board.Knight: 1e9, board.Pawn: 1} },
		"only dead ones":        func(c *Config) { c.Types = TypeWeights{board.Knight: 1} },
	} {
		c := DefaultConfig()
		change(&c)
		if _, err := NewDrawer(c); !errors.Is(err, ErrNoMaterial) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*Config){
		"no numbers":      func(c *Config) { c.Pieces = PieceWeights{} },
		"no types":        func(c *Config) { c.Types = TypeWeights{} },
		"negative weight": func(c *Config) { c.Past.Captures = -1 },
		"no past at all":  func(c *Config) { c.Past.MostPieces = 2 },
	} {
		c := DefaultConfig()
		change(&c)
		if _, err := NewDrawer(c); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// FuzzParse: no text makes a parser panic, and what is read can be drawn from
// or is refused.
func FuzzParse(f *testing.F) {
	f.Add("3-7", "P5R2B2N2Q1", "KRPvKR:2 KPvK")
	f.Add("3:1,7:2", "Q1", "")
	f.Fuzz(func(t *testing.T, pieces, types, materials string) {
		c := DefaultConfig()
		var err error
		if c.Pieces, err = ParsePieces(pieces); err != nil {
			return
		}
		if c.Types, err = ParseTypes(types); err != nil {
			return
		}
		if materials != "" {
			if c.Materials, err = ParseMaterials(materials); err != nil {
				return
			}
		}
		d, err := NewDrawer(c)
		if err != nil {
			return
		}
		if x := d.Draw(1); x.OK && c.Pieces[x.Class.Pieces()] == 0 {
			t.Fatalf("%v was drawn from %v", x.Class, c.Pieces)
		}
	})
}
