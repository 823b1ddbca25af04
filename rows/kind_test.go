package rows

import (
	"path/filepath"
	"testing"
)

// String returns "unknown", "games", "puzzles", "epd", "table" or "evaluations".
func (k Kind) String() string {
	return [...]string{"unknown", "games", "puzzles", "epd", "table", "evaluations"}[min(k, KindEvalLines)]
}

func TestKindOf(t *testing.T) {
	for text, want := range map[string]Kind{
		"":                                 KindUnknown,
		"[Event \"x\"]\n":                  KindUnknown,
		"\ufeff[Event \"x\"]\n":            KindUnknown,
		"% made\n\n[Event \"x\"]\n":        KindUnknown,
		"some header\n\n[Event \"x\"]\n":   KindUnknown,
		"1. e4 e5":                         KindUnknown,
		"  1.e4":                           KindUnknown,
		"{ a comment } 1. e4":              KindUnknown,
		"; a comment\ne4 e5":               KindUnknown,
		"Nf3 d5":                           KindUnknown,
		"O-O":                              KindUnknown,
		"e2e4 e7e5":                        KindUnknown,
		"PuzzleId,FEN,Moves,Rating\n":      KindPuzzles,
		"\ufeffPuzzleId,FEN,Moves,Rating":  KindPuzzles,
		"a,8/8/8/8/8/8/8/8 w - - 0 1,e2e4": KindPuzzles,
		"a,\"8/8/8/8/8/8/8/8 w - - 0 1\",\"e2e4 e7e5\",1": KindPuzzles,
		"FEN,Evaluation\n8/8/8/8/8/8/8/8 w - - 0 1,+3":    KindTable,
		"{\"pgn\": 1}":         KindUnknown,
		"{ open":               KindUnknown,
		"hello world":          KindUnknown,
		"\x00\x01\x02\x03":     KindUnknown,
		"12 monkeys":           KindUnknown,
		"[%clk 0:01] whatever": KindUnknown,
	} {
		if got := KindOf([]byte(text)); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

// sharedData is where the checks on real files find them.
const sharedData = "../../shared/data"

// TestKindShared tells the shared files apart.
func TestKindShared(t *testing.T) {
	puzzles, _ := filepath.Glob(sharedData + "/puzzles/*.csv")
	if len(puzzles) == 0 {
		t.Skip("SKIPPED: the shared test data are not here")
	}
	tables, _ := filepath.Glob(sharedData + "/evals/*.csv*")
	epd, _ := filepath.Glob(sharedData + "/epd/*.epd")
	for kind, files := range map[Kind][]string{KindPuzzles: puzzles, KindTable: tables, KindEPD: epd} {
		for _, file := range files {
			in, err := Open(file)
			if err != nil {
				t.Fatal(err)
			}
			head, err := in.Head()
			if got := KindOf(head); got != kind || err != nil {
				t.Errorf("%s is %v (%v), want %v", file, got, err, kind)
			}
			in.Close()
		}
	}
}
