package studio

import (
	"encoding/json"
	"math"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/network/run"
	"talbot/play/people"
	"talbot/stockfish"
)

// makePrior makes a run of the recipe prior that was not trained.
func makePrior(t *testing.T, dir string) {
	t.Helper()
	makeNetwork(t, dir, 1, "prior", "blocks=1", "filters=4")
}

// readingOf asks about a position until the answer is whole.
func (s *served) readingOf(at string, ply int) readingView {
	s.t.Helper()
	_, query, _ := strings.Cut(at, "?")
	query, _, _ = strings.Cut(query, "#")
	for range 600 {
		status, text := s.ask("GET", "/people/reading?"+query+"&seat=ABCDEFGHIJKLMNOPQRSTUVWXYZ&ply="+strconv.Itoa(ply),
			nil, nil)
		var v readingView
		if err := json.Unmarshal([]byte(text), &v); status != 200 || err != nil {
			s.t.Fatalf("%d %s", status, text)
		}
		if v.Done {
			return v
		}
		time.Sleep(30 * time.Millisecond)
	}
	s.t.Fatal("the answer is never whole")
	return readingView{}
}

// to asks for a page that leads to another one.
func (s *served) to(method, path string, form url.Values) string {
	s.t.Helper()
	r := s.send(method, path, form, nil)
	defer r.Body.Close()
	if r.StatusCode != 303 {
		s.t.Fatalf("%s %s: %d", method, path, r.StatusCode)
	}
	return r.Header.Get("Location")
}

// From a game that is pasted, a position or a sample a person comes to what people would play; without a run of the
// recipe the page says how to make one.
func TestPeople(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	makeData(t, filepath.Join(dir, "games"), 3)
	makeRun(t, filepath.Join(dir, "other"), func(*run.Config) {})
	s := serve(t, dir)
	if status, text := s.ask("GET", "/people", nil, nil); status != 200 || !strings.Contains(text, "--recipe prior") ||
		strings.Contains(text, "<form") {
		t.Errorf("without a run: %d %s", status, text)
	}
	makePrior(t, filepath.Join(dir, "people"))
	later()
	const game = "[White \"<script>alert(1)\"]\n[WhiteElo \"2011\"]\n[BlackElo \"2049\"]\n\n" +
		"1. e4 {[%clk 0:01]} e5 2. Qh5 Nc6 3. Bc4 (3. Nf3) Nf6 4. Qxf7# 1-0"
	at := s.to("POST", "/people", url.Values{"pgn": {game}})
	if !strings.Contains(at, "moves=e2e4.e7e5.d1h5.b8c6.f1c4.g8f6.h5f7") || !strings.Contains(at, "elo=2030") {
		t.Error(at)
	}
	status, text := s.ask("GET", at, nil, nil)
	if status != 200 || strings.Contains(text, "<script>alert") || !strings.Contains(text, `data-elo="2100"`) ||
		!strings.Contains(text, "Qxf7#") {
		t.Errorf("%d %s", status, text)
	}
	if v := s.readingOf(at, 7); v.Over != "Checkmate" || len(v.Moves) != 0 {
		t.Errorf("%+v", v)
	}
	if at := s.to("GET", "/people?data="+s.key(aDataset)+"&sample=6", nil); !strings.HasSuffix(at, "#ply=2") ||
		!strings.Contains(at, "moves=e2e4.e7e5.g1f3.b8c6") || !strings.Contains(at, "white=Anna+1") {
		t.Error(at)
	}
	for _, form := range []url.Values{{"fen": {"8/8/8/8/8/8/8/8 w - - 0 1"}}, {"pgn": {"1. e5"}}, {"pgn": {"nonsense"}},
		{"pgn": {game}, "fen": {"x"}}, {"run": {"../../etc/passwd"}}, {"run": {s.keyOf("other")}},
		{"pgn": {"[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4"}}} {
		status, text := s.ask("POST", "/people", form, nil)
		if status != 422 || !strings.Contains(text, `class="error"`) || strings.Contains(text, dir) {
			t.Errorf("%v: %d %s", form, status, text)
		}
	}
	key := s.keyOf("people")
	for _, path := range []string{"/people/game?run=" + key + "&moves=e2e5", "/people/game?run=x",
		"/people/game?run=" + key + "&fen=x", "/people/reading?run=" + key + "&ply=0&seat=x",
		"/people/reading?run=" + key + "&ply=1&seat=ABCDEFGHIJKLMNOPQRSTUVWXYZ", "/people?data=x&sample=1",
		"/people/game?run=" + key + "&weigher=" + key,
		"/people/game?run=" + key + "&moves=" + strings.Repeat("g1f3.g8f6.f3g1.f6g8.", 151)} {
		if status, _ := s.ask("GET", path, nil, nil); status != 422 {
			t.Errorf("%.80s: %d", path, status)
		}
	}
}

// The answer for a position has shares that sum to 1, and without an engine says what is missing.
func TestReading(t *testing.T) {
	dir := t.TempDir()
	makePrior(t, filepath.Join(dir, "people"))
	s := serve(t, dir)
	s.readings.engine = filepath.Join(dir, "no-engine")
	at := s.to("POST", "/people", url.Values{"pgn": {"1. e4 e5"}})
	v := s.readingOf(at, 1)
	if v.Note == "" || v.Problem != "" || v.Engine != "" || v.Best != "" {
		t.Errorf("%+v", v)
	}
	checkShares(t, v)
	if i := indexOfMove(v, "e7e5"); i < 0 || v.Moves[i].Cost != nil {
		t.Errorf("the move that was played is not shown: %+v", v)
	}
	if len(s.readings.known) != 1 {
		t.Error("the answer is not kept")
	}
}

func indexOfMove(v readingView, uci string) int {
	for i, m := range v.Moves {
		if m.UCI == uci {
			return i
		}
	}
	return -1
}

func checkShares(t *testing.T, v readingView) {
	t.Helper()
	for i := range people.Ratings() {
		sum := v.Rest[i]
		for _, m := range v.Moves {
			sum += m.Shares[i]
		}
		if math.Abs(sum-1) > 1e-4 {
			t.Errorf("the shares at %d sum to %g", v.Ratings[i], sum)
		}
	}
}

// An engine says what moves cost: a queen that is left to a pawn costs more than what it recommends.
func TestReadingCosts(t *testing.T) {
	if _, err := stockfish.Find(""); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	dir := t.TempDir()
	makePrior(t, filepath.Join(dir, "people"))
	s := serve(t, dir)
	at := s.to("POST", "/people", url.Values{"pgn": {"1. e4 e5 2. Qh5 Nc6 3. Qxf7+"}})
	v := s.readingOf(at, 4)
	checkShares(t, v)
	bad, best := indexOfMove(v, "h5f7"), indexOfMove(v, v.Best)
	if bad < 0 || best < 0 || v.Problem != "" || !strings.HasPrefix(v.Engine, "Stockfish") {
		t.Fatalf("%+v", v)
	}
	if m := v.Moves[bad]; m.Cost == nil || *m.Cost < people.Loses || !strings.HasPrefix(m.Score, "-") ||
		!strings.HasPrefix(m.Line, "3. Qxf7+ Kxf7") {
		t.Errorf("%+v", m)
	}
	if m := v.Moves[best]; m.Cost == nil || *m.Cost != 0 {
		t.Errorf("%+v", m)
	}
	// White has no better move than to mate.
	mate := s.to("POST", "/people", url.Values{"pgn": {"1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#"}})
	if v := s.readingOf(mate, 6); v.Best != "h5f7" || v.Moves[indexOfMove(v, "h5f7")].Score != "#1" {
		t.Errorf("%+v", v)
	}
}

// A page's next question ends the one before, and a page that is closed ends its own.
func TestReadingEnds(t *testing.T) {
	dir := t.TempDir()
	makePrior(t, filepath.Join(dir, "people"))
	s := serve(t, dir)
	s.readings.turn <- struct{}{} // nothing is answered
	const ask = "/people/reading?seat=ABCDEFGHIJKLMNOPQRSTUVWXYZ&moves=e2e4.e7e5&run="
	ended := func(one *asked) bool {
		select {
		case <-one.ended:
			return true
		case <-time.After(10 * time.Second):
			return false
		}
	}
	key := s.keyOf("people")
	of := func() *asked {
		s.readings.mu.Lock()
		defer s.readings.mu.Unlock()
		return s.readings.asked["ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
	}
	s.ask("GET", ask+key+"&ply=0", nil, nil)
	first := of()
	s.ask("GET", ask+key+"&ply=1", nil, nil)
	second := of()
	if first == second || !ended(first) {
		t.Error("the first question is still asked")
	}
	second.mu.Lock()
	second.asked = time.Now().Add(-gone)
	second.mu.Unlock()
	if !ended(second) || of() != nil {
		t.Error("the question of a closed page is still asked")
	}
	for i := range maxPeopleSeats + 1 {
		seat := strings.Repeat(string(rune('A'+i)), 26)
		want := 200
		if i == maxPeopleSeats {
			want = 422
		}
		if status, text := s.ask("GET", "/people/reading?ply=0&run="+key+"&seat="+seat, nil, nil); status != want {
			t.Errorf("%d: %d %s", i, status, text)
		}
	}
	<-s.readings.turn
}
