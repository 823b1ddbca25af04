package studio

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/network/builtin"
	"talbot/play/engine"
	"talbot/play/mcts"
	"talbot/play/player"
	"talbot/play/session"
)

// served is a studio over a folder, with a browser's cookie.
type served struct {
	*Server
	t      *testing.T
	at     *httptest.Server
	cookie *http.Cookie
}

func serve(t *testing.T, dir string) *served {
	t.Helper()
	s, err := New(Options{Dirs: []string{dir}, Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	at := httptest.NewServer(s.Handler())
	t.Cleanup(func() { at.Close(); s.Close() })
	return &served{s, t, at, &http.Cookie{Name: s.guard.cookie, Value: s.guard.secret}}
}

// ask sends a request as the browser does, after change, and returns status and text.
func (s *served) ask(method, path string, form url.Values, change func(*http.Request)) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.at.URL, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.URL.Opaque = path // as it is
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", s.at.URL)
	}
	r.AddCookie(s.cookie)
	if change != nil {
		change(r)
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := c.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if strings.Contains(string(text), "root:x:0") {
		s.t.Errorf("%s %s gives /etc/passwd", method, path)
	}
	return answer.StatusCode, string(text)
}

// Only a browser with the cookie, that asks for this machine from a page of ours, is answered.
func TestGuard(t *testing.T) {
	s := serve(t, t.TempDir())
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for _, c := range []struct {
		method, path string
		change       func(*http.Request)
		status       int
	}{
		{"GET", "/", nil, 200},
		{"GET", "/static/play.js", nil, 200},
		{"GET", "/", header("Cookie", ""), 401},
		{"GET", "/static/play.js", header("Cookie", ""), 401},
		{"GET", "/", header("Cookie", s.guard.cookie+"=wrong"), 401},
		{"GET", "/?token=wrong", nil, 401},
		{"GET", "/?token=" + s.guard.token, header("Cookie", ""), 303},
		{"GET", "/", host("evil.example"), 421},
		{"GET", "/", host("127.0.0.1.evil.example:80"), 421},
		{"GET", "/?token=" + s.guard.token, host("evil.example"), 421},
		{"GET", "/", host("localhost:1"), 200},
		{"GET", "/", host("[::1]:9999"), 200},
		{"GET", "/list", header("Origin", "http://evil.example"), 403},
		{"GET", "/list", header("Sec-Fetch-Site", "cross-site"), 403},
		{"POST", "/play", header("Origin", "http://evil.example"), 403},
		{"POST", "/play", header("Origin", "null"), 403},
		{"POST", "/play", nil, 403},
		{"POST", "/play", header("Origin", "http://127.0.0.1:1"), 403},
	} {
		if status, text := s.ask(c.method, c.path, nil, c.change); status != c.status {
			t.Errorf("%s %s: %d, want %d: %.80s", c.method, c.path, status, c.status, text)
		}
	}
}

// No address leads to a file, whatever it looks like, and links out of the folder are not followed.
func TestNothingOutside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"manifest", "run"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/etc/passwd", filepath.Join(dir, name, name+".json")); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Symlink("/", filepath.Join(dir, "all")); err != nil {
		t.Skip(err)
	}
	s := serve(t, dir)
	for _, path := range []string{"/../../etc/passwd", "/static/../../../etc/passwd", "/static/..%2f..%2fetc%2fpasswd",
		"/static/%2e%2e/%2e%2e/etc/passwd", "/play/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/static//etc/passwd",
		"/play/%00/state", `/static/..\..\etc\passwd`, "/play/x/../../../etc/passwd", "/play?against=../../etc/passwd"} {
		if status, _ := s.ask("GET", path, nil, nil); status >= 500 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _ := s.ask("POST", "/play", url.Values{"against": {"/etc/passwd"}}, nil); status != 422 {
		t.Errorf("a path as a key: %d", status)
	}
	_, text := s.ask("GET", "/list", nil, nil)
	if strings.Count(text, "escapes") != 2 {
		t.Errorf("links out are not refused: %s", text)
	}
}

// Hostile names are text, and a folder that appears or vanishes is seen.
func TestHome(t *testing.T) {
	dir := t.TempDir()
	const bad = "<script>alert(1)<!--\u202e\"'&"
	for _, name := range []string{bad, strings.Repeat("x", 250)} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "run.json"), []byte("cut sho"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, dir)
	_, text := s.ask("GET", "/", nil, nil)
	if strings.Contains(text, "<script>alert") || strings.Contains(text, "\u202e") ||
		!strings.Contains(text, "&lt;script&gt;alert") || !strings.Contains(text, "damaged") {
		t.Error(text)
	}
	if inline := regexp.MustCompile(`<[^>]+\s(on\w+|style)=`).FindString(text); inline != "" {
		t.Errorf("the policy forbids %s", inline)
	}
	if err := os.RemoveAll(filepath.Join(dir, bad)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(lookEvery + 50*time.Millisecond)
	if _, text := s.ask("GET", "/list", nil, nil); strings.Contains(text, "alert(1)") {
		t.Error("what has vanished is shown")
	}
}

// sit begins a game against the network that comes with talbot.
func sit(t *testing.T, s *served) *seat {
	t.Helper()
	open := func(batch int) (player.Network, error) {
		return engine.Open(engine.Config{Path: builtin.Name, Backend: "go", Batch: batch})
	}
	one := &seat{network: "net:", asked: time.Now(), setup: player.Setup{Options: mcts.Defaults()},
		game: &session.Session{Start: board.StartPosition(), Nodes: 20, MoveTime: 30 * time.Second,
			Player: player.New(open)}}
	one.setup.Verbose = true
	if err := s.seats.add(one); err != nil {
		t.Fatal(err)
	}
	if err := one.act(func(*session.Session) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return one
}

func wait(t *testing.T, one *seat, until func(view) bool) view {
	t.Helper()
	for range 6000 {
		if v := one.look(); until(v) {
			return v
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited for too long: %+v", one.look())
	return view{}
}

// A game is played, taken back and given up; a search that runs ends where the person does something else.
func TestSeat(t *testing.T) {
	s := serve(t, t.TempDir())
	one := sit(t, s)
	post := func(action string, form url.Values) int {
		status, _ := s.ask("POST", "/play/"+one.id+"/"+action, form, nil)
		return status
	}
	if n := post("move", url.Values{"move": {"e5"}}); n != 422 {
		t.Errorf("an illegal move: %d", n)
	}
	if n := post("nonsense", url.Values{}); n != 404 {
		t.Errorf("an unknown action: %d", n)
	}
	if n := post("move", url.Values{"move": {"e2e4"}}); n != 200 {
		t.Fatalf("a move: %d", n)
	}
	v := wait(t, one, func(v view) bool { return len(v.Moves) == 2 && !v.Thinking })
	if v.Thought == nil || v.Thought.Ply != 1 || v.Thought.White == nil || len(v.Legal) == 0 || len(v.Positions) != 3 {
		t.Errorf("%+v", v)
	}
	if status, text := s.ask("GET", "/play/"+one.id+"/game.pgn", nil, nil); status != 200 ||
		!strings.Contains(text, "1. e4") {
		t.Errorf("%d: %s", status, text)
	}
	post("back", url.Values{})
	if v := one.look(); len(v.Moves) != 0 || len(v.Legal) != 20 {
		t.Errorf("taken back: %+v", v)
	}
	for _, limits := range []url.Values{{"nodes": {"0"}}, {"nodes": {"1000000"}}, {"seconds": {"NaN"}},
		{"seconds": {"3600"}}} {
		if n := post("limit", limits); n != 422 {
			t.Errorf("limits %v: %d", limits, n)
		}
	}
	post("resign", url.Values{})
	if v := one.look(); v.Result != "Black wins: resignation" || len(v.Legal) != 0 {
		t.Errorf("given up: %+v", v)
	}
}

// A search ends where its page is closed, and where a person takes back.
func TestSearchEnds(t *testing.T) {
	s := serve(t, t.TempDir())
	one := sit(t, s)
	one.game.Nodes, one.game.MoveTime = maxNodes, maxSeconds*time.Second
	begun := time.Now()
	_ = one.act(func(g *session.Session) error { return g.Move("e4") })
	wait(t, one, func(v view) bool { return v.Thinking && !v.Loading })
	_ = one.act(func(g *session.Session) error { g.Back(); return nil })
	if v := one.look(); v.Thinking || len(v.Moves) != 0 || time.Since(begun) > 40*time.Second {
		t.Errorf("after %v: %+v", time.Since(begun), v)
	}
	_ = one.act(func(g *session.Session) error { return g.Move("e4") })
	one.mu.Lock()
	one.asked = time.Now().Add(-gone)
	one.mu.Unlock()
	select {
	case <-one.ended:
	case <-time.After(20 * time.Second):
		t.Error("the search of a closed page goes on")
	}
}

// Seats are bounded; one whose page is closed makes room.
func TestSeats(t *testing.T) {
	s := serve(t, t.TempDir())
	first := sit(t, s)
	for range maxSeats - 1 {
		sit(t, s)
	}
	extra := &seat{game: first.game, asked: time.Now()}
	if err := s.seats.add(extra); err == nil {
		t.Error("one too many")
	}
	first.mu.Lock()
	first.asked = time.Now().Add(-abandoned)
	first.mu.Unlock()
	sit(t, s)
	if s.seats.get(first.id) != nil {
		t.Error("the closed one is still there")
	}
}

// Two hundred browsers at once are answered.
func TestManyConnections(t *testing.T) {
	s := serve(t, t.TempDir())
	done := make(chan int)
	for range 200 {
		go func() {
			status, _ := s.ask("GET", "/list", nil, nil)
			done <- status
		}()
	}
	for range 200 {
		if status := <-done; status != 200 {
			t.Errorf("%d", status)
		}
	}
}
