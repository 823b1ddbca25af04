package ingest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
)

// Names of kinds that more than one test gives.
const (
	epd       = "EPD with best moves or moves to avoid"
	tables    = "tables of positions with evaluations"
	puzzles   = "Lichess puzzles (CSV)"
	scoreText = "text of \"FEN | score | result\""
)

const sampleFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// samples has a small input of each kind, by its name: a text or, for a binary kind, a file.
var samples = map[string]string{
	"PGN games": "[Event \"x\"]\n\n1. e4 *\n",
	epd:         sampleFEN + " bm e4\n",
	tables:      "FEN,Evaluation\n" + sampleFEN + ",56\n",
	puzzles:     "PuzzleId,FEN,Moves\nx," + sampleFEN + ",e2e4 e7e5\n",
	"Lichess's evaluations (lines of JSON)": `{"fen":"` + sampleFEN + `","evals":[{"pvs":[{"cp":3,"line":"e2e4"}]}]}` +
		"\n",
	scoreText:             sampleFEN + " | 35 | 1.0\n",
	"viriformat":          "../../formats/viriformat/testdata/standard.vf",
	"Stockfish's binpack": "testdata/game.binpack",
	"Parquet with Lichess's columns or those of chess-av-mates": "../../formats/parquet/testdata/games.parquet",
	"chunks of lc0's training data":                             "../../formats/lc0/testdata/game.gz",
}

// told names the kinds but games, which look like any text, that a beginning looks like.
func told(head []byte) string {
	var names []string
	for _, k := range kinds[1:] {
		if k.Sniff(head) {
			names = append(names, k.Name)
		}
	}
	return strings.Join(names, " and ")
}

// TestKinds: an input of each kind is told as that kind alone, but that games look like any text, and has lines.
// Remarks and blank lines before the first row of a text change neither.
func TestKinds(t *testing.T) {
	_, suffixes := Kinds()
	if unique := slices.Compact(slices.Sorted(slices.Values(suffixes))); len(unique) != len(suffixes) {
		t.Errorf("a suffix is named twice: %q", suffixes)
	}
	for _, k := range kinds {
		sample, ok := samples[k.Name]
		if k.Binary && ok {
			sample = string(testkit.Value(os.ReadFile(sample))(t))
		}
		if !ok {
			t.Errorf("%s: samples has none of this kind", k.Name)
			continue
		}
		remarks := []string{""}
		if !k.Binary && k != kinds[0] {
			remarks = append(remarks, "#\n", "# made by hand\n", "% x\n\n", "; Bratko-Kopec\r\n",
				"// 24 positions\n#\n")
		}
		for _, remark := range remarks {
			path := testkit.WriteFile(t, filepath.Join(t.TempDir(), "x"), []byte(remark+sample))
			in := testkit.Value(open(path))(t)
			head := testkit.Value(in.Head())(t)
			in.Close()
			if got := told(head); k != kinds[0] && got != k.Name || k == kinds[0] && got != "" {
				t.Errorf("%s after %q: told as %q", k.Name, remark, got)
			}
			view := dataset.WhiteView
			in, r, err := Open(path, rows.Stated{View: &view, ScoreUnit: "centipawns"}, t.TempDir())
			if err != nil {
				t.Errorf("%s: %v", k.Name, err)
				continue
			}
			read := 0
			for err = nil; err == nil; {
				var reject *dataset.Reject
				if _, _, err = r.Next(); err == nil {
					read++
				} else if errors.As(err, &reject) && k.Binary {
					err = nil
				}
			}
			if in.Close(); err != io.EOF || read == 0 || !k.Binary && read != 1 {
				t.Errorf("%s after %q: %d lines, %v", k.Name, remark, read, err)
			}
		}
	}
}

// TestTold: beginnings of texts that are told apart.
func TestTold(t *testing.T) {
	for text, want := range map[string]string{
		"PuzzleId,FEN,Moves,Rating\n":                     puzzles,
		"\ufeffPuzzleId,FEN,Moves,Rating":                 puzzles,
		"a,8/8/8/8/8/8/8/8 w - - 0 1,e2e4":                puzzles,
		"a,\"8/8/8/8/8/8/8/8 w - - 0 1\",\"e2e4 e7e5\",1": puzzles,
		"FEN,Evaluation\n8/8/8/8/8/8/8/8 w - - 0 1,+3":    tables,
		"# by x\n8/8/8/8/8/8/8/8 w - - | 3 | 0.5":         scoreText,
		"8/8/8/8/8/8/8/8 b - - 0 1|-3|[0.5]\n":            scoreText,
		"8/8/8/8/8/8/8/8 b - - 0 1 | -3":                  epd,
		"{\"pgn\": 1}":                                    "",
		"hello world":                                     "",
		"12 monkeys":                                      "",
		"; a comment\ne4 e5":                              "",
		"[%clk 0:01] whatever":                            "",
	} {
		if got := told([]byte(text)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestKindShared tells the shared files apart.
func TestKindShared(t *testing.T) {
	for pattern, want := range map[string]string{"puzzles/*.csv": puzzles, "evals/*.csv*": tables, "epd/*.epd": epd} {
		folder, name := filepath.Split(pattern)
		files, _ := filepath.Glob(filepath.Join(shareddata.Path(t, folder), name))
		if len(files) == 0 {
			t.Errorf("no %s", pattern)
		}
		for _, file := range files {
			in := testkit.Value(open(file))(t)
			if got := told(testkit.Value(in.Head())(t)); got != want {
				t.Errorf("%s is %q, want %q", file, got, want)
			}
			in.Close()
		}
	}
}
