package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"talbot/internal/durable"
	"talbot/internal/testkit"
)

// watched looks at a folder once.
func watched(t *testing.T, dir string) *Watched {
	t.Helper()
	w := Watch(dir)
	testkit.OK(t, w.Look())
	return w
}

func figuresOf(t *testing.T, w *Watched, playing bool) string {
	t.Helper()
	var b bytes.Buffer
	testkit.OK(t, w.WriteFigures(&b, playing))
	return contents.ReplaceAllString(b.String(), "")
}

// contents are the links to the sections of a page, of which a match has one more.
var contents = regexp.MustCompile(`<nav.*</nav>`)

// What is watched are the figures of the match's own page and the games of its PGN, whether the journal was read at
// once or as it grew.
func TestWatch(t *testing.T) {
	entrants := []Entrant{fakeEntrant(t, "good:1"), fakeEntrant(t, "crash:14")}
	for i := range entrants {
		entrants[i].Limits = Limits{Nodes: int64(10 * (i + 1))}
	}
	m := testMatch(t, 30, entrants...)
	runMatch(t, m)
	report := readPage(t, m)
	w := watched(t, m.Out)
	if text := figuresOf(t, w, false); !strings.Contains(contents.ReplaceAllString(report, ""), text) ||
		!w.Over() {
		t.Errorf("not the figures of the page: %s", text)
	}
	want, err := os.ReadFile(filepath.Join(m.Out, PGNFile))
	testkit.OK(t, err)
	var games []*Record
	faults := 0
	for i, e := range w.Games() {
		g, err := w.Game(e.Number)
		if err != nil || e.Number != i || e.Plies != len(g.Plies) || e.Result != g.Result || e.Points != g.Points(0) ||
			e.Fault != (g.Fault != nil) {
			t.Fatalf("%+v, %v", e, err)
		}
		if games = append(games, g); e.Fault {
			faults++
		}
	}
	var pgn bytes.Buffer
	if err := w.WritePGN(&pgn, games...); err != nil || pgn.String() != string(want) || faults == 0 {
		t.Errorf("not the match's PGN: %v, %d faults\n%.500s\n%.500s", err, faults, pgn.String(), want)
	}
	if _, err := w.Game(30); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}

	journal, err := os.ReadFile(filepath.Join(m.Out, JournalFile))
	testkit.OK(t, err)
	dir := t.TempDir()
	growing, before := Watch(dir), 0
	if err := growing.Look(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, size := range []int{len(journal) / 3, len(journal) / 2, len(journal) - 1, len(journal)} {
		testkit.OK(t, os.WriteFile(filepath.Join(dir, JournalFile), journal[:size], 0o666))
		testkit.OK(t, growing.Look())
		if n := len(growing.Games()); n <= before || growing.Damaged() > 0 {
			t.Errorf("%d games after %d, %d places damaged", n, before, growing.Damaged())
		} else {
			before = n
		}
		if size < len(journal) {
			if text := figuresOf(t, growing, true); !strings.Contains(text, "so far") || growing.Over() {
				t.Error(text)
			}
		}
	}
	if text := figuresOf(t, growing, false); before != 30 || text != strings.Replace(figuresOf(t, w, false),
		"all played", "not finished", 1) {
		t.Errorf("%d games: %s", before, text)
	}
	// Another match takes the folder.
	testkit.OK(t, os.WriteFile(filepath.Join(dir, JournalFile), journal[:len(journal)/2], 0o666))
	if err := growing.Look(); err != nil || len(growing.Games()) >= 30 {
		t.Errorf("%d games, %v", len(growing.Games()), err)
	}
}

// Games that can be none of the match, and damage, are counted and left out; a journal of something else is an error.
func TestWatchDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, JournalFile)
	h := testHeader
	j, err := openJournal(path, false, &h, 2, nil)
	if err == nil {
		err = j.Close()
	}
	testkit.OK(t, err)
	head, err := os.ReadFile(path)
	testkit.OK(t, err)
	text := head
	add := func(change func(*Record)) {
		r := testRecord(len(text) % 8)
		change(r)
		payload, err := json.Marshal(r)
		testkit.OK(t, err)
		text = durable.AppendRecord(text, payload)
	}
	add(func(r *Record) { r.Number = 0 })
	for _, bad := range []func(*Record){
		func(r *Record) { r.Number = 1 << 40 }, func(r *Record) { r.Players = [2]int{0, 2} },
		func(r *Record) { r.Players = [2]int{1, 2} }, func(r *Record) { r.Fault.Player = 2 },
		func(r *Record) { r.Fault.Player = -1 },
	} {
		add(bad)
	}
	text = append(text, "nonsense nonsense"...)
	add(func(r *Record) { r.Number = 1 })
	testkit.OK(t, os.WriteFile(path, text, 0o666))
	w := watched(t, dir)
	if n := len(w.Games()); n != 2 || w.Damaged() != 6 {
		t.Errorf("%d games, %d places damaged", n, w.Damaged())
	}
	figuresOf(t, w, false)
	for _, bad := range [][]byte{nil, []byte("nonsense"), head[:len(head)-1], text[len(head):]} {
		testkit.OK(t, os.WriteFile(path, bad, 0o666))
		if err := Watch(dir).Look(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}
