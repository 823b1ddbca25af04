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

	"talbot/internal/testkit"
	"talbot/network/recipe"
	"talbot/network/run"
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
	s.library.every = 20 * time.Millisecond
	at := httptest.NewServer(s.Handler())
	t.Cleanup(func() { at.Close(); s.Close() })
	return &served{s, t, at, &http.Cookie{Name: s.guard.cookie, Value: s.guard.secret}}
}

// put writes a file, with its folder.
func put(t *testing.T, text string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// has asks for a page that is there and has some texts, and returns it.
func (s *served) has(path string, want ...string) string {
	s.t.Helper()
	status, text := s.ask("GET", path, nil, nil)
	if status != 200 {
		s.t.Errorf("%s: %d", path, status)
	}
	for _, part := range want {
		if !strings.Contains(text, part) {
			s.t.Errorf("%s: no %q in %s", path, part, text)
		}
	}
	return text
}

// statuses asks for pages that are answered with a status each.
func (s *served) statuses(at string, want map[string]int) {
	s.t.Helper()
	for path, status := range want {
		if got, text := s.ask("GET", at+path, nil, nil); got != status {
			s.t.Errorf("%.100s: %d, want %d: %.200s", path, got, status, text)
		}
	}
}

// fresh asks for the changing part of a page as long as that is the one of a text.
func (s *served) fresh(at, text string) (status int, part string) {
	s.t.Helper()
	_, version, _ := strings.Cut(text, `data-version="`)
	version, _, _ = strings.Cut(version, `"`)
	return s.ask("GET", at+"/live?since="+version, nil, nil)
}

// done asks for a page until nothing is searched or waited for.
func (s *served) done(path string) string {
	s.t.Helper()
	for range 600 {
		status, text := s.ask("GET", path, nil, nil)
		if status != 200 {
			s.t.Fatalf("%s: %d %s", path, status, text)
		}
		if !strings.Contains(text, `id="waiting"`) && !strings.Contains(text, `data-done="false"`) {
			return text
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.t.Fatalf("%s is never done", path)
	return ""
}

// drawn is a shape that a picture takes from elsewhere in the page.
var drawn = regexp.MustCompile(`<use href="#([^"]+)"`)

// ask sends a request as the browser does, after change, and returns status and text.
func (s *served) ask(method, path string, form url.Values, change func(*http.Request)) (int, string) {
	s.t.Helper()
	answer := s.send(method, path, form, change)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if strings.Contains(string(text), "root:x:0") {
		s.t.Errorf("%s %s gives /etc/passwd", method, path)
	}
	if form == nil && strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
		for _, bad := range []string{"<script>alert", "\u202e", "%!"} { // names are text, and templates are right
			if strings.Contains(string(text), bad) {
				s.t.Errorf("%s %s has %q: %s", method, path, bad, text)
			}
		}
	}
	if strings.HasPrefix(string(text), "<!doctype html>") {
		for _, use := range drawn.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(string(text), `id="`+use[1]+`"`) {
				s.t.Errorf("%s %s draws %s, which the page does not have", method, path, use[1])
			}
		}
	}
	return answer.StatusCode, string(text)
}

// send is ask for who reads the answer, and closes it.
func (s *served) send(method, path string, form url.Values, change func(*http.Request)) *http.Response {
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
	return answer
}

// Hostile names are text, and a folder that appears or vanishes is seen.
func TestHome(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{hostile, strings.Repeat("x", 250)} {
		put(t, "cut sho", dir, name, "run.json")
	}
	s := serve(t, dir)
	text := s.has("/", "&lt;script&gt;alert", "damaged")
	if strings.Contains(text, dir+string(filepath.Separator)) {
		t.Errorf("a problem has the whole path: %s", text)
	}
	if inline := regexp.MustCompile(`<[^>]+\s(on\w+|style)=`).FindString(text); inline != "" {
		t.Errorf("the policy forbids %s", inline)
	}
	if err := os.RemoveAll(filepath.Join(dir, hostile)); err != nil {
		t.Fatal(err)
	}
	later()
	if text := s.has("/list"); strings.Contains(text, "alert(1)") {
		t.Error("what has vanished is shown")
	}
}

// Home has figures that can be compared across recipes, sorts by them, and begins a dataset of few labels with these.
func TestHomeFigures(t *testing.T) {
	dir := t.TempDir()
	makeData(t, filepath.Join(dir, "games"), 30)
	first := makeRun(t, filepath.Join(dir, "a"), func(*run.Config) {})
	second := makeRun(t, filepath.Join(dir, "b"), func(c *run.Config) {
		c.Settings = testkit.Must(testkit.Must(recipe.ByName(c.Recipe)).Set(c.Settings, "legal_mask", "true"))
	})
	makeRun(t, filepath.Join(dir, "c"), func(*run.Config) {})
	first("val", 400, 2.5)
	second("val", 300, 1.25)
	s := serve(t, dir)
	s.has("/", "400 <small>of 1,000</small>", "20.0 %", "2.000 <small>all moves</small>", "0.750</td>", "<td>–</td>",
		time.Now().UTC().Format("2006-01-02"), "?label=yes", "run\u00a0▾", `<a href="/?sort=nats">nats</a>`)
	for column, want := range map[string]string{"": "abc", "name": "abc", "nats": "bac", "steps": "abc", "<x>": "abc"} {
		got := ""
		for _, part := range strings.Split(s.has("/list?sort="+url.QueryEscape(column)), `href="/run/`)[1:] {
			_, name, _ := strings.Cut(part, ">")
			got += name[:1]
		}
		if got != want {
			t.Errorf("sorted by %q: %s, want %s", column, got, want)
		}
	}
	if text := s.done("/data/" + s.key(aDataset) + "?label=yes"); strings.Contains(text, "no label") {
		t.Error(text)
	}
}
