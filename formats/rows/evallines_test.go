package rows

import (
	"fmt"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit/readlines"
)

// evalLines reads a text and returns what each row says.
func evalLines(t *testing.T, text string) (got []string, table dataset.Table) {
	t.Helper()
	r := NewEvalLineReader(strings.NewReader(text))
	items, err := readlines.All(t, r)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		if item.Line.Number != int64(i+1) {
			t.Fatalf("row %d has number %d", i+1, item.Line.Number)
		}
		if item.Reject != nil {
			got = append(got, fmt.Sprint(item.Reject.Number, " ", item.Reject.Reason))
			continue
		}
		label := item.Line.Labels[0].Labels[0]
		s := fmt.Sprint(item.Line.Number, " ", item.Line.Offset, " ", label.Status, " ", label.Best)
		for _, l := range label.Lines {
			s += fmt.Sprintf(" | %v depth %d nodes %d %v", l.Score, l.Depth, l.Nodes, l.PV)
		}
		got = append(got, s)
	}
	return got, r.Table()
}

// TestEvalLines has rows of the database's form: several variations in one label, the deepest evaluation of several,
// numbers from White's view, castling as the king's move to the rook.
func TestEvalLines(t *testing.T) {
	const (
		black  = `{"fen":"7r/1p3k2/p1bPR3/5p2/2B2P1p/8/PP4P1/3K4 b - -","evals":[`
		white  = `{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -","evals":[`
		castle = `{"fen":"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -","evals":[{"pvs":[`
	)
	for name, c := range map[string]struct{ text, want string }{
		"several variations": {black + `{"pvs":[{"cp":69,"line":"f7g7 e6e2"},{"cp":163,"line":"h8d8"}],"knodes":41,"depth":46}]}`,
			"1 0 labelled f7g7 | cp -69 depth 46 nodes 41000 [f7g7 e6e2] | cp -163 depth 46 nodes 41000 [h8d8]"},
		"the deepest": {white + `{"pvs":[{"cp":1,"line":"e2e4"},{"cp":0,"line":"d2d4"}],"knodes":9,"depth":20},` +
			`{"pvs":[{"cp":30,"line":"d2d4"}],"knodes":5,"depth":30}, {"pvs":[{"cp":31,"line":"g1f3"}],"knodes":6,"depth":30}]}`,
			"1 0 labelled g1f3 | cp 31 depth 30 nodes 6000 [g1f3]"},
		"mates": {black + `{"pvs":[{"mate":-3,"line":"f7g7"},{"mate":2,"line":"h8d8"}],"knodes":1,"depth":9}]}`,
			"1 0 labelled f7g7 | mate 3 depth 9 nodes 1000 [f7g7] | mate -2 depth 9 nodes 1000 [h8d8]"},
		"castling": {castle + `{"cp":5,"line":"e1h1 e8a8"}],"knodes":1,"depth":9}]}`,
			"1 0 labelled e1g1 | cp 5 depth 9 nodes 1000 [e1g1 e8c8]"},
		"no variation": {white + `{"pvs":[{"cp":20}],"knodes":1,"depth":9}]}`, "1 0 labelled 0000 | cp 20 depth 9 nodes 1000 []"},
		"some variations": {white + `{"pvs":[{"cp":20,"line":"e2e4"},{"cp":10},{"cp":5,"line":"d2d4"}],"depth":9}]}`,
			"1 0 labelled e2e4 | cp 20 depth 9 nodes 0 [e2e4] | cp 5 depth 9 nodes 0 [d2d4]"},
		"blank lines": {"\n" + white + `{"pvs":[{"cp":20}],"knodes":1,"depth":9}]}` + "\r\n\n", "1 1 labelled 0000 | cp 20 depth 9 nodes 1000 []"},
		"mate on the board": {`{"fen":"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -","evals":[]}`,
			"1 0 terminal 0000"},
		"no evaluation": {white + `]}`, "1 bad_eval"},
		"neither":       {white + `{"pvs":[{"line":"e2e4"}],"depth":9}]}`, "1 bad_eval"},
		"both":          {white + `{"pvs":[{"cp":1,"mate":1,"line":"e2e4"}],"depth":9}]}`, "1 bad_eval"},
		"mate now":      {white + `{"pvs":[{"mate":0}],"depth":9}]}`, "1 bad_eval"},
		"illegal":       {white + `{"pvs":[{"cp":1,"line":"e2e4 e2e4"}],"depth":9}]}`, "1 illegal_move"},
		"bad position":  {`{"fen":"8/8/8/8/8/8/8/8 w - -","evals":[]}`, "1 bad_fen"},
		"Chess960":      {`{"fen":"1r2k2r/8/8/8/8/8/8/1R2K2R w BHbh -","evals":[]}`, "1 chess960"},
		"cut short":     {white + `{"pvs":`, "1 bad_row"},
		"wrong type":    {white + `{"pvs":[{"cp":"1"}],"depth":9}]}`, "1 bad_row"},
		"not JSON":      {"e2e4", "1 bad_row"},
		"too long a row": {white + strings.Repeat(" ", MaxRow) + "]}\n" + white + `{"pvs":[{"cp":7}]}]}`,
			"1 bad_row; 2 65610 labelled 0000 | cp 7 depth 0 nodes 0 []"},
	} {
		if got, _ := evalLines(t, c.text); strings.Join(got, "; ") != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, strings.Join(got, "; "), c.want)
		}
		if is := LooksLikeEvalLines([]byte(c.text)); is != (name != "not JSON") {
			t.Errorf("%s is taken for one: %v", name, is)
		}
	}
	_, table := evalLines(t, white+
		`{"pvs":[{"cp":-20,"line":"e2e4"},{"cp":-40,"line":"d2d4"},{"mate":3,"line":"g1f3"}]}]}`+
		"\n"+white+`{"pvs":[{"cp":400}]}]}`)
	if want := (dataset.Table{Unit: "centipawns", View: "white", Median: 40}); table != want {
		t.Errorf("%+v, want %+v", table, want)
	}
	if _, table = evalLines(t, white+`{"pvs":[{"mate":3}]}]}`); table != (dataset.Table{View: "white"}) {
		t.Errorf("only mates: %+v", table)
	}
	for _, text := range []string{"{comment} 1. e4", `{"fen"} 1. e4`, `{ [%evals "fen"] }`, "[]", ""} {
		if LooksLikeEvalLines([]byte(text)) {
			t.Errorf("%q is taken for one", text)
		}
	}
}

// FuzzEvalLines checks that no text breaks the reader and that what it reads can be used.
func FuzzEvalLines(f *testing.F) {
	f.Add([]byte(`{"fen":"7r/1p3k2/p1bPR3/5p2/2B2P1p/8/PP4P1/3K4 b - -","evals":[{"pvs":[{"cp":69,"line":"f7g7 e6e2"},` +
		`{"mate":-3,"line":"h8d8"}],"knodes":4189972,"depth":46},{"pvs":[{"cp":1}],"knodes":-1,"depth":99999}]}`))
	f.Add([]byte(`{"fen":"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -","evals":[{"pvs":[{"cp":5,"line":"e1h1 e8a8"}]}]}` + "\n# x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, table := evalLines(t, string(text)); table.Median < 0 || table.View != "white" {
			t.Fatal(table)
		}
	})
}
