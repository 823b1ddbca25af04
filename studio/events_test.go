package studio

import (
	"bufio"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A browser is told the key of what has changed, and a stream that nobody reads any more is given up.
func TestEvents(t *testing.T) {
	dir := t.TempDir()
	m := makeMatch(t, filepath.Join(dir, "match"), "a", "b")
	s := serve(t, dir)
	key := s.key(aMatch)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.at.URL+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := http.DefaultClient.Do(r.Clone(ctx)); err != nil || answer.StatusCode != 401 {
		t.Fatalf("without a cookie: %v, %v", answer, err)
	}
	r.AddCookie(s.cookie)
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%v, %v", answer, err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "retry:") {
		t.Fatal(lines.Text())
	}
	time.AfterFunc(100*time.Millisecond, func() { m.play(0) })
	for lines.Scan() && lines.Text() == "" {
	}
	if lines.Text() != "data: "+key {
		t.Errorf("%q, %v", lines.Text(), lines.Err())
	}
	cancel()
	for range 200 {
		if s.streams.Load() == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the stream is still open")
}

// There are so many streams at most.
func TestManyStreams(t *testing.T) {
	s := serve(t, t.TempDir())
	s.streams.Store(maxStreams)
	if status, _ := s.ask("GET", "/events", nil, nil); status != 503 {
		t.Errorf("%d", status)
	}
}
