package dataset

import (
	"slices"
	"strings"
	"testing"
)

// TestSources: numbers that stand in shards keep their names, and every source is known in all ways.
func TestSources(t *testing.T) {
	want := []string{"game", "puzzle", "endgame", "table", "aggregate", "engine", "selfplay"}
	if !slices.Equal(SourceNames(), want) {
		t.Fatalf("%q, want %q", SourceNames(), want)
	}
	for number, s := range Sources() {
		name := SourceNames()[number]
		got, err := ParseSource(name)
		if s != Source(number) || got != s || err != nil || s.String() != name || !s.Known() {
			t.Errorf("source %d is %v, %q is %v (%v)", number, s, name, got, err)
		}
		untaught := s == SourceEndgame || s == SourceEngine || s == SourceSelfPlay
		unread := s == SourceEndgame || s == SourceAggregate || s == SourceSelfPlay
		if s.Teaches() == untaught {
			t.Errorf("%v teaches: %v", s, s.Teaches())
		}
		if got := LineName(name, 4, "x.pgn"); (got == name+" 4") != unread || !unread && got != name+" 4 of x.pgn" {
			t.Error(got)
		}
	}
	if got := LineName("game", 4, ""); got != "game 4" {
		t.Error(got)
	}
	if _, err := ParseSource("prose"); err == nil || !strings.Contains(err.Error(), `engine or selfplay: "prose"`) {
		t.Errorf("prose: %v", err)
	}
}
