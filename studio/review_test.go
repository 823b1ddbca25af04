package studio

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/testkit"
)

// evaluated are three games, of which one can be reviewed without an engine and one is illegal.
const evaluated = "[White \"Anna <script>alert(1)\"]\n[Black \"Bert\"]\n[WhiteElo \"1480\"]\n[Result \"1-0\"]\n\n" +
	"1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 2. Qh5 { [%eval -0.6] } Nc6 { [%eval -0.5] } 3. Bc4 { [%eval 0.3] } " +
	"Nf6 { [%eval #1] } 4. Qxf7# 1-0\n\n[White \"Cleo\"]\n\n1. d4 d5 1/2-1/2\n\n[White \"Dora\"]\n\n1. e5 1-0\n\n"

// upload posts the form of a review and returns the answer's status, where it leads to, and its text.
func (s *served) upload(name, games string, fields ...string) (status int, to, text string) {
	s.t.Helper()
	return s.uploadPart(1, name, games, fields...)
}

// uploadPart posts a part of the form, from its beginning.
func (s *served) uploadPart(share float64, name, games string, fields ...string) (status int, to, text string) {
	s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if name != "" {
		file := testkit.Value(form.CreateFormFile("games", name))(s.t)
		testkit.Value(io.WriteString(file, games))(s.t)
	}
	for i := 0; i < len(fields); i += 2 {
		testkit.OK(s.t, form.WriteField(fields[i], fields[i+1]))
	}
	testkit.OK(s.t, form.Close())
	body.Truncate(int(share * float64(body.Len())))
	r := s.send("POST", "/review", url.Values{}, func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(&body), int64(body.Len())
		r.Header.Set("Content-Type", form.FormDataContentType())
	})
	defer r.Body.Close()
	answer := testkit.Value(io.ReadAll(r.Body))(s.t)
	return r.StatusCode, r.Header.Get("Location"), string(answer)
}

// Games that are dropped are reviewed in a folder of their own, and stepped through, with what leads to people of the
// player's rating. Another studio shows the review, and makes one that was not finished.
func TestReview(t *testing.T) {
	dir := t.TempDir()
	put(t, leelaFile(t, 1), dir, "maia", "maia-1100.pb.gz")
	put(t, leelaFile(t, 2), dir, "maia", "maia-1500.pb.gz")
	s := serve(t, dir)
	s.has("/review", "16.7 MB", "Maia 1100 1500 in maia")
	status, to, text := s.upload("../../My games.pgn", evaluated, "nodes", "0", "rating", "1450", "people",
		s.keyOf("maia/maia-1100.pb.gz"))
	if status != 303 {
		t.Fatalf("%d %s", status, text)
	}
	text = s.done(to)
	for _, want := range []string{"1 left out, not evaluated throughout", "1 left out: illegal_move",
		`href="game/0001.html"`, "walked into a mate", "3… Nf6??", `href="game/0001.html#ply=5"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	at := strings.TrimSuffix(to, "index.html")
	text = s.has(at+"game/0001.html", "Nf6", "of this rating plays it", "data-play=\"/play?nodes=1&amp;against="+
		s.keyOf("maia/maia-1500.pb.gz"), "elo=1480", "moves=e2e4.e7e5.d1h5", "mate")
	if !strings.Contains(text, `&#34;mark&#34;:&#34;??&#34;`) {
		t.Error(text)
	}
	s.has(at+"games.pgn", "[%eval -0.60]", "$4")
	s.has("/list", `href="`+to+`"`, "reviews/My-games")
	s.has("/play?nodes=1&against="+s.keyOf("maia/maia-1500.pb.gz")+"&fen=8/8/8/8/8/8/8/8", `value="1" required`)
	s.statuses(at, map[string]int{"game/0002.html": 404, "game/0.html": 404, "game/x": 404,
		"game/..%2findex.html": 404})
	folder := filepath.Join(dir, "reviews", "My-games")
	if _, _, text := s.upload("My games.pgn", evaluated, "nodes", "0"); text != "" {
		t.Error(text)
	}
	testkit.Value(os.Stat(folder + "-2"))(t)

	whole := testkit.Value(os.ReadFile(filepath.Join(folder, "review.json")))(t)
	testkit.OK(t, os.Remove(filepath.Join(folder, "review.json")))
	again := serve(t, dir)
	again.has("/list", "not finished")
	again.done(to)
	if now := testkit.Value(os.ReadFile(filepath.Join(folder, "review.json")))(t); !bytes.Equal(now, whole) {
		t.Errorf("made again it is\n%s\nnot\n%s", now, whole)
	}
}

// What is no PGN, too long or not of studio is refused, and nothing is written outside the folder.
func TestReviewHostile(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	s := serve(t, dir)
	for _, c := range []struct{ name, games, says string }{
		{"", "", "choose a file"},
		{"x.pgn", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "no PGN"},
		{"x.pgn", "\x28\xb5\x2f\xfdabcdefgh", "no PGN"},
		{"x.pgn", strings.Repeat("1. e4 e5 1-0\n\n", maxUpload/14), "give it to `talbot review`"},
	} {
		if status, _, text := s.upload(c.name, c.games); status != 422 || !strings.Contains(text, c.says) {
			t.Errorf("%.20q: %d %s", c.games, status, text)
		}
	}
	for _, share := range []float64{0.5, 0.999} { // within the games, and behind the last field
		if status, _, text := s.uploadPart(share, "x.pgn", evaluated, "nodes", "0", "player", "Anna"); status != 422 {
			t.Errorf("%g of a form: %d %s", share, status, text)
		}
	}
	if status, _, text := s.upload("x.pgn", evaluated, "player", strings.Repeat("x", maxUpload)); status != 422 {
		t.Errorf("a long field: %d %s", status, text)
	}
	if left := testkit.Value(filepath.Glob(filepath.Join(dir, "reviews", "*")))(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	for i, c := range [][]string{{"hello", "no content that talbot reads"},
		{"[White \"a\"]\n\n1. e5 1-0\n", "nothing was kept of 1 game"},
		{evaluated, "settings are none of studio", "nodes", "7"},
		{evaluated, "settings are none of studio", "rating", "-1"},
		{evaluated, "no longer exists", "people", "/etc/passwd", "nodes", "0"}} {
		_, to, _ := s.upload(fmt.Sprint("/etc/../", i), c[0], c[2:]...)
		if text := s.done(to); !strings.Contains(text, c[1]) || strings.Contains(text, dir) {
			t.Errorf("%q: %s", c, text)
		}
	}
	// Links of a folder that somebody made.
	put(t, `{"nodes":0}`, dir, "linked", requestName)
	put(t, evaluated, dir, "linked", gamesName)
	testkit.OK(t, os.Symlink(out, filepath.Join(dir, "linked", "games")))
	testkit.OK(t, os.RemoveAll(filepath.Join(dir, "reviews")))
	testkit.OK(t, os.Symlink(out, filepath.Join(dir, "reviews")))
	s.library.forget()
	if text := s.done("/review/" + s.keyOf("linked") + "/index.html"); !strings.Contains(text, "is a link") {
		t.Error(text)
	}
	if status, _, text := s.upload("x.pgn", evaluated); status != 422 {
		t.Errorf("%d %s", status, text)
	}
	if written := testkit.Value(os.ReadDir(out))(t); len(written) > 0 {
		t.Errorf("written outside: %v", written)
	}
	// Files of reviews that are none.
	for i, text := range []string{"", "{}", `{"games": []}`, `{"summary": {}, "games": []}`, `{"summary": 3, "games": [`,
		`{"summary": {"sides":[{},{}],"clocks":[{},{}]}, "games": [{"moves":[{"uci":"e2e5"}]}]}`,
		`{"summary": {"sides":[{},{}],"clocks":[{},{}],"motifs":[{"list":[{"game":9}]}]}, "games": [` +
			"\n" + `{"fen":"x"}]}`} {
		name := fmt.Sprint("foreign", i)
		put(t, text, dir, name, "review.json")
		put(t, "", dir, name, "moves.csv")
		s.library.forget()
		at := "/review/" + s.keyOf(name)
		if text := s.has(at + "/index.html"); !strings.Contains(text, `class="notice"`) {
			t.Errorf("%d: %s", i, text)
		}
		s.statuses(at, map[string]int{"/game/0001.html": 404, "/games.pgn": 404})
	}
}
