package progress

import (
	"testing"
)

// One of a thing is named in the singular, whatever it is.
func TestOneOfAThing(t *testing.T) {
	for many, one := range map[string]string{"positions": "position", "games": "game", "searches": "search",
		"blocks": "block", "endgames": "endgame", "tactics": "tactic", "plies": "ply", "lines": "line",
		"puzzles": "puzzle",
		"samples": "sample", "boxes": "box"} {
		if got := (Progress{Count: 1, Unit: many}).Details(0)[0]; got != "1 "+one {
			t.Errorf("one of %s: %s", many, got)
		}
		if got := (Progress{Count: 2, Unit: many}).Details(0)[0]; got != "2 "+many {
			t.Errorf("two of %s: %s", many, got)
		}
	}
}
