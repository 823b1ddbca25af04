package train

import (
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/encode"
	"talbot/rows"
	"talbot/train/model"
)

// Two puzzles of two turns and one of one, judged by hand: a right first move and a wrong second one; a mate other than
// the puzzle's at the first turn, which solves it; a wrong move.
func TestJudgePuzzles(t *testing.T) {
	e, _ := encode.ByName("talbotbot")
	const fen = "6k1/p4ppp/8/8/8/8/8/R3R1K1 b - - 0 1" // Re8 mates unless the g or h pawn moves
	text := "a," + fen + ",a7a6 g1h1 a6a5 e1e8,1250,,,,back rank\n" +
		"b," + fen + ",a7a6 g1h1 a6a5 e1e8,1399,,,,mate\n" +
		"c," + fen + ",a7a6 e1e8,,,,,mate short\n"
	choices := map[string][]string{"a": {"g1h1", "a1a5"}, "b": {"e1e8", "h1g1"}, "c": {"g1h1"}}
	s := &puzzles{ratings: map[string]*puzzleTally{}, themes: map[string]*puzzleTally{}}
	var turns []turn
	var logits []float32
	r := rows.NewPuzzleReader(strings.NewReader(text))
	for range 3 {
		line, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		var w dataset.Walker
		n := 0
		for w.Reset(&line); w.Next(); n++ {
			p := *w.Position()
			turns = append(turns, turn{&line, p, line.Moves[w.Ply()]})
			m, err := p.ParseUCI(choices[line.Tag(rows.TagPuzzleID)][n])
			if err != nil {
				t.Fatal(err)
			}
			logits = append(logits, make([]float32, model.Moves)...)
			logits[len(logits)-model.Moves+e.MoveIndex(&p, m)] = 1
		}
	}
	s.judge(e, turns, logits)
	got := s.report()
	if got.HeldOut != nil {
		t.Errorf("held out %+v of unknown splits", got.HeldOut)
	}
	for _, c := range []struct {
		splits dataset.Splits
		want   Solved
	}{{dataset.Splits{Val: 50, Test: 50}, got.Solved}, {dataset.Splits{Train: 100}, Solved{}}} {
		held := &puzzles{splits: &c.splits, ratings: map[string]*puzzleTally{}, themes: map[string]*puzzleTally{}}
		held.judge(e, turns, logits)
		if h := held.report().HeldOut; h == nil || *h != c.want {
			t.Errorf("splits %v: held out %+v", c.splits, h)
		}
	}
	if got.Puzzles != 3 || got.FirstMove != 2.0/3 || got.WholeLine != 1.0/3 {
		t.Errorf("%+v", got.Solved)
	}
	if r := got.ByRating; r["1200"] != (Solved{2, 1, 0.5}) || r["unknown"] != (Solved{1, 0, 0}) {
		t.Errorf("by rating %+v", r)
	}
	if th := got.ByTheme; th["mate"] != (Solved{2, 0.5, 0.5}) || th["rank"].Puzzles != 1 {
		t.Errorf("by theme %+v", th)
	}
	if got.Mates != 5 || *got.MateInOne != 0.2 {
		t.Errorf("mates %+v", got)
	}
}
