package review

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/golden"
)

// score is White's, a number of centipawns or "#n"; "#0" ends the game.
type score struct {
	dataset.Score
	over bool
}

func (s *score) UnmarshalJSON(text []byte) error {
	var word string
	if json.Unmarshal(text, &word) == nil {
		n, err := strconv.Atoi(word[1:])
		s.Score, s.over = dataset.MateIn(n), n == 0
		return err
	}
	cp, err := strconv.Atoi(string(text))
	s.Score = dataset.Centipawns(cp)
	return err
}

// first is a move.
var first = board.NewMove(12, 28)

// TestFormulas compares accuracies, losses and classes, where puzzles begin and which moves win alone with what
// testdata/oracle.py computes from the published description.
func TestFormulas(t *testing.T) {
	type game struct {
		Scores      []score     `json:"scores"`
		WhiteBegins bool        `json:"white_begins"`
		Accuracy    [2]*float64 `json:"accuracy"`
		Classes     []Class     `json:"classes"`
		Losses      []float64   `json:"losses"`
		Puzzles     []struct {
			Was, Now, Second score
			Ahead            int
			Begins, Only     bool
		} `json:"puzzles"`
	}
	for n, g := range golden.Lines[game](t, "testdata/golden.jsonl.gz", 120) {
		var white []float64
		for i, s := range g.Scores {
			white = append(white, WinPercent(s.Score))
			if i == 0 {
				continue
			}
			before, after, loss := g.Scores[i-1].Score, s.Score, white[i-1]-white[i]
			if (i%2 == 1) != g.WhiteBegins {
				before, after, loss = -before, -after, -loss
			}
			if c := Classify(before, after); c != g.Classes[i-1] {
				t.Errorf("game %d, move %d: %s to %s is %q, want %q", n, i, before, after, c, g.Classes[i-1])
			}
			if math.Abs(loss-g.Losses[i-1]) > 1e-9 {
				t.Errorf("game %d, move %d: lost %g, want %g", n, i, loss, g.Losses[i-1])
			}
		}
		for _, p := range g.Puzzles {
			if got := appeared(p.Was.Score, p.Now.Score, p.Ahead); got != p.Begins {
				t.Errorf("%s to %s, ahead by %d: a puzzle may begin: %t", p.Was, p.Now, p.Ahead, got)
			}
			l := dataset.Label{Status: dataset.Labelled, Best: first, Lines: []dataset.Searched{
				{Score: p.Now.Score, PV: []board.Move{first}}, {Score: p.Second.Score, PV: []board.Move{first + 1}}}}
			if got := only(&l); got != p.Only {
				t.Errorf("%s and %s: only one wins: %t", p.Now, p.Second, got)
			}
		}
		for side, a := range GameAccuracy(white, !g.WhiteBegins) {
			want := g.Accuracy[side]
			if want == nil != math.IsNaN(a) || want != nil && math.Abs(a-*want) > 1e-9 {
				t.Errorf("game %d: accuracy %g, want %v", n, a, want)
			}
		}
	}
}
