package studio

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/durable"
	"talbot/play/match"
)

// made is a match that a test writes, game by game.
type made struct {
	t    *testing.T
	path string // of the journal
}

// makeMatch begins a match of two players.
func makeMatch(t *testing.T, dir, white, black string) *made {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	m := &made{t, filepath.Join(dir, "games.journal")}
	head, err := json.Marshal(map[string]any{"identity": "x", "began": "2026-11-25T12:00:00Z",
		"players": []string{white, black}})
	if err != nil {
		t.Fatal(err)
	}
	m.write(append([]byte("talbot match journal 1\n"), head...))
	return m
}

func (m *made) write(payload []byte) {
	m.t.Helper()
	f, err := os.OpenFile(m.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(durable.AppendRecord(nil, payload)); err != nil {
		m.t.Fatal(err)
	}
}

// play adds a game, the scholar's mate, in which the side that moves says its score; the colours change each time.
func (m *made) play(number int) {
	m.t.Helper()
	said := [][4]int64{{30, 5, 900, 1500}, {-20, 5, 900, 1500}, {250, 6, 900, 1500}, {32766, 7, 900, 1500}}
	payload, err := json.Marshal(map[string]any{"game": number, "white": number % 2, "black": 1 - number%2, "book": 3,
		"moves": "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7", "searches": said, "result": "1-0", "end": "checkmate",
		"micros": 5})
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(payload)
}

// key is that of the one folder of a kind.
func (s *served) key(k kind) string {
	s.t.Helper()
	for _, f := range s.library.look() {
		if f.Kind == k {
			return f.Key
		}
	}
	s.t.Fatal("no such folder")
	return ""
}

// A match is shown while it grows, its games can be chosen, looked at and saved, and hostile names are text.
func TestMatch(t *testing.T) {
	dir := t.TempDir()
	m := makeMatch(t, filepath.Join(dir, "games"), hostile, "b")
	m.play(0)
	m.play(1)
	s := serve(t, dir)
	at := "/match/" + s.key(aMatch)
	text := s.has(at, "not finished", "Table: Results")
	if strings.Count(text, "/game/") != 2 {
		t.Error(text)
	}
	if status, part := s.fresh(at, text); status != 204 {
		t.Errorf("nothing is new: %d %s", status, part)
	}
	m.play(2)
	if status, part := s.fresh(at, text); status != 200 || strings.Count(part, "/game/") != 3 ||
		strings.Contains(part, "<body") {
		t.Errorf("a game is new: %d %s", status, part)
	}
	for show, want := range map[string]int{"won": 2, "lost": 1, "drawn": 0, "faults": 0, "nonsense": 3} {
		if text := s.has(at + "?show=" + show); strings.Count(text, "/game/") != want {
			t.Errorf("%s: %d games", show, strings.Count(text, "/game/"))
		}
	}
	s.has(at+"/game/1", "What the players thought", "Qxf7#", `/game/2"`, "0.19332")
	s.has(at+"/game/2/game.pgn", "4. Qxf7# {+M1/7} 1-0", `[White "b"]`)
	s.statuses(at, map[string]int{"/game/4": 404, "/game/0": 404, "/game/x": 404, "/game/99999999999999999999": 404,
		"/game/1/moves": 404, "/games.pgn": 404, "?page=7&show=all": 200, "?page=-1": 200})
	put(t, "all", dir, "games", match.PGNFile)
	if text := s.has(at + "/games.pgn"); text != "all" {
		t.Error(text)
	}
	put(t, "nonsense", m.path)
	if text := s.has(at, "damaged"); strings.Contains(text, dir) {
		t.Error(text)
	}
}

// Many games come in pages, and no page has all.
func TestMatchPages(t *testing.T) {
	dir := t.TempDir()
	m := makeMatch(t, filepath.Join(dir, "games"), "a", "b")
	for i := range 2*rowsShown + 1 {
		m.play(i)
	}
	s := serve(t, dir)
	for i, want := range []int{rowsShown, rowsShown, 1} {
		text := s.has(fmt.Sprintf("/match/%s?page=%d", s.key(aMatch), i+1), fmt.Sprintf("page %d of 3", i+1))
		if n := strings.Count(text, "/game/"); n != want {
			t.Errorf("page %d has %d games", i+1, n)
		}
	}
}
