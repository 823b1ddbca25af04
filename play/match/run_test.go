package match

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
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
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
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
	f, err := os.Open(filepath.Join(m.Out, journalFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	games := make([]*Record, m.total())
	found, err := scanJournal(f, func(_ []byte, _ int64, r *Record) error {
		if r.Number >= len(games) || games[r.Number] != nil {
			t.Errorf("game %d is there twice, or is none of the match", r.Number)
			return nil
		}
		games[r.Number] = r
		return nil
	})
	if err != nil || found.damaged > 0 {
		t.Fatalf("journal: %+v, %v", found, err)
	}
	return games
}

// TestKilled: a match that is killed again and again, and its journal with it, goes on until it is the same as one that
// was not; no game is lost and none is there twice.
func TestKilled(t *testing.T) {
	const games, kills = 240, 20
	whole := childMatch(t.TempDir()+"/whole", games)
	want := runMatch(t, whole)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/killed"
	path := filepath.Join(dir, journalFile)
	killed := 0
	for n := range kills {
		child := exec.Command(self, asMatch, dir, strconv.Itoa(games))
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		// Let it play a few games, or none.
		before, deadline := sizeOf(path), time.Now().Add(20*time.Second)
		for n%5 > 0 && sizeOf(path) < before+int64(n%5)*4000 && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(n%3) * time.Millisecond)
		_ = child.Process.Kill()
		if err := child.Wait(); err != nil {
			killed++
		}
	}
	if killed < kills/2 {
		t.Fatalf("only %d of %d processes were killed before their end", killed, kills)
	}
	t.Logf("%d of %d processes were killed before their end", killed, kills)
	if left := fakes(t, func(parent int) bool { return parent != os.Getpid() }); left != "" && runtime.GOOS == "linux" {
		t.Errorf("engines outlived those who started them: %s", left)
	}
	again := childMatch(dir, games)
	r := runMatch(t, again)
	if r.Resumed == 0 {
		t.Error("nothing was left to take up")
	}
	for number, game := range journalGames(t, again) {
		if game == nil {
			t.Errorf("game %d is lost", number)
		}
	}
	if !bytes.Equal(undated(t, r.PGN), undated(t, want.PGN)) {
		t.Error("the games are others than those of a match that was not killed")
	}
	if got, want := asJSON(r.Figures), asJSON(want.Figures); got != want {
		t.Errorf("figures\n%s, should be\n%s", got, want)
	}
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// TestInterrupted: at the end of the first context games are played to their end, at that of the second they are given
// up; the match goes on where it was, and more games can be added to it.
func TestInterrupted(t *testing.T) {
	for _, gentle := range []bool{true, false} {
		m := testMatch(t, 200, fakeEntrant(t, "good:1"), randomEntrant())
		drain, stop := context.WithCancel(context.Background())
		hard, abort := context.WithCancel(context.Background())
		m.Progress = func(p Progress) {
			if p.Games == 9 {
				if stop(); !gentle {
					abort()
				}
			}
		}
		r, err := m.Run(drain, hard)
		if !errors.Is(err, context.Canceled) || r.Games < 9 || r.Games > 11 {
			t.Fatalf("gentle %v: %d games, %v", gentle, r.Games, err)
		}
		if n := bytes.Count(undated(t, r.PGN), []byte("[Event ")); n != r.Games {
			t.Errorf("%d games, %d in the PGN", r.Games, n)
		}
		m.Progress, m.Games = nil, 20
		if _, err := m.Run(context.Background(), hard); !errors.Is(err, ErrExists) {
			t.Errorf("without Resume: %v", err)
		}
		m.Resume = true
		more := runMatch(t, m)
		if more.Games != 20 || more.Resumed != r.Games {
			t.Errorf("gentle %v: %d games, %d of them from before; there were %d", gentle, more.Games, more.Resumed,
				r.Games)
		}
		abort()
		stop()
	}
}

// TestOtherMatch: what decides the games cannot change when a match is taken up again.
func TestOtherMatch(t *testing.T) {
	m := testMatch(t, 4, fakeEntrant(t, "good:1"), randomEntrant())
	runMatch(t, m)
	change := map[string]func(*Match){
		"seed":     func(m *Match) { m.Seed++ },
		"limit":    func(m *Match) { m.Entrants[0].Limits.Nodes++ },
		"identity": func(m *Match) { m.Entrants[0].Identity += "x" },
		"rules":    func(m *Match) { m.Rules.MaxMoves++ },
		"margin":   func(m *Match) { m.Margin++ },
		"openings": func(m *Match) { m.Openings.Shuffle(1) },
	}
	for what, f := range change {
		other := *m
		other.Entrants = append([]Entrant(nil), m.Entrants...)
		other.Openings = &Openings{List: append([]Opening(nil), m.Openings.List...)}
		other.Resume = true
		if f(&other); what == "openings" {
			other.Openings.List[0], other.Openings.List[1] = m.Openings.List[1], m.Openings.List[0]
		}
		if _, err := other.Run(context.Background(), context.Background()); !errors.Is(err, ErrOther) {
			t.Errorf("another %s: %v", what, err)
		}
	}
}

func TestFolder(t *testing.T) {
	m := testMatch(t, 2, randomEntrant(), randomEntrant())
	if err := os.MkdirAll(m.Out, 0o777); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(m.Out, "thesis.tex")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(context.Background(), context.Background()); !errors.Is(err, ErrOccupied) {
		t.Errorf("a folder with something else: %v", err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	lock, err := durable.Lock(filepath.Join(m.Out, lockFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(context.Background(), context.Background()); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a folder that is locked: %v", err)
	}
	lock.Close()
	runMatch(t, m)
}

// TestWriteFails: whichever step of writing fails, the match says so, or is whole; taken up again it is whole.
func TestWriteFails(t *testing.T) {
	failure := errors.New("disk on fire")
	for step := 0; ; step++ {
		m := testMatch(t, 6, randomEntrant(), randomEntrant())
		n := 0
		var mu sync.Mutex
		durable.InjectFaults(t, func(op, _ string) error {
			mu.Lock()
			defer mu.Unlock()
			if n++; n-1 == step {
				return failure
			}
			return nil
		})
		_, err := m.Run(context.Background(), context.Background())
		durable.InjectFaults(t, nil)
		if n <= step {
			if step < 8 {
				t.Errorf("only %d steps of writing", step)
			}
			break
		}
		if err != nil && !errors.Is(err, failure) {
			t.Errorf("step %d: %v", step, err)
		}
		m.Resume = true
		r := runMatch(t, m)
		if r.Games != 6 || bytes.Count(undated(t, r.PGN), []byte("[Event ")) != 6 {
			t.Errorf("step %d: %d games", step, r.Games)
		}
		journalGames(t, m)
	}
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
	r := runMatch(t, m) // both games of each pair are the same
	if r.Games != 20 || r.Identical != 10 || r.Wins+r.Draws+r.Losses != 10 || r.Pentanomial.Pairs() != 0 ||
		r.Unpaired != 10 {
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
		"test":          func(m *Match) { m.SPRT = &stats.SPRT{} },
		"gauntlet test": func(m *Match) {
			m.Gauntlet, m.SPRT = true, &stats.SPRT{High: 5, Alpha: .05, Beta: .05}
		},
		"folder": func(m *Match) { m.Out = "" },
	}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for what, f := range bad {
		m := *good
		m.Entrants = append([]Entrant(nil), good.Entrants...)
		if f(&m); m.Check() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestRandomIsUniform: the random mover draws every legal move as often, and the same ones for the same seed.
func TestRandomIsUniform(t *testing.T) {
	game := board.NewGame(board.StartPosition())
	const draws = 20_000
	counts := map[board.Move]int{}
	var p, q Random
	for i := range uint64(draws) {
		p.NewGame(context.Background(), i)
		q.NewGame(context.Background(), i)
		a, _ := p.Move(context.Background(), &Request{Game: game})
		b, _ := q.Move(context.Background(), &Request{Game: game})
		if a.Move != b.Move {
			t.Fatalf("seed %d: %v and %v", i, a.Move, b.Move)
		}
		counts[a.Move]++
	}
	square := 0.0
	for _, n := range counts {
		d := float64(n) - draws/20
		square += d * d / (draws / 20)
	}
	if len(counts) != 20 || square > 60 { // 19 degrees of freedom: once in 200,000
		t.Errorf("%d moves, chi square %.1f: %v", len(counts), square, counts)
	}
}

// TestStockfish: games of the real engine under a limit of nodes are the same, however many are played at once.
func TestStockfish(t *testing.T) {
	spec, err := ParsePlayer("cmd:stockfish,nodes=2000,option.Hash=1")
	if err != nil {
		t.Fatal(err)
	}
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
