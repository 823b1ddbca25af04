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
	if strings.Contains(text, dir+string(filepath.Separator)) {
		t.Errorf("a problem has the whole path: %s", text)
	}
	if inline := regexp.MustCompile(`<[^>]+\s(on\w+|style)=`).FindString(text); inline != "" {
		t.Errorf("the policy forbids %s", inline)
	}
	if err := os.RemoveAll(filepath.Join(dir, bad)); err != nil {
		t.Fatal(err)
	}
	later()
	if _, text := s.ask("GET", "/list", nil, nil); strings.Contains(text, "alert(1)") {
		t.Error("what has vanished is shown")
	}
}
