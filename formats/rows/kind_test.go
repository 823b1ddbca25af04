package rows

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"
)

// The kinds of rows, as tests name them.
const (
	kindEvalLines = "evaluations"
	kindPuzzles   = "puzzles"
	kindTable     = "table"
	kindEPD       = "epd"
	kindScoreText = "score text"
	kindUnknown   = "unknown"
)

// kindOf names the kind that a text looks like; a text that looks like several has all their names.
func kindOf(head []byte) string {
	var kinds []string
	for _, k := range []struct {
		name string
		is   func([]byte) bool
	}{
		{kindEvalLines, LooksLikeEvalLines}, {kindPuzzles, LooksLikePuzzles}, {kindTable, LooksLikeTable},
		{kindEPD, LooksLikeEPD}, {kindScoreText, LooksLikeScoreText},
	} {
		if k.is(head) {
			kinds = append(kinds, k.name)
		}
	}
	return cmp.Or(strings.Join(kinds, " and "), kindUnknown)
}

func TestKinds(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 kindUnknown,
		"[Event \"x\"]\n":                  kindUnknown,
		"\ufeff[Event \"x\"]\n":            kindUnknown,
		"% made\n\n[Event \"x\"]\n":        kindUnknown,
		"some header\n\n[Event \"x\"]\n":   kindUnknown,
		"1. e4 e5":                         kindUnknown,
		"  1.e4":                           kindUnknown,
		"{ a comment } 1. e4":              kindUnknown,
		"; a comment\ne4 e5":               kindUnknown,
		"Nf3 d5":                           kindUnknown,
		"O-O":                              kindUnknown,
		"e2e4 e7e5":                        kindUnknown,
		"PuzzleId,FEN,Moves,Rating\n":      kindPuzzles,
		"\ufeffPuzzleId,FEN,Moves,Rating":  kindPuzzles,
		"a,8/8/8/8/8/8/8/8 w - - 0 1,e2e4": kindPuzzles,
		"a,\"8/8/8/8/8/8/8/8 w - - 0 1\",\"e2e4 e7e5\",1": kindPuzzles,
		"FEN,Evaluation\n8/8/8/8/8/8/8/8 w - - 0 1,+3":    kindTable,
		"# by x\n8/8/8/8/8/8/8/8 w - - | 3 | 0.5":         kindScoreText,
		"8/8/8/8/8/8/8/8 b - - 0 1|-3|[0.5]\n":            kindScoreText,
		"8/8/8/8/8/8/8/8 b - - 0 1 | -3":                  kindEPD,
		"{\"pgn\": 1}":                                    kindUnknown,
		"{ open":                                          kindUnknown,
		"hello world":                                     kindUnknown,
		"\x00\x01\x02\x03":                                kindUnknown,
		"12 monkeys":                                      kindUnknown,
		"[%clk 0:01] whatever":                            kindUnknown,
	} {
		if got := kindOf([]byte(text)); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

// sharedData is where the checks on real files find them.
const sharedData = "../../../shared/data"

// TestKindShared tells the shared files apart.
func TestKindShared(t *testing.T) {
	puzzleFiles, _ := filepath.Glob(sharedData + "/puzzles/*.csv")
	if len(puzzleFiles) == 0 {
		t.Skip("SKIPPED: the shared test data are not here")
	}
	tableFiles, _ := filepath.Glob(sharedData + "/evals/*.csv*")
	epdFiles, _ := filepath.Glob(sharedData + "/epd/*.epd")
	for kind, files := range map[string][]string{kindPuzzles: puzzleFiles, kindTable: tableFiles, kindEPD: epdFiles} {
		for _, file := range files {
			in, err := Open(file)
			if err != nil {
				t.Fatal(err)
			}
			head, err := in.Head()
			if got := kindOf(head); got != kind || err != nil {
				t.Errorf("%s is %v (%v), want %v", file, got, err, kind)
			}
			in.Close()
		}
	}
}
