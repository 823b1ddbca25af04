package schedule

import "testing"

// TestPlateau follows a run by hand: the rate is halved after three stale validations and again after three more, a
// new lowest loss begins anew, and training ends after eight.
func TestPlateau(t *testing.T) {
	p, err := ParsePlateau("plateau:3=0.5,stop=8")
	if err != nil {
		t.Fatal(err)
	}
	var s PlateauState
	for i, v := range []struct {
		loss, factor float64
		stop         bool
	}{{2, 1, false}, {1, 1, false}, {1, 1, false}, {3, 1, false}, {1.5, 0.5, false}, {2, 0.5, false}, {0.9, 0.5, false},
		{1, 0.5, false}, {1, 0.5, false}, {1, 0.25, false}, {1, 0.25, false}, {1, 0.25, false}, {1, 0.125, false},
		{1, 0.125, false}, {1, 0.125, true}} {
		var stop bool
		if s, stop = p.Next(s, v.loss); stop != v.stop || s.Factor(p) != v.factor {
			t.Fatalf("validation %d: factor %g, stop %v, want %g, %v", i, s.Factor(p), stop, v.factor, v.stop)
		}
	}
	for _, bad := range []string{"plateau", "plateau:", "plateau:0=0.5", "plateau:3", "plateau:3=1", "plateau:3=0",
		"plateau:3=0.5,stop=0", "plateau:3=0.5,stop=x", "plateau:3=0.5,halt=2", "plateau:x=0.5", "plateau:3=NaN"} {
		if _, err := ParsePlateau(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
		if _, err := Parse(bad, 1, 0, 0, 10); err == nil {
			t.Errorf("Parse of %q: no error", bad)
		}
	}
	if p, err := ParsePlateau("cosine"); err != nil || p != (Plateau{}) {
		t.Errorf("cosine: %v, %v", p, err)
	}
	if s, stop := (Plateau{}).Next(PlateauState{}, 1); stop || s != (PlateauState{}) {
		t.Error("no plateau has a state")
	}
}
