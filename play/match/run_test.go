package match

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/testkit"
	"talbot/play/match/stats"
)

// TestSameGames: the same match is the same text and the same figures, however many games are played at once.
func TestSameGames(t *testing.T) {
	var first []byte
	var figures string
	for _, concurrency := range []int{1, 2, 7} {
		m := testMatch(t, 24, fakeEntrant(t, "good:1"), randomEntrant(), fakeEntrant(t, "good:2"))
		m.Concurrency = concurrency
		r := runMatch(t, m)
		text := undated(t, r.PGN)
		if r.Games != 48 || bytes.Count(text, []byte("[Event ")) != 48 {
			t.Fatalf("%d games, %d in the PGN", r.Games, bytes.Count(text, []byte("[Event ")))
		}
		now := asJSON([]any{r.Figures, r.Faults, r.Endings, r.Ratings})
		if first == nil {
			first, figures = text, now
		}
		if !bytes.Equal(text, first) || now != figures {
			t.Errorf("%d games at a time give others:\n%s\n%s", concurrency, now, figures)
		}
	}
}

// undated is a PGN without dates.
func undated(t testing.TB, path string) []byte {
	t.Helper()
	text := testkit.Must(os.ReadFile(path))
	return dateTag.ReplaceAll(text, nil)
}

// TestColours: of each pair one game has each colour, both begin with the same opening, and no other pair has that.
func TestColours(t *testing.T) {
	m := testMatch(t, 12, randomEntrant(), randomEntrant(), randomEntrant())
	r := runMatch(t, m)
	if r.Games != 24 {
		t.Fatalf("%d games", r.Games)
	}
	seen := map[string]int{}
	for number, game := range journalGames(t, m) {
		opponent := 1 + number/2%2
		want := [2]int{0, opponent}
		if number%2 == 1 {
			want = [2]int{opponent, 0}
		}
		if game.Players != want {
			t.Errorf("game %d is played by %v, should be %v", number, game.Players, want)
		}
		opening := ""
		for _, p := range game.Plies[:game.Book] {
			opening += p.Move.String()
		}
		if pair, again := seen[opening]; again && pair != number/2 {
			t.Errorf("pairs %d and %d have the opening %s", pair, number/2, opening)
		}
		seen[opening] = number / 2
	}
	if len(seen) != 12 {
		t.Errorf("%d openings in 12 pairs", len(seen))
	}
}

// journalGames are the games in the journal of a match that has ended. One that is there twice fails the test.
func journalGames(t testing.TB, m *Match) []*Record {
	t.Helper()
	path := filepath.Join(m.Out, JournalFile)
	var j journal
	testkit.OK(t, readJournal(path, math.MaxInt64, &j))
	text := testkit.Must(os.ReadFile(path))
	records := -1 // without the header
	for r := durable.NewRecordReader(bytes.NewReader(text)); ; records++ {
		record, _, _, err := r.Next(func([]byte) bool { return true })
		if testkit.OK(t, err); record == nil {
			break
		}
	}
	if records != j.ended || len(j.outcomes) > m.total() {
		t.Errorf("%d records, %d games of up to %d", records, j.ended, len(j.outcomes))
	}
	games := make([]*Record, m.total())
	for number, o := range j.outcomes {
		if o != nil {
			games[number] = testkit.Must(j.game(bytes.NewReader(text), number))
		}
	}
	return games
}

// TestSPRTStops: a test stops the match at the same pair however many games are played at once, and its figures are
// those of the games up to there.
func TestSPRTStops(t *testing.T) {
	var first string
	for _, concurrency := range []int{1, 6} {
		m := testMatch(t, 400, fakeEntrant(t, "good:1"), fakeEntrant(t, "crash:6"))
		m.Concurrency = concurrency
		m.SPRT = &stats.SPRT{Model: stats.LogisticModel, Low: 0, High: 100, Alpha: 0.05, Beta: 0.05}
		r := runMatch(t, m)
		if r.SPRT.Decision != "accepted" || r.LLR == nil || float64(*r.LLR) < r.SPRT.Limits[1] || r.Games >= 100 ||
			r.Games%2 != 0 {
			t.Fatalf("%+v after %d games", r.SPRT, r.Games)
		}
		if want := m.SPRT.LLR(r.Pentanomial.Outcomes()); math.Abs(want-float64(*r.LLR)) > 1e-9 {
			t.Errorf("ratio %v, should be %v", *r.LLR, want)
		}
		now := asJSON(r.Figures) + string(undated(t, r.PGN))
		if first == "" {
			first = now
		}
		if now != first {
			t.Errorf("with %d games at a time it is another match", concurrency)
		}
	}
}

// TestIdentical: games that are the same are counted, and left out of the figures.
func TestIdentical(t *testing.T) {
	m := testMatch(t, 20, fakeEntrant(t, "good:1"), fakeEntrant(t, "good:1"))
	r := runMatch(t, m) // both games of each pair are the same, with the colours exchanged
	if r.Games != 20 || r.Identical != 0 || r.Mirrored != 10 || r.Wins+r.Draws+r.Losses != 20 ||
		r.Pentanomial[2] != 10 || r.Unpaired != 0 || r.Score != 0.5 || r.Elo != 0 {
		t.Errorf("%+v", r.Figures)
	}
	if m.Entrants[0].Name == m.Entrants[1].Name {
		t.Errorf("both players are called %q", m.Entrants[0].Name)
	}
}

// TestGauntletRatings: anchors' ratings come back, and the player's is on their scale.
func TestGauntletRatings(t *testing.T) {
	known := []float64{1500, 1600}
	anchors := []Entrant{randomEntrant(), randomEntrant()}
	for i := range anchors {
		anchors[i].Rating, anchors[i].Error = &known[i], 50
	}
	m := testMatch(t, 60, fakeEntrant(t, "good:1"), anchors[0], anchors[1], randomEntrant())
	m.Rules.MaxMoves = 0
	r := runMatch(t, m)
	if len(r.Ratings) != 4 || r.Ratings[0].Games != 180 {
		t.Fatalf("%+v", r.Ratings)
	}
	player := r.Ratings[0]
	if player.Rating < 1400 || player.Rating > 1700 || *player.FromAnchors < 30 || player.Low >= player.High {
		t.Errorf("player: %+v", player)
	}
	for i, a := range r.Ratings[1:3] {
		if float64(a.Rating) != known[i] || !a.Anchor || !a.Counted || a.Performance == nil {
			t.Errorf("anchor: %+v", a)
		}
	}
	other := r.Ratings[3]
	if other.Anchor || other.Rating != player.Rating-other.Versus.Elo {
		t.Errorf("an opponent without rating: %+v", other)
	}
	elo := other.Versus
	for _, c := range [][3]Number{
		{other.Rating - other.Low, elo.EloHigh - elo.Elo, player.Rating - player.Low},
		{other.High - other.Rating, elo.Elo - elo.EloLow, player.High - player.Rating},
	} {
		if math.Abs(float64(c[0]*c[0]-c[1]*c[1]-c[2]*c[2])) > 1e-6*float64(c[0]*c[0]) {
			t.Errorf("errors %v of an opponent without rating: the first is not of both others", c)
		}
	}
}

// TestRatingOfTwo: a match of two gives a rating too if that of the second player is known.
func TestRatingOfTwo(t *testing.T) {
	known := 1500.0
	anchor := randomEntrant()
	anchor.Rating = &known
	m := testMatch(t, 40, randomEntrant(), anchor)
	r := runMatch(t, m)
	if len(r.Ratings) != 2 || math.Abs(float64(r.Ratings[0].Rating-1500-r.Elo)) > 1 {
		t.Errorf("Elo %v, ratings %+v", r.Elo, r.Ratings)
	}
	if r := runMatch(t, testMatch(t, 2, randomEntrant(), randomEntrant())); r.Ratings != nil {
		t.Errorf("without a known rating: %+v", r.Ratings)
	}
}

func TestMatchCheck(t *testing.T) {
	good := testMatch(t, 2, randomEntrant(), randomEntrant())
	bad := map[string]func(*Match){
		"one player":    func(m *Match) { m.Entrants = m.Entrants[:1] },
		"three players": func(m *Match) { m.Entrants = append(m.Entrants, randomEntrant()) },
		"odd games":     func(m *Match) { m.Games = 3 },
		"no games":      func(m *Match) { m.Games = 0 },
		"no openings":   func(m *Match) { m.Games = 4 },
		"no workers":    func(m *Match) { m.Concurrency = 0 },
		"margin":        func(m *Match) { m.Margin = -1 },
		"max moves":     func(m *Match) { m.Rules.MaxMoves = -1 },
		"resign":        func(m *Match) { m.Rules.Resign = &ResignRule{} },
		"draw":          func(m *Match) { m.Rules.Draw = &DrawRule{} },
		"judge":         func(m *Match) { m.Rules.Judge = &Judge{} },
		"judge's clock": func(m *Match) {
			m.Rules.Judge = &Judge{Entrant: randomEntrant(), Every: 1, Score: 1}
			m.Rules.Judge.Limits = Limits{Control: TimeControl{Base: time.Minute}}
		},
		"judge's rating": func(m *Match) {
			m.Rules.Judge = &Judge{Entrant: randomEntrant(), Every: 1, Score: 1}
			m.Rules.Judge.Rating = new(float64)
		},
		"test": func(m *Match) { m.SPRT = &stats.SPRT{} },
		"gauntlet test": func(m *Match) {
			m.Gauntlet, m.SPRT = true, &stats.SPRT{High: 5, Alpha: .05, Beta: .05}
		},
		"folder":       func(m *Match) { m.Out = "" },
		"first rating": func(m *Match) { m.Entrants[0].Rating = new(float64) },
	}
	testkit.OK(t, good.Check())
	for what, f := range bad {
		m := *good
		m.Entrants = append([]Entrant(nil), good.Entrants...)
		if f(&m); m.Check() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestStockfish: games of the real engine under a limit of nodes are the same, however many are played at once.
func TestStockfish(t *testing.T) {
	spec := testkit.Must(ParsePlayer("cmd:stockfish,nodes=2000,option.Hash=1"))
	e, err := Enter(context.Background(), spec, Limits{}, nil)
	if err != nil {
		t.Skipf("SKIPPED: no Stockfish: %v", err)
	}
	if !strings.HasPrefix(e.Name, "Stockfish") {
		t.Errorf("it is called %q", e.Name)
	}
	other := e
	other.Limits.Nodes = 1000
	var first []byte
	for _, concurrency := range []int{1, 2} {
		m := testMatch(t, 8, e, other)
		m.Concurrency, m.Rules.MaxMoves, m.Patience = concurrency, 0, time.Minute
		r := runMatch(t, m)
		if len(r.Faults) > 0 {
			t.Errorf("faults: %v", r.Faults)
		}
		text := undated(t, r.PGN)
		if first == nil {
			first = text
		}
		if !bytes.Equal(text, first) {
			t.Errorf("%d games at a time are others", concurrency)
		}
		for _, game := range journalGames(t, m) {
			for i, p := range game.Plies[game.Book:] {
				if !p.Scored || p.Depth == 0 || p.Nodes == 0 || p.Time == 0 {
					t.Fatalf("game %d, ply %d: %+v", game.Number, game.Book+i, p)
				}
			}
			if game.Result == dataset.ResultUnknown {
				t.Errorf("game %d has no result", game.Number)
			}
		}
	}
}
