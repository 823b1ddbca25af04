package console

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/testkit/fakenet"
)

// Each game that is left goes to the file once, with the colours that it was played with, and save adds to any file.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	all, one := filepath.Join(dir, "all.pgn"), filepath.Join(dir, "one game.pgn")
	out, err := play(t, &fakenet.Network{}, "save\nsave "+one+"\ne4\nsave "+one+"\nresign\nnew black\nnew white\nd4\n",
		func(g *Terminal) { g.SaveTo = all })
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Type save and the name", "There is no move to save.", "is added to " + one} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q: %s", want, out)
		}
	}
	text, _ := os.ReadFile(all)
	saved, _ := os.ReadFile(one)
	if got := string(text); strings.Count(got, "[Event ") != 3 || strings.Count(got, `[White "Human"]`) != 2 ||
		strings.Count(got, `[Result "0-1"]`) != 1 || strings.Count(got, `[Result "*"]`) != 2 {
		t.Errorf("the games are %s", got)
	}
	if strings.Count(string(saved), "[Event ") != 1 {
		t.Errorf("the game is %s", saved)
	}
}
