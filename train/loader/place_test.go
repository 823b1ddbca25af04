package loader

import (
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
)

func TestPlace(t *testing.T) {
	white, black := board.StartPosition(), board.StartPosition()
	e4, err := black.ParseUCI("e2e4")
	if err != nil {
		t.Fatal(err)
	}
	black.Play(e4)
	tags := func(pairs ...string) (list []dataset.Tag) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, dataset.Tag{Name: pairs[i], Value: pairs[i+1]})
		}
		return list
	}
	set := &Set{Manifest: &dataset.Manifest{Inputs: []dataset.Input{{Name: "a.pgn"}}}}
	for _, c := range []struct {
		line   dataset.Line
		at     board.Position
		game   string
		rating int
	}{
		{dataset.Line{WhiteElo: 2500, BlackElo: 2400,
			Tags: tags("White", "Tal", "Black", "Smyslov", "Date", "1959.09.07")}, white, "Tal – Smyslov, 1959", 2500},
		{dataset.Line{WhiteElo: 2500, BlackElo: 2400, Tags: tags("White", "Tal", "Black", "Smyslov")}, black,
			"Tal – Smyslov", 2400},
		{dataset.Line{Number: 7, Tags: tags("White", "Tal")}, white, "a.pgn, line 7", 0},
		{dataset.Line{Input: 3, Number: 7}, white, "line 7", 0},
		{dataset.Line{Tags: tags("PuzzleId", "00aBc", "PuzzleRating", "1500")}, white, "puzzle 00aBc", 1500},
	} {
		v := visit{line: &c.line}
		c.line.Start, c.line.Samples = c.at, dataset.LastPosition()
		if v.walker.Reset(&c.line); !v.walker.Next() {
			t.Fatal("no sample")
		}
		v.view.Visit(&v.walker, dataset.Counted{})
		if got := set.origin(&v); got.Game != c.game || got.Rating != c.rating || got.Position != c.at {
			t.Errorf("%+v, want %q and %d", got, c.game, c.rating)
		}
	}
}

func TestLink(t *testing.T) {
	for site, want := range map[string]string{
		"https://lichess.org/NRafdioG":            "https://lichess.org/NRafdioG#5",
		"https://lichess.org/NRafdioG/black":      "",
		"https://lichess.org.example.com/NRafdio": "",
		"javascript:alert(1)":                     "",
		"Riga":                                    "",
	} {
		l := dataset.Line{Tags: []dataset.Tag{{Name: "Site", Value: site}}}
		if got := link(&l, 5); got != want {
			t.Errorf("%q: %q, want %q", site, got, want)
		}
	}
	for id, want := range map[string]string{"00aBc": "https://lichess.org/training/00aBc", "../..": "", "own-1": "",
		"a b c": ""} {
		l := dataset.Line{Tags: []dataset.Tag{{Name: rows.TagPuzzleID, Value: id}}}
		if got := link(&l, 5); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
