package stats

import (
	"reflect"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/madeup"
)

// positions writes aggregated positions of four bands: 3 samples of the second with 2, 3 and 4 moves, 1 of the last.
func positions(t *testing.T) string {
	t.Helper()
	bands := []dataset.Band{{To: 1500, Elo: 1250}, {From: 1500, To: 2000, Elo: 1750}, {From: 2000, To: 2500, Elo: 2250},
		{From: 2500, Elo: 2750}}
	m := dataset.Manifest{Splits: dataset.DefaultSplits, Inputs: []dataset.Input{{Name: "positions",
		Aggregate: &dataset.Aggregate{Bands: bands}}}}
	var lines []dataset.Line
	start := board.StartPosition()
	black := start.After(board.NewMove(12, 28))
	for _, c := range []struct {
		start board.Position
		elo   int
		move  board.Move
		times float32
	}{{start, 1750, board.NewMove(12, 28), 2}, {start, 1750, board.NewMove(11, 27), 3},
		{black, 1750, board.NewMove(52, 36), 4}, {start, 2750, board.NewMove(12, 28), 9}} {
		l := dataset.Line{Source: dataset.SourceAggregate, Start: c.start, Samples: dataset.LastPosition(),
			Policies: [][]dataset.WeightedMove{{{Move: c.move, Weight: c.times}}}}
		if c.start.Turn() == board.White {
			l.WhiteElo = c.elo
		} else {
			l.BlackElo = c.elo
		}
		lines = append(lines, l)
	}
	return madeup.OneShard(t, m, lines)
}

// TestBands counts samples and moves by band, and shows them as text and as a page.
func TestBands(t *testing.T) {
	s, err := Request{Dir: positions(t), Workers: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Band{{To: 1500, Elo: 1250}, {From: 1500, To: 2000, Elo: 1750, Samples: 3, Moves: 9},
		{From: 2000, To: 2500, Elo: 2250}, {From: 2500, Elo: 2750, Samples: 1, Moves: 9}}
	if !reflect.DeepEqual(s.Bands, want) || s.BySource["aggregate"].Samples != 4 || s.Policies != 4 {
		t.Errorf("%+v", s)
	}
	text, page := written(t, s)
	for _, part := range []string{"by the rating of the side to move", "1500–1999", "from 2500", "3"} {
		if !strings.Contains(text, part) || !strings.Contains(page, part) {
			t.Errorf("%q is not in\n%s\nor not in %s", part, text, page)
		}
	}
	if !strings.Contains(text, "3, 75.0 %") || !strings.Contains(text, "9, 50.0 %") {
		t.Error(text)
	}
}
