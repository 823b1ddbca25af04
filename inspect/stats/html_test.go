package stats

import (
	"math/rand/v2"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/chart/pagetest"
	"talbot/internal/testkit/madeup"
)

// The page is well formed and loads nothing, whatever the dataset holds and however its players are called.
func TestPage(t *testing.T) {
	h := pagetest.Hostile
	rng := rand.New(rand.NewPCG(5, 6))
	games := gamesOf(rng, 400, 20)
	for i := range games {
		l := &games[i]
		l.WhiteElo, l.BlackElo = 600+rng.IntN(2200), 600+rng.IntN(2200)
		l.Tags = []dataset.Tag{{Name: "Black", Value: "Übel, שלום"}, {Name: "Date", Value: "2021.10.01"},
			{Name: "TimeControl", Value: "180+2"}, {Name: "White", Value: "Tal, M"}}
	}
	start := board.StartPosition()
	first := start.LegalMoves(nil)[:3]
	hostile := gamesOf(rng, 3, 1)
	for i := range hostile {
		hostile[i].Moves = []board.Move{first[i]}
		hostile[i].Tags = []dataset.Tag{{Name: "Black", Value: h}, {Name: "Date", Value: h},
			{Name: "TimeControl", Value: h},
			{Name: "White", Value: h}}
	}
	puzzle := madeup.Lines(t)[1]
	puzzle.Tags = []dataset.Tag{{Name: "PuzzleId", Value: h}}
	for name, c := range map[string]struct {
		lines []dataset.Line
		says  []string
	}{
		"empty":   {nil, []string{"0"}},
		"small":   {madeup.Lines(t), []string{"Tal, M – Übel", "#3", "Stockfish 15.1, movetime 20", "KQvK"}},
		"games":   {games, []string{"Openings", "Tal, M – Übel, שלום, 2021", "Time controls", "blitz", "Ratings"}},
		"hostile": {append(hostile, puzzle), []string{"&lt;script&gt;", `\u202egnp.exe`}},
	} {
		s, err := Request{Dir: madeup.Dataset(t, c.lines, 100), Unique: true}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Labels {
			if name == "hostile" {
				s.Labels[i].Engine, s.Labels[i].Build, s.Labels[i].Limit = h, h, h
			}
		}
		title := "<data & co>"
		if name == "hostile" {
			title = h
		}
		result := s.Page(title)
		var page strings.Builder
		if err := result.WriteHTML(&page); err != nil {
			t.Fatal(err)
		}
		pagetest.Check(t, page.String(), 0)
		if page.Len() > 300_000 {
			t.Errorf("%s: a page of %d bytes", name, page.Len())
		}
		for _, want := range c.says {
			if !strings.Contains(page.String(), want) {
				t.Errorf("%s: the page lacks %q", name, want)
			}
		}
		if n := strings.Count(page.String(), `<article class="card drawn"`); n != min(len(c.lines), examples) {
			t.Errorf("%s: %d boards of %d lines", name, n, len(c.lines))
		}
	}
}

// written returns the statistics as text and as a page.
func written(t *testing.T, s *Statistics) (text, page string) {
	t.Helper()
	result := s.Page("data")
	var b strings.Builder
	if err := result.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return result.Text(), b.String()
}
