package ingest_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/internal/testkit/shareddata"
	"talbot/pipeline/ingest"
)

// scoresOf lists the imported scores of the lines by ply; "." has none.
func scoresOf(lines []*dataset.Line) string {
	var all []string
	for _, l := range lines {
		scores := make([]string, len(l.Moves))
		for k := range scores {
			scores[k] = "."
			for _, c := range l.Labels {
				if label := c.Labels[k]; label.Status == dataset.Labelled {
					scores[k] = fmt.Sprintf("%v/%d", label.Lines[0].Score, label.Lines[0].Depth)
				}
			}
		}
		all = append(all, strings.ReplaceAll(strings.Join(scores, " "), "cp ", ""))
	}
	return strings.Join(all, "\n")
}

// TestViewStated: scores of two games without a plus and without a clear one are refused with the figures, or read as
// stated.
func TestViewStated(t *testing.T) {
	path := shareddata.Path(t, "cases/scores-without-plus.pgn")
	text := string(testkit.Value(os.ReadFile(path))(t))
	_, err := ingest.Request{Inputs: []string{path}, Out: filepath.Join(t.TempDir(), "out"), ImportEvals: true,
		Splits: dataset.DefaultSplits}.Run(t.Context())
	if !errors.Is(err, dataset.ErrView) || !strings.Contains(fmt.Sprint(err), "of the first 14 positions, with White") {
		t.Error(err)
	}
	for view, want := range map[dataset.View]string{
		dataset.MoverView: "12/10 5/10 33/11 -20/10 40/10 -35/12 55/12 -60/12\n27/23 22/23 2/23 -41/24 -68/24 58/25",
		dataset.WhiteView: "12/10 -5/10 33/11 20/10 40/10 35/12 55/12 60/12\n27/23 -22/23 2/23 41/24 -68/24 -58/25",
	} {
		in := ingest.Request{ImportEvals: true}
		in.Stated.View = &view
		sum, d, lines := ingestText(t, "a.pgn", text, in)
		if got := scoresOf(lines); got != want || sum.Evals != (ingest.Evals{Imported: 14}) {
			t.Errorf("%v: %s, %+v; want\n%s", view, got, sum.Evals, want)
		}
		table := d.Manifest.Inputs[0].Table
		if table == nil || *table != (dataset.Table{Unit: "pawns (score/depth)", View: view.String(), Median: 33}) {
			t.Errorf("%v: the manifest has %+v", view, table)
		}
		if sum, _, _ := ingestText(t, "a.pgn", text, ingest.Request{}); sum.Evals != (ingest.Evals{}) ||
			len(sum.Tables) > 0 {
			t.Errorf("without --import-evals: %+v", sum)
		}
	}
}

// TestViewFound writes the scores of a real game again, with and without a plus and from either view: all four give
// the same labels. With all scores below a pawn nothing is clear, and only those with a plus are read.
func TestViewFound(t *testing.T) {
	real := string(shareddata.Read(t, "pgn/dirty/python-chess/stockfish-learning.pgn"))
	tags, moves, _ := strings.Cut(real, "\n\n")
	score := regexp.MustCompile(`\{[^}]*\}`)
	rewrite := func(white, bare, small bool) string {
		ply := -1
		return tags + "\n\n" + score.ReplaceAllStringFunc(moves, func(s string) string {
			ply++
			number, rest, ok := strings.Cut(s[1:], "/")
			if !ok || number == "0.00" {
				return s
			}
			if small {
				number = number[:1] + "0" + number[2:]
			}
			if white && ply%2 == 1 {
				number = map[byte]string{'+': "-", '-': "+"}[number[0]] + number[1:]
			}
			if bare {
				number = strings.TrimPrefix(number, "+")
			}
			return "{" + number + "/" + rest
		})
	}
	_, _, lines := ingestText(t, "a.pgn", real, ingest.Request{ImportEvals: true})
	want := scoresOf(lines)
	if rewrite(false, false, false) != real || strings.Count(want, "/") < 140 ||
		!strings.HasPrefix(want, ". . . 0/31 69/29") {
		t.Fatal(want)
	}
	for _, white := range []bool{false, true} {
		for _, bare := range []bool{false, true} {
			sum, d, lines := ingestText(t, "a.pgn", rewrite(white, bare, false), ingest.Request{ImportEvals: true})
			view := map[bool]string{false: "mover", true: "white"}[white]
			if got := scoresOf(lines); got != want || d.Manifest.Inputs[0].Table.View != view || len(sum.Tables) != 1 ||
				!strings.Contains(sum.Text("out"), "evaluations in pawns (score/depth), from "+
					map[bool]string{false: "the mover's", true: "White's"}[white]+" view") {
				t.Errorf("White's %v, bare %v: %s\n%s", white, bare, got, sum.Text("out"))
			}
			other := dataset.WhiteView
			if white {
				other = dataset.MoverView
			}
			for name, in := range map[string]ingest.Request{
				"small":  {Inputs: []string{rewrite(white, bare, true)}},
				"stated": {Inputs: []string{rewrite(white, bare, false)}},
				"both": {Inputs: []string{strings.Repeat(rewrite(white, bare, false)+"\n\n"+
					rewrite(!white, bare, false)+"\n\n", 4)}},
			} {
				if name == "stated" {
					in.Stated.View = &other
				}
				in.Inputs[0] = testkit.WriteFile(t, filepath.Join(t.TempDir(), "a.pgn"), in.Inputs[0])
				in.Out, in.Splits, in.ImportEvals = in.Inputs[0]+".out", dataset.DefaultSplits, true
				_, err := in.Run(t.Context())
				if refused := errors.Is(err, dataset.ErrView); refused != (name != "small" || bare) {
					t.Errorf("%s, White's %v, bare %v: %v", name, white, bare, err)
				}
			}
		}
	}
}

// TestViewOfMatch reads ChessBase's file of a match of 48 games, whose scores are White's and whose lines are broken in
// them. The count is that of a regular expression; four scores in five that are clear must be the winner's. Where
// writing fails and is repeated the bytes are the same.
func TestViewOfMatch(t *testing.T) {
	text := string(shareddata.Read(t, "pgn/tcec/TCEC_Match_1.pgn"))
	want := len(regexp.MustCompile(`\{\s*-?(\d+\.\s*\d\d|#\d+)/\s*\d+\s`).FindAllString(text, -1))
	sum, d, lines := ingestText(t, "a.pgn", text, ingest.Request{ImportEvals: true})
	if e := sum.Evals; e.Imported+e.NoSample != int64(want) || e.Unread != 0 || want < 7000 ||
		d.Manifest.Inputs[0].Table.View != "white" {
		t.Errorf("%+v, want %d scores; %+v", e, want, d.Manifest.Inputs[0].Table)
	}
	var clear, won [2]int
	for _, l := range lines {
		for _, c := range l.Labels {
			for k, label := range c.Labels {
				if label.Status != dataset.Labelled || l.Result == dataset.Draw {
					continue
				}
				if s := label.Lines[0].Score; s > dataset.ClearScore || s < -dataset.ClearScore {
					clear[k%2]++
					if (s > 0) == ((l.Result == dataset.WhiteWins) == (k%2 == 0)) {
						won[k%2]++
					}
				}
			}
		}
	}
	if min(clear[0], clear[1]) < 100 || won[0]*5 < clear[0]*4 || won[1]*5 < clear[1]*4 {
		t.Errorf("of %v clear scores %v are the winner's", clear, won)
	}
	output.SmallShards(t, 1500)
	path := filepath.Join(t.TempDir(), "a.pgn")
	testkit.WriteGames(t, path, 300, 11) // before the first score
	before := string(testkit.Value(os.ReadFile(path))(t))
	in := ingest.Request{Inputs: []string{testkit.WriteFile(t, path, before+"\n\n"+text)}, Workers: 2,
		ImportEvals: true, Out: filepath.Join(t.TempDir(), "want"), Splits: dataset.DefaultSplits}
	if again := testkit.Run(t, in); again.Evals.Imported != sum.Evals.Imported {
		t.Errorf("%+v", again.Evals)
	}
	files := madeup.Files(t, in.Out)
	failed := madeup.FailSteps(t, 1, 11, true, func(dir string) (func() error, func()) {
		got := in
		got.Out = filepath.Join(dir, "got")
		return func() error {
				_, err := got.Run(t.Context())
				return err
			}, func() {
				if !maps.Equal(madeup.Files(t, got.Out), files) {
					t.Error("another dataset")
				}
			}
	})
	if t.Logf("failed at %d steps", failed); failed < 20 {
		t.Errorf("only %d failures", failed)
	}
}
