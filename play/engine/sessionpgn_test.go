package engine_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/fakenet"
	"talbot/pgn"
	"talbot/play/engine"
)

// Games are added to a file one behind the other, and read as they were: one given up, one not over, one that ends
// by mate from a position of its own.
func TestPGN(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.pgn")
	type game struct {
		start  board.Position
		moves  []board.Move
		result dataset.Result
		white  bool
	}
	var games []game
	add := func(s *engine.Session, result dataset.Result) {
		t.Helper()
		testkit.OK(t, s.AppendPGN(path))
		games = append(games, game{s.Start, s.Moves(), result, s.Human == board.White})
	}
	s := begin(t, &fakenet.Network{}, board.StartFEN)
	testkit.OK(t, s.AppendPGN(path))
	if _, err := os.Stat(path); err == nil {
		t.Error("a game without moves is written")
	}
	play := func(s *engine.Session, moves ...string) {
		t.Helper()
		for _, m := range moves {
			testkit.OK(t, s.Move(m))
			if _, err := s.Reply(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	play(s, "e4", "Nf3")
	add(s, dataset.ResultUnknown)
	s.Back()
	play(s, "d3")
	s.Resign()
	add(s, dataset.BlackWins)
	mate := begin(t, &fakenet.Network{}, "6k1/5ppp/8/8/8/8/r4PPP/6K1 b - - 0 30")
	mate.Human = board.Black
	play(mate, "Ra1#")
	add(mate, dataset.BlackWins)

	text, err := os.ReadFile(path)
	testkit.OK(t, err)
	splitter, p, n := pgn.NewSplitter(bytes.NewReader(text)), &pgn.Parser{}, 0
	for {
		batch, err := splitter.Next()
		if err == io.EOF {
			break
		}
		testkit.OK(t, err)
		for _, g := range batch.Games {
			line, reject := p.Parse(g)
			if reject != nil {
				t.Fatalf("game %d: %v", n, reject)
			}
			want := games[n]
			if line.Start != want.start || !slices.Equal(line.Moves, want.moves) || line.Result != want.result ||
				(line.Tag("White") == engine.HumanName) != want.white {
				t.Errorf("game %d is read as %v %v", n, line.Moves, line.Result)
			}
			n++
		}
	}
	if n != len(games) {
		t.Errorf("%d of %d games", n, len(games))
	}
	for line := range strings.Lines(string(text)) {
		if len(line) > 80+1 && line[0] != '[' {
			t.Errorf("a line of %d characters", len(line))
		}
	}
	if n := strings.Count(string(text), "{[%emt 0:00:00]}"); n != 9 {
		t.Errorf("%d times of moves: %s", n, text)
	}
}

// What is there and holds no games is left alone; games go behind a last line without an end.
func TestAppendPGN(t *testing.T) {
	s := begin(t, &fakenet.Network{}, board.StartFEN)
	testkit.OK(t, s.Move("e4"))
	dir := t.TempDir()
	other := filepath.Join(dir, "diary.txt")
	testkit.OK(t, os.WriteFile(other, []byte("Dear diary"), 0o666))
	for _, path := range []string{dir, other, filepath.Join(dir, "none", "a.pgn")} {
		if err := s.AppendPGN(path); err == nil {
			t.Errorf("a game is added to %s", path)
		}
	}
	if text, _ := os.ReadFile(other); string(text) != "Dear diary" {
		t.Errorf("the file is now %q", text)
	}
	cut := filepath.Join(dir, "cut.pgn")
	testkit.OK(t, os.WriteFile(cut, []byte("[Event \"a\"]\n\n1. e4 *"), 0o666))
	testkit.OK(t, s.AppendPGN(cut))
	if text, _ := os.ReadFile(cut); !strings.Contains(string(text), "1. e4 *\n\n[Event \"talbot play\"]\n") {
		t.Errorf("the file is now %q", text)
	}
}
