package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/testkit/readlines"
)

// actions reads all positions: FEN and scores of all moves as testdata/make_actions.py lists them.
func actions(t *testing.T, data []byte, stated rows.Stated) (list []string, rejects []*dataset.Reject) {
	t.Helper()
	c, err := Open(bytes.NewReader(data), int64(len(data)), stated)
	if err != nil || c.Actions == nil {
		t.Fatal(err)
	}
	items, err := readlines.All(t, c.Actions)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		if item.Reject != nil {
			rejects = append(rejects, item.Reject)
			continue
		}
		var scores []string
		label := item.Line.Labels[0].Labels[0]
		for i, s := range label.Lines {
			text := ""
			if n, ok := s.Score.Mate(); ok {
				text = fmt.Sprintf("#%d", n)
			} else if cp, ok := s.Score.Centipawns(); ok {
				text = fmt.Sprint(cp)
			}
			scores = append(scores, s.PV[0].String()+"="+text)
			if i > 0 && s.Score > label.Lines[i-1].Score || label.Best != label.Lines[0].PV[0] {
				t.Errorf("%s: the best move is not the first", item.Line.Start.FEN())
			}
		}
		slices.Sort(scores)
		list = append(list, item.Line.Start.FEN()+"\t"+strings.Join(scores, " "))
	}
	return list, rejects
}

// TestActions compares lists of three programs with what python-chess wrote: a line for each legal move.
func TestActions(t *testing.T) {
	want := strings.Split(strings.TrimSpace(string(read(t, "actions.tsv"))), "\n")
	for _, name := range []string{"pyarrow", "polars", "duckdb"} {
		got, rejects := actions(t, read(t, "actions-"+name+".parquet"), rows.Stated{Unchecked: true})
		if len(rejects) > 0 || len(got) != len(want) {
			t.Fatalf("%s: %d positions, want %d; %v", name, len(got), len(want), rejects)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: %s, want %s", name, got[i], want[i])
			}
		}
	}
}

// actionRow is a row of a file that is made here.
type actionRow struct {
	FEN   string    `parquet:"fen"`
	Moves []string  `parquet:"moves,list"`
	Win   []float64 `parquet:"p_win,list"`
	Mate  []int64   `parquet:"mate,list"`
}

// TestBadActions: what a row must not say costs the row, and scores of a wrong view the file.
func TestBadActions(t *testing.T) {
	const fen = "7k/8/8/8/8/8/8/K7 w - - 0 1"
	moves, chances := []string{"a1a2", "a1b1", "a1b2"}, []float64{0.5, 0.25, 1}
	bad := map[string]actionRow{
		"illegal":     {fen, []string{"a1a2", "a1b1", "a1c1"}, chances, nil},
		"missing":     {fen, moves[:2], chances[:2], nil},
		"twice":       {fen, []string{"a1a2", "a1b1", "a1b1"}, chances, nil},
		"lengths":     {fen, moves, chances[:2], nil},
		"mates":       {fen, moves, chances, []int64{1}},
		"no chance":   {fen, moves, []float64{0, 2, 0}, nil},
		"no position": {"x", moves, chances, nil},
	}
	for name, row := range bad {
		got, rejects := actions(t, write(t, []actionRow{row, {fen, moves, chances, nil}}), rows.Stated{})
		if len(got) != 1 || len(rejects) != 1 || rejects[0].Number != 1 {
			t.Errorf("%s: %v, %v", name, got, rejects)
		}
	}
	if got, _ := actions(t, write(t, []actionRow{{fen, moves, chances, []int64{0, 0, 5}}}), rows.Stated{}); got[0] !=
		fen+"\ta1a2=0 a1b1=-298 a1b2=#5" {
		t.Error(got)
	}
	var wrong []actionRow // White has a queen more, and Black's chances are good
	p, err := board.ParseFEN("7k/8/8/8/8/8/8/KQ6 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	row := actionRow{FEN: p.FEN()}
	for _, m := range p.LegalMoves(nil) {
		row.Moves, row.Win = append(row.Moves, m.String()), append(row.Win, 0.95)
	}
	for range 50 {
		wrong = append(wrong, row)
	}
	data := write(t, wrong)
	c, err := Open(bytes.NewReader(data), int64(len(data)), rows.Stated{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Actions.Next(); !errors.Is(err, dataset.ErrView) {
		t.Error(err)
	}
	white := dataset.WhiteView
	if got, _ := actions(t, data, rows.Stated{View: &white}); len(got) != 50 || !strings.Contains(got[0], "=-") {
		t.Error("the other view is not read")
	}
}
