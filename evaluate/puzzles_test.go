package evaluate

import (
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/encode"
	"talbot/formats/rows"
	"talbot/network/predict"
)

const (
	backRank    = "6k1/p4ppp/8/8/8/8/8/R3R1K1 b - - 0 1" // Re8 mates unless the g or h pawn moves
	threeRiddle = "a," + backRank + ",a7a6 g1h1 a6a5 e1e8,1250,,,,back rank\n" +
		"b," + backRank + ",a7a6 g1h1 a6a5 e1e8,1399,,,,mate\n" +
		"c," + backRank + ",a7a6 e1e8,,,,,mate short\n"
)

func puzzleLines(text string) iter.Seq2[dataset.Line, error] {
	r := rows.NewPuzzleReader(strings.NewReader(text))
	return func(yield func(dataset.Line, error) bool) {
		for line, _, err := r.Next(); err != io.EOF && yield(line, err); line, _, err = r.Next() {
		}
	}
}

// Two puzzles of two turns and one of one, judged by hand: a right first move and a wrong second one; a mate other than
// the puzzle's at the first turn, which solves it; a wrong move.
func TestSolvePuzzles(t *testing.T) {
	choices := []string{"g1h1", "a1a5", "e1e8", "h1g1", "g1h1"}
	solve := func(batch int, splits *dataset.Splits) PuzzleReport {
		t.Helper()
		var turns []turn // to know which code is which move
		for line, err := range puzzleLines(threeRiddle) {
			if err != nil {
				t.Fatal(err)
			}
			turns = turnsOf(turns, encode.TalbotBot{}, &encode.View{}, &line)
		}
		n := 0
		network := &asked{capabilities: all, batch: batch, answer: func(q predict.Input) predict.Output {
			s := &turns[n].Sample
			if !slices.Equal(q.Packed, s.Packed) || !slices.Equal(q.Codes, s.Codes) {
				t.Errorf("turn %d is another question", n)
			}
			logits := make([]float32, encode.TalbotBotMoves)
			logits[s.Codes[index(t, s, choices[n])]] = 1
			n++
			return answerOf(logits, q.Codes, 0)
		}}
		got, err := SolvePuzzles(t.Context(), network, encode.TalbotBot{}, puzzleLines(threeRiddle), splits, nil)
		if err != nil || n != len(choices) || slices.Max(network.sizes) > batch {
			t.Fatalf("%d turns in batches of %v, %v", n, network.sizes, err)
		}
		return got
	}
	got := solve(1, nil)
	if got.HeldOut != nil {
		t.Errorf("held out %+v of unknown splits", got.HeldOut)
	}
	for _, c := range []struct {
		splits dataset.Splits
		want   PuzzleScore
	}{{dataset.Splits{Val: 50, Test: 50}, got.PuzzleScore}, {dataset.Splits{Train: 100}, PuzzleScore{}}} {
		if h := solve(100, &c.splits).HeldOut; h == nil || *h != c.want {
			t.Errorf("splits %v: held out %+v", c.splits, h)
		}
	}
	if got.Puzzles != 3 || got.FirstMove != 2.0/3 || got.WholeLine != 1.0/3 {
		t.Errorf("%+v", got.PuzzleScore)
	}
	if r := got.ByRating; r["1200"] != (PuzzleScore{2, 1, 0.5}) || r["unknown"] != (PuzzleScore{1, 0, 0}) {
		t.Errorf("by rating %+v", r)
	}
	if th := got.ByTheme; th["mate"] != (PuzzleScore{2, 0.5, 0.5}) || th["rank"].Puzzles != 1 {
		t.Errorf("by theme %+v", th)
	}
	if got.Mates != 5 || *got.MateInOne != 0.2 {
		t.Errorf("mates %+v", got)
	}
}

// What is no puzzle is counted, nothing but that is an error, and a network without a policy solves none.
func TestNoPuzzles(t *testing.T) {
	network := &asked{capabilities: all, batch: 4}
	_, err := SolvePuzzles(t.Context(), network, encode.TalbotBot{}, puzzleLines("a,no position,a7a6 g1h1,,,,,\n"), nil,
		nil)
	if !errors.Is(err, ErrNoPuzzles) || !strings.Contains(err.Error(), "1 rows") {
		t.Error(err)
	}
	network.capabilities = predict.Capabilities{Value: true}
	if _, err := SolvePuzzles(t.Context(), network, encode.TalbotBot{}, puzzleLines(threeRiddle), nil,
		nil); !errors.Is(err,
		ErrNoPolicy) {
		t.Error(err)
	}
}
