package pgn

import (
	"fmt"
	"testing"

	"talbot/dataset"
)

// TestResultAt reads every spelling of a result, and takes nothing longer for one.
func TestResultAt(t *testing.T) {
	dashes := []string{"-", "–", "—", "−", "‐", "‑", "\x96", ":"}
	for _, dash := range dashes {
		for text, want := range map[string]dataset.Result{
			"1" + dash + "0": dataset.WhiteWins, "0" + dash + "1": dataset.BlackWins,
			"1/2" + dash + "1/2": dataset.Draw, "½" + dash + "½": dataset.Draw, "0.5" + dash + "0.5": dataset.Draw,
			"0,5" + dash + "0,5": dataset.Draw, "\xbd" + dash + "\xbd": dataset.Draw,
		} {
			for _, behind := range []string{"", " ", "\n1. e4", "{", ".", "*"} {
				if got, n := resultAt([]byte(text + behind)); got != want || n != len(text) {
					t.Errorf("%q: %v, %d bytes", text+behind, got, n)
				}
			}
			for _, behind := range []string{"0", "a", "-0", "–0", "+", "½"} {
				if got, n := resultAt([]byte(text + behind)); n != 0 {
					t.Errorf("%q: %v, %d bytes", text+behind, got, n)
				}
			}
		}
		for _, none := range []string{"0" + dash + "0", "1" + dash + "1", "1" + dash, dash, "2" + dash + "0",
			"1" + dash + "½", "0.5" + dash + "1", "0.5", "1", "10" + dash + "0", ""} {
			if got, n := resultAt([]byte(none)); n != 0 {
				t.Errorf("%q: %v, %d bytes", none, got, n)
			}
		}
	}
	for _, half := range []string{"½", "\xbd", "1/2"} {
		if got, n := resultAt([]byte(half + " x")); got != dataset.Draw || n != len(half) {
			t.Errorf("%q: %v, %d", half, got, n)
		}
	}
}

// TestResultRules goes through every tag, every result behind the moves and every end on the board, under every rule,
// and holds the result against the definitions of the rules.
func TestResultRules(t *testing.T) {
	const unknown, white, black, draw = dataset.ResultUnknown, dataset.WhiteWins, dataset.BlackWins, dataset.Draw
	written := map[dataset.Result]string{unknown: "*", white: "1-0", black: "0-1", draw: "1/2-1/2"}
	for moves, end := range map[string]dataset.Result{
		"1. e4 e5":                  unknown,
		"1. f3 e5 2. g4 Qh4":        black,
		"1. e4 f6 2. d4 g5 3. Qh5#": white,
		"1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7 9. Qxc8 Kg6 " +
			"10. Qe6": draw,
	} {
		for tag, tagText := range written {
			for over, overText := range written {
				known := []dataset.Result{}
				for _, r := range []dataset.Result{tag, over} {
					if r != unknown {
						known = append(known, r)
					}
				}
				wantConflict := Conflict{Movetext: len(known) == 2 && tag != over}
				for _, r := range known {
					wantConflict.Board = wantConflict.Board || end != unknown && r != end
				}
				for rule := dataset.TagResult; rule <= dataset.DropConflicts; rule++ {
					want, order := unknown, []dataset.Result{over, tag}
					if rule == dataset.MovetextResult {
						order = []dataset.Result{tag, over}
					}
					for _, r := range order {
						if r != unknown {
							want = r
						}
					}
					if rule == dataset.BoardResult && wantConflict.Board {
						want = end
					}
					p := &Parser{Results: rule}
					text := fmt.Sprintf("[Result \"%s\"]\n\n%s %s", tagText, moves, overText)
					line, reject := p.Parse(Game{Number: 1, Text: []byte(text)})
					if p.Conflict() != wantConflict {
						t.Errorf("%v, %q: %+v, want %+v", rule, text, p.Conflict(), wantConflict)
					}
					if drop := rule == dataset.DropConflicts && wantConflict != (Conflict{}); drop {
						if reject == nil || reject.Reason != dataset.ResultConflict {
							t.Errorf("%v, %q: %v, want it left out", rule, text, reject)
						}
					} else if reject != nil || line.Result != want {
						t.Errorf("%v, %q: %v, %v; want %v", rule, text, line.Result, reject, want)
					}
				}
			}
		}
	}
	for rule := dataset.TagResult; rule <= dataset.DropConflicts; rule++ {
		if got, err := dataset.ParseResultRule(rule.String()); got != rule || err != nil {
			t.Errorf("%v: %v, %v", rule, got, err)
		}
	}
	if _, err := dataset.ParseResultRule("tags"); err == nil {
		t.Error("an unknown rule")
	}
}
