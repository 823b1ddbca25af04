package studio

import (
	"encoding/json"
	"math"
	"net/url"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/inspect/review"
	"talbot/internal/testkit"
	"talbot/network/run"
	"talbot/stockfish"
)

// makePrior makes a run of the recipe prior that was not trained.
func makePrior(t *testing.T, dir string) {
	t.Helper()
	makeNetwork(t, dir, 1, "prior", "blocks=1", "filters=4")
}

// analysisOf asks about a position until the answer is whole.
func (s *served) analysisOf(at string, ply int) analysisView {
	s.t.Helper()
	_, query, _ := strings.Cut(at, "?")
	query, _, _ = strings.Cut(query, "#")
	for range 600 {
		status, text := s.ask("GET", "/people/analysis?"+query+"&page=ABCDEFGHIJKLMNOPQRSTUVWXYZ&ply="+
			strconv.Itoa(ply), nil, nil)
		var v analysisView
		if err := json.Unmarshal([]byte(text), &v); status != 200 || err != nil {
			s.t.Fatalf("%d %s", status, text)
		}
		if v.Done {
			return v
		}
		time.Sleep(30 * time.Millisecond)
	}
	s.t.Fatal("the answer is never whole")
	return analysisView{}
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
	dir := t.TempDir()
	makeData(t, filepath.Join(dir, "games"), 3)
	makeRun(t, filepath.Join(dir, "other"), func(*run.Config) {})
	s := serve(t, dir)
	if text := s.has("/people", "--recipe prior"); strings.Contains(text, "<form") {
		t.Errorf("without a run: %s", text)
	}
	makePrior(t, filepath.Join(dir, "people"))
	later()
	const game = "[White \"<script>alert(1)\"]\n[WhiteElo \"2011\"]\n[BlackElo \"2049\"]\n\n" +
		"1. e4 {[%clk 0:01]} e5 2. Qh5 Nc6 3. Bc4 (3. Nf3) Nf6 4. Qxf7# 1-0"
	at := s.to("POST", "/people", url.Values{"pgn": {game}})
	if !strings.Contains(at, "moves=e2e4.e7e5.d1h5.b8c6.f1c4.g8f6.h5f7") || !strings.Contains(at, "elo=2030") {
		t.Error(at)
	}
	s.has(at, `data-elo="2100"`, "Qxf7#", "This run was not trained")
	if v := s.analysisOf(at, 7); v.Over != "Checkmate" || len(v.Moves) != 0 {
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
	s.statuses("/people", map[string]int{"/game?run=" + key + "&moves=e2e5": 422, "/game?run=x": 422,
		"/game?run=" + key + "&fen=x": 422, "/analysis?run=" + key + "&ply=0&page=x": 422,
		"/analysis?run=" + key + "&ply=1&page=ABCDEFGHIJKLMNOPQRSTUVWXYZ": 422, "?data=x&sample=1": 422,
		"/game?run=" + key + "&weigher=" + key:                                       422,
		"/game?run=" + key + "&moves=" + strings.Repeat("g1f3.g8f6.f3g1.f6g8.", 151): 422})
}

// The answer for a position has shares that sum to 1, and without an engine says what is missing.
func TestAnalysis(t *testing.T) {
	dir := t.TempDir()
	makePrior(t, filepath.Join(dir, "people"))
	s := serve(t, dir)
	s.networks.engine = filepath.Join(dir, "no-engine")
	at := s.to("POST", "/people", url.Values{"pgn": {"1. e4 e5"}})
	v := s.analysisOf(at, 1)
	if v.Note == "" || v.Problem != "" || v.Engine != "" || v.Best != "" {
		t.Errorf("%+v", v)
	}
	checkShares(t, v)
	if i := indexOfMove(v, "e7e5"); i < 0 || v.Moves[i].Cost != nil {
		t.Errorf("the move that was played is not shown: %+v", v)
	}
	if len(s.analyses.list) != 1 {
		t.Error("the answer is not kept")
	}
}

func indexOfMove(v analysisView, uci string) int {
	for i, m := range v.Moves {
		if m.UCI == uci {
			return i
		}
	}
	return -1
}

// The networks of a folder named after Maia's say together what players of their ratings play, each its own; others and
// another folder's are left alone.
func TestMaias(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a/maia-1900", "a/maia-900", "a/Maia1100", "b/maia-2200", "a/maia-1500-mine",
		"a/t1"} {
		put(t, leelaFile(t, float32(i)), dir, filepath.FromSlash(name)+".pb.gz")
	}
	s := serve(t, dir)
	s.networks.engine = filepath.Join(dir, "no-engine")
	page := s.has("/people", "Maia 900 1100 1900 in a", "Maia 2200 in b")
	if strings.Contains(page, "t1") || strings.Contains(page, "mine") {
		t.Error(page)
	}
	at := s.to("POST", "/people", url.Values{"pgn": {"[WhiteElo \"1650\"]\n\n1. e4 e5"}})
	if page := s.has(at, `data-elo="1900"`, `data-elo="900"`); strings.Contains(page, "2200") ||
		strings.Contains(page, "--legal-mask") {
		t.Error(page)
	}
	v := s.analysisOf(at, 1)
	if len(v.Rest) != 3 || v.Problem != "" || len(v.Moves) == 0 {
		t.Fatalf("%+v", v)
	}
	for i, name := range []string{"maia-900", "Maia1100", "maia-1900"} {
		n := testkit.Must(s.networks.of(t.Context(), s.library.known[filepath.Join(dir, "a", name+".pb.gz")], nil))
		start := board.StartPosition()
		g := board.NewGame(start, testkit.Must(start.ParseUCI("e2e4")))
		alone := testkit.Must(humanShares(t.Context(), n.evaluator, g, g.Position().LegalMoves(nil), []int{0}))
		for k, m := range g.Position().LegalMoves(nil) {
			if at := indexOfMove(v, m.String()); at >= 0 && math.Abs(v.Moves[at].Shares[i]-alone[0][k]) > 1e-6 {
				t.Errorf("%s by network %d: %g, alone %g", m, i, v.Moves[at].Shares[i], alone[0][k])
			}
		}
	}
	if m := v.Moves[0].Shares; m[0] == m[1] || m[1] == m[2] {
		t.Errorf("all networks say the same: %v", m)
	}
}

func checkShares(t *testing.T, v analysisView) {
	t.Helper()
	for i := range ratings {
		sum := v.Rest[i]
		for _, m := range v.Moves {
			sum += m.Shares[i]
		}
		if math.Abs(sum-1) > 1e-4 {
			t.Errorf("the shares at %d sum to %g", ratings[i], sum)
		}
	}
}

// An engine says what moves cost: a queen that is left to a pawn costs more than what it recommends.
func TestAnalysisCosts(t *testing.T) {
	if _, err := stockfish.Find(""); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	dir := t.TempDir()
	makePrior(t, filepath.Join(dir, "people"))
	s := serve(t, dir)
	at := s.to("POST", "/people", url.Values{"pgn": {"1. e4 e5 2. Qh5 Nc6 3. Qxf7+"}})
	v := s.analysisOf(at, 4)
	checkShares(t, v)
	bad, best := indexOfMove(v, "h5f7"), indexOfMove(v, v.Best)
	if bad < 0 || best < 0 || v.Problem != "" || !strings.HasPrefix(v.Engine, "Stockfish") {
		t.Fatalf("%+v", v)
	}
	if m := v.Moves[bad]; m.Cost == nil || *m.Cost < review.TrapCost || !strings.HasPrefix(m.Score, "-") ||
		!strings.HasPrefix(m.Line, "3. Qxf7+ Kxf7") {
		t.Errorf("%+v", m)
	}
	if m := v.Moves[best]; m.Cost == nil || *m.Cost != 0 {
		t.Errorf("%+v", m)
	}
	// White has no better move than to mate.
	mate := s.to("POST", "/people", url.Values{"pgn": {"1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#"}})
	if v := s.analysisOf(mate, 6); v.Best != "h5f7" || v.Moves[indexOfMove(v, "h5f7")].Score != "#1" {
		t.Errorf("%+v", v)
	}
}

// A run of the recipe probability weighs what people play by the engine's values.
func TestWeighed(t *testing.T) {
	if _, err := stockfish.Find(""); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	dir := t.TempDir()
	makePrior(t, filepath.Join(dir, "people"))
	makeNetwork(t, filepath.Join(dir, "second"), 2, "probability", "hidden=8")
	s := serve(t, dir)
	form := url.Values{"fen": {"7k/8/8/8/8/8/4P3/4K3 w - - 0 1"}}
	alone := s.analysisOf(s.to("POST", "/people", form), 0)
	form.Set("weigher", s.keyOf("second"))
	at := s.to("POST", "/people", form)
	s.has(at, "<bdi>people</bdi> and <bdi>second</bdi>")
	weighed := s.analysisOf(at, 0)
	checkShares(t, weighed)
	if weighed.Weighed != len(ratings) || weighed.Problem != "" || len(weighed.Moves) < 4 ||
		reflect.DeepEqual(weighed.Moves, alone.Moves) {
		t.Errorf("%+v\nalone %+v", weighed, alone)
	}
}

// A page's next question ends the one before, and a page that is closed ends its own.
func TestAnalysisEnds(t *testing.T) {
	dir := t.TempDir()
	makePrior(t, filepath.Join(dir, "people"))
	s := serve(t, dir)
	s.networks.turn <- struct{}{} // nothing is answered
	key := s.keyOf("people")
	ask := func(page string, ply int) (int, *work[analysisView]) {
		status, _ := s.ask("GET", "/people/analysis?run="+key+"&page="+strings.Repeat(page, 26)+
			"&moves=e2e4.e7e5.g1f3.g8f6.f3g1.f6g8.g1f3.g8f6.f3g1.f6g8.g1f3.g8f6.f3g1.f6g8.g1f3.g8f6.f3g1.f6g8&ply="+
			strconv.Itoa(ply), nil, nil)
		s.analyses.mu.Lock()
		defer s.analyses.mu.Unlock()
		return status, s.analyses.list[0]
	}
	ended := func(j *work[analysisView]) bool {
		for begun := time.Now(); time.Since(begun) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
			if j.ended() {
				return true
			}
		}
		return false
	}
	_, first := ask("A", 0)
	_, second := ask("A", 1)
	if first == second || !ended(first) || second.ended() {
		t.Error("the first question is still asked")
	}
	second.mu.Lock()
	second.expiry.Reset(0)
	second.mu.Unlock()
	if !ended(second) {
		t.Error("the question of a closed page is still asked")
	}
	if _, again := ask("A", 1); again == second || again.ended() {
		t.Error("an abandoned question is not asked again")
	}
	for i := range maxRunning {
		want := 200
		if i == maxRunning-1 { // with the one of page A
			want = 422
		}
		if status, _ := ask(string(rune('B'+i)), 2+i); status != want {
			t.Errorf("%d: %d", i, status)
		}
	}
	<-s.networks.turn
}
