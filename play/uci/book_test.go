package uci

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"talbot/board"
	"talbot/formats/polyglot"
	"talbot/internal/testkit"
	"talbot/internal/testkit/fakenet"
)

// writeBook writes a book of the start position: g1h3 and, three times as often, a2a3.
func writeBook(t *testing.T) string {
	t.Helper()
	g := board.NewGame(board.StartPosition())
	var b polyglot.Builder
	testkit.OK(t, b.Add(g, testkit.Must(g.Position().ParseUCI("g1h3")), 1))
	testkit.OK(t, b.Add(g, testkit.Must(g.Position().ParseUCI("a2a3")), 3))
	var out bytes.Buffer
	testkit.OK(t, b.Write(&out))
	return testkit.WriteFile(t, filepath.Join(t.TempDir(), "book.bin"), out.Bytes())
}

// TestBook: a book is played from while it has the position, and not where an analysis or something special is asked
// for, nor without OwnBook; what is no book is refused, and the network plays.
func TestBook(t *testing.T) {
	path := writeBook(t)
	s := ready(t, &fakenet.Network{})
	played := func(book bool, say ...string) string {
		t.Helper()
		s.say(say...)
		lines := s.wait("bestmove")
		if slices.Contains(lines, "info string book move") != book {
			t.Errorf("%q: %q", say, lines)
		}
		return lines[len(lines)-1]
	}
	played(false, "go nodes 5")
	s.say("setoption name BookFile value " + path)
	played(false, "go nodes 5")
	s.say("setoption name OwnBook value true", "setoption name BestBookMove value true")
	for _, limit := range []string{"go nodes 5", "go depth 1", "go movetime 20", "go wtime 1000 btime 1000"} {
		if move := played(true, "ucinewgame", limit); move != "bestmove a2a3" {
			t.Errorf("%s: %q", limit, move)
		}
	}
	played(false, "go nodes 5 searchmoves e2e4")
	played(false, "go nodes 5 mate 1")
	played(false, "go infinite", "stop")
	played(false, "go ponder nodes 5", "ponderhit")
	played(false, "position startpos moves e2e4", "go nodes 5")
	played(true, "position startpos", "go nodes 5")
	seen := map[string]bool{}
	s.say("setoption name BestBookMove value false")
	for range 40 { // all the same: once in a million
		seen[played(true, "ucinewgame", "go nodes 5")] = true
	}
	s.say("setoption name Seed value 7")
	again := map[string]bool{}
	for range 10 {
		again[played(true, "ucinewgame", "go nodes 5")] = true
	}
	if len(seen) != 2 || len(again) != 1 {
		t.Errorf("drawn: %v, with a seed %v", seen, again)
	}
	testkit.OK(t, os.WriteFile(path+".bad", []byte("short"), 0o666))
	s.say("setoption name BookFile value " + path + ".bad")
	s.wait("info string option BookFile: ")
	played(false, "go nodes 5")
	played(true, "setoption name BookFile value "+path, "go nodes 5")
	played(false, "setoption name BookFile value <empty>", "go nodes 5")
	s.say("quit")

	s = talk(t, &fakenet.Network{}, func(e *Engine) { e.Book = testkit.Must(polyglot.Open(path)) })
	s.say("uci")
	lines := s.wait("uciok")
	for _, want := range []string{"option name OwnBook type check default true",
		"option name BookFile type string default " + path} {
		if !slices.Contains(lines, want) {
			t.Errorf("no %q", want)
		}
	}
	played(true, "go nodes 5")
	played(false, "setoption name OwnBook value false", "go nodes 5")
	s.say("quit")
}
