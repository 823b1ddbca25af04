package studio

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/network/run"
)

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
		"/data/../../../etc/passwd", "/data/x/sample/..%2f..%2fetc%2fpasswd", "/run/..%2f..%2fetc%2fpasswd/curve.csv",
		"/match/x/game/%2fetc%2fpasswd/game.pgn", "/match/%00", "/data/x/goto?sample=/etc/passwd", "/play/%00/state",
		`/static/..\..\etc\passwd`, "/play/x/../../../etc/passwd", "/play?against=../../etc/passwd",
		"/people?data=../../etc/passwd&sample=1", "/people/game?run=..%2f..%2fetc%2fpasswd",
		"/people/..%2f..%2fetc%2fpasswd",
		"/people/reading?run=/etc/passwd&seat=ABCDEFGHIJKLMNOPQRSTUVWXYZ&ply=0", "/run/..%2fx/compare?with=/etc/passwd",
		"/run/x/compare?data=../../etc/passwd", "/data/x/sample/1?run=../../etc/passwd&recipe=../../etc/passwd"} {
		if status, _ := s.ask("GET", path, nil, nil); status >= 500 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _ := s.ask("POST", "/play", url.Values{"against": {"/etc/passwd"}}, nil); status != 422 {
		t.Errorf("a path as a key: %d", status)
	}
	if text := s.has("/list"); strings.Count(text, "escapes") != 2 {
		t.Errorf("links out are not refused: %s", text)
	}
}

// The pages of a run and of a match whose files are links out of the folder say so and show nothing of them.
func TestNothingOutsideOnPages(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	makeRun(t, filepath.Join(dir, "run"), func(*run.Config) {})
	makeRun(t, filepath.Join(out, "run"), func(*run.Config) {})("val", 100, 2)
	makeMatch(t, filepath.Join(out, "match"), "secret", "b").play(0)
	if err := os.Mkdir(filepath.Join(dir, "match"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run/metrics.jsonl", "run/eval.json", "match/games.journal"} {
		if err := os.Symlink(filepath.Join(out, name), filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	s := serve(t, dir)
	for _, path := range []string{"/run/" + s.key(aRun), "/match/" + s.key(aMatch)} {
		text := s.has(path, "escapes")
		if strings.Contains(text, "secret") || strings.Contains(text, "value squared error") {
			t.Errorf("%s: %s", path, text)
		}
	}
	s.statuses("", map[string]int{"/run/" + s.key(aRun) + "/curve.csv?curve=policy_ce": 422,
		"/match/" + s.key(aMatch) + "/game/1": 404})
}

// A dataset whose shard is damaged and whose input has a name of 10 kB is listed, and the name is text; addresses and
// fields of 10 kB are answered.
func TestLongAndDamaged(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("<b>\u202e&", 1200)
	m := &dataset.Manifest{Verb: "ingest", Splits: dataset.Splits{Train: 100},
		Inputs: []dataset.Input{{Name: long, Bytes: 1, SHA256: strings.Repeat("0", 64)}}}
	put(t, "\x28\xb5\x2f\xfdxxxx", dir, "data", "shard-00000.talbot.zst")
	if err := dataset.WriteManifest(filepath.Join(dir, "data"), m); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir)
	text := s.has("/", "&lt;b&gt;")
	if strings.Contains(text, "<b>") || strings.Contains(text, `class="problem"`) {
		t.Errorf("%.2000s", text)
	}
	for _, c := range []struct {
		method, path string
		form         url.Values
		status       int
	}{
		{"GET", "/play/" + strings.Repeat("x", 10_000), nil, 404},
		{"GET", "/play?fen=" + strings.Repeat("x", 10_000), nil, 200},
		{"POST", "/play", url.Values{"fen": {long}}, 422},
		{"POST", "/play", url.Values{"against": {long}}, 422},
		{"GET", "/play?fen=%zz", nil, 400},
		{"POST", "/play", url.Values{"fen": {strings.Repeat("x", maxBody)}}, 400},
	} {
		status, text := s.ask(c.method, c.path, c.form, nil)
		if len(text) > 200_000 || c.status != status {
			t.Errorf("%s %.20s: %d, want %d: %.300s", c.method, c.path, status, c.status, text)
		}
	}
}

// Browsers that send nothing, or read nothing, hold up neither the others nor the end.
func TestSlowReaders(t *testing.T) {
	s := serve(t, t.TempDir())
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- s.Serve(ctx, on) }()
	for i := range 100 {
		c, err := net.Dial("tcp", on.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		text := "GET / HTTP/1.1\r\nHost: local" // and no more
		if i%2 == 0 {
			text = strings.Repeat("GET /static/play.js HTTP/1.1\r\nHost: localhost\r\nCookie: "+
				s.guard.cookie+"="+s.guard.secret+"\r\n\r\n", 200)
		}
		_ = c.SetWriteDeadline(time.Now().Add(time.Second)) // the server does not take all
		_, _ = io.WriteString(c, text)
	}
	begun := time.Now()
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+on.Addr().String()+"/list", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(s.cookie)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 200 {
		t.Error(answer.Status)
	}
	stop()
	select {
	case err = <-served:
	case <-time.After(20 * time.Second):
		err = errors.New("it does not end")
	}
	if took := time.Since(begun); err != nil || took > 10*time.Second {
		t.Errorf("%v: %v", took, err)
	}
}

// A run that a crash cut short in the middle of a line, and a dataset that is being written, are shown for what they
// are.
func TestCutShort(t *testing.T) {
	dir := t.TempDir()
	line := makeRun(t, filepath.Join(dir, "run"), func(*run.Config) {})
	line("train", 100, 2)
	line("train", 200, 1.5)
	f, err := os.OpenFile(filepath.Join(dir, "run", run.MetricsName), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"kind":"train","step":300,"lo`)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	// Of a checkpoint that was being written.
	put(t, "cut", dir, "run", run.CheckpointsName, "step-000000000300.safetensors")
	writing := filepath.Join(dir, "writing")
	out, err := output.Open(dataset.Manifest{Verb: "ingest", Splits: dataset.DefaultSplits}, nil,
		output.Options{Out: writing})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s := serve(t, dir)
	if text := s.has("/list", "being written", "not finished"); strings.Contains(text, "problem") {
		t.Error(text)
	}
	s.has("/run/"+s.key(aRun), "200:", "step-000000000300")
	for _, path := range []string{"", "?label=yes", "/statistics", "/sample/0"} {
		if status, text := s.ask("GET", "/data/"+s.key(aDataset)+path, nil, nil); status >= 500 ||
			!strings.Contains(text, "not finished") && !strings.Contains(text, "cannot be read") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}

// Two hundred browsers at once are answered, whatever they ask for.
func TestManyConnections(t *testing.T) {
	s := newWorld(t)
	data, at := "/data/"+s.keyOf("data"), "/run/"+s.keyOf("run")
	paths := []string{"/list", data + "?label=yes", data + "/sample/3?run=" + s.keyOf("people"), at,
		at + "/curve.csv?curve=policy_ce", "/match/" + s.keyOf("match"), "/people", "/play",
		"/people/game?moves=e2e4&run=" + s.keyOf("people"), data + "/statistics"}
	done := make(chan int)
	for i := range 200 {
		go func() {
			status, _ := s.ask("GET", paths[i%len(paths)], nil, nil)
			done <- status
		}()
	}
	for range 200 {
		if status := <-done; status != 200 {
			t.Errorf("%d", status)
		}
	}
}
