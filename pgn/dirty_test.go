package pgn

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDirtyFile reads a file of games that each are dirty in their own way; the Event tag of each says what to expect.
func TestDirtyFile(t *testing.T) {
	text, err := os.ReadFile("testdata/dirty.pgn")
	if err != nil {
		t.Fatal(err)
	}
	events := 0
	p := new(Parser)
	for _, g := range splitText(t, string(text)) {
		line, reject := p.Parse(g)
		got := ""
		if reject != nil {
			got = string(reject.Reason)
		} else {
			got = fmt.Sprintf("ok %d", len(line.Moves))
		}
		event, _, _ := strings.Cut(strings.TrimPrefix(string(g.Text), `[Event "`), `"`)
		if got != event {
			t.Errorf("game %d at byte %d: got %s, want %s (%v)", g.Number, g.Offset, got, event, reject)
		}
		events++
	}
	if want := strings.Count(string(text), `[Event "`); events != want {
		t.Errorf("%d games, want %d", events, want)
	}
}
