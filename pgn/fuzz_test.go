package pgn

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"talbot/dataset"
)

const cleanGame = "[Event \"clean\"]\n[White \"w\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n"

// FuzzGames checks that no text breaks the splitter and the parser, that the split does not depend on how the text is
// read, that kept lines are legal, and that the clean game behind a dirty one is found.
func FuzzGames(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.pgn")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, uint8(7))
	}
	for _, text := range splitCases {
		f.Add([]byte(text), uint8(3))
	}
	f.Fuzz(func(t *testing.T, dirty []byte, chunk uint8) {
		text := append(bytes.Clone(dirty), "\n\n"+cleanGame...)
		want := splitText(t, text)
		compareGames(t, "small reads", splitChunks(t, text, 1+int(chunk)), want)
		p, end := new(Parser), int64(0)
		for i, g := range want {
			if g.Number != int64(i+1) || g.Offset < end || !bytes.HasPrefix(text[g.Offset:], g.Text) {
				t.Fatalf("game %d is out of place: %+v", i, g)
			}
			end = g.Offset + int64(len(g.Text))
			line, reject := p.Parse(g)
			if reject != nil {
				checkReject(t, reject, g)
				continue
			}
			checkLine(t, line)
			if i == len(want)-1 {
				if g.Offset != int64(len(dirty)+2) || moveList(line.Moves) != "e2e4 e7e5 g1f3 b8c6" {
					t.Fatalf("the last game is not the clean one: %+v", line)
				}
				return
			}
		}
		t.Fatal("the clean game is lost")
	})
}

func checkLine(t *testing.T, line dataset.Line) {
	t.Helper()
	if len(line.Moves) == 0 {
		t.Fatal("a line without moves")
	}
	if err := line.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tag := range line.Tags {
		if tag.Value == "" || len(tag.Value) > maxValue || bytes.ContainsAny([]byte(tag.Value), "\x00\n\r") {
			t.Fatalf("tag %q", tag)
		}
	}
}

func checkReject(t *testing.T, r *dataset.Reject, g Game) {
	t.Helper()
	known := false
	for _, reason := range dataset.Reasons {
		known = known || r.Reason == reason
	}
	if !known || r.Number != g.Number || r.Offset != g.Offset || r.At < g.Offset || r.At > g.Offset+int64(len(g.Text)) {
		t.Fatalf("reject %+v of game %d at %d", r, g.Number, g.Offset)
	}
}
