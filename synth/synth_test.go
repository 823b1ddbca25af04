package synth

import (
	"math"
	"reflect"
	"testing"

	"github.com/notnil/chess"

	"talbot/board"
	"talbot/dataset"
)

// TestDraw replays every history with an independent rules library.
func TestDraw(t *testing.T) {
	c := Config{Seed: 1, Fewest: 3, MostPieces: 7}
	rejects := map[dataset.Reason]int64{}
	counts := map[int]int{}
	turns := map[board.Color]int{}
	const n = 2000
	for i := range int64(n) {
		line := c.Draw(i+1, rejects)
		if err := line.Check(); err != nil {
			t.Fatal(err)
		}
		fen, err := chess.FEN(line.Start.FEN())
		if err != nil {
			t.Fatalf("%s: %v", line.Start.FEN(), err)
		}
		game := chess.NewGame(fen)
		p := line.Start
		for _, m := range line.Moves {
			move, err := chess.UCINotation{}.Decode(game.Position(), m.String())
			if err != nil {
				t.Fatal(err)
			}
			if err := game.Move(move); err != nil {
				t.Fatalf("%s: %v: %v", p.FEN(), m, err)
			}
			p.Play(m)
		}
		if game.Position().Board().String() != (func() string { f, _ := chess.FEN(p.FEN()); return chess.NewGame(f).Position().Board().String() })() {
			t.Fatalf("replay gives another board than %s", p.FEN())
		}
		if game.Position().Status() != chess.NoMethod {
			t.Errorf("%s is over: %v", p.FEN(), game.Position().Status())
		}
		if len(line.Moves) != Plies || line.Invented != Plies || line.SampleCount() != 1 || !line.Samples.Has(Plies, Plies) {
			t.Fatalf("line %d has %d moves, %d invented", i, len(line.Moves), line.Invented)
		}
		counts[p.Occupied().Len()]++
		turns[p.Turn()]++
	}
	for pieces := 3; pieces <= 7; pieces++ {
		// Five standard deviations of a binomial.
		if d := math.Abs(float64(counts[pieces]) - n/5); d > 5*math.Sqrt(n*0.2*0.8) {
			t.Errorf("%d of %d endgames have %d pieces", counts[pieces], n, pieces)
		}
	}
	if d := math.Abs(float64(turns[board.White]) - n/2); d > 5*math.Sqrt(n*0.25) {
		t.Errorf("White is to move in %d of %d", turns[board.White], n)
	}
	for _, reason := range []dataset.Reason{IllegalPlacement, Dead, GameOver, Captured} {
		if rejects[reason] == 0 {
			t.Errorf("no attempt was rejected as %s: %v", reason, rejects)
		}
	}
}

func TestDrawIsPure(t *testing.T) {
	c := Config{Seed: 7, Fewest: 4, MostPieces: 5}
	a, b := map[dataset.Reason]int64{}, map[dataset.Reason]int64{}
	first := c.Draw(42, a)
	c.Draw(41, map[dataset.Reason]int64{})
	if second := c.Draw(42, b); !reflect.DeepEqual(first, second) || !reflect.DeepEqual(a, b) {
		t.Error("the same draw differs")
	}
	other := Config{Seed: 8, Fewest: 4, MostPieces: 5}.Draw(42, b)
	if other.Start == first.Start {
		t.Error("another seed draws the same endgame")
	}
}

func TestParsePieces(t *testing.T) {
	for s, want := range map[string][2]int{"3-7": {3, 7}, "5": {5, 5}, "4-4": {4, 4}} {
		if lo, hi, err := ParsePieces(s); err != nil || lo != want[0] || hi != want[1] {
			t.Errorf("%q: %d-%d, %v", s, lo, hi, err)
		}
	}
	for _, s := range []string{"", "2-7", "3-8", "7-3", "x", "3-", "-3", "3-7-8"} {
		if _, _, err := ParsePieces(s); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	c := Config{Seed: 1, Fewest: 3, MostPieces: 7}
	rejects := map[dataset.Reason]int64{}
	for i := int64(0); b.Loop(); i++ {
		c.Draw(i, rejects)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "endgames/s")
}
