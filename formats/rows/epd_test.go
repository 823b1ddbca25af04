package rows

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit/readlines"
	"talbot/internal/testkit/shareddata"
)

// readEPD reads all of a text; each line as "moves | policy | avoid | id", or its reason.
func readEPD(t testing.TB, text string) (all []string) {
	t.Helper()
	items, err := readlines.All(t, NewEPDReader(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		l := &item.Line
		if l.Number != int64(i+1) || l.Offset > int64(len(text)) {
			t.Fatalf("line %d at %d is the %dth", l.Number, l.Offset, i+1)
		}
		if item.Reject != nil {
			all = append(all, string(item.Reject.Reason))
			continue
		}
		if l.SampleCount() != 1 || l.Source != dataset.SourcePuzzle {
			t.Fatalf("line %d: %d samples", l.Number, l.SampleCount())
		}
		policy := ""
		if l.Policies != nil {
			for _, p := range l.Policies[0] {
				policy += fmt.Sprintf("%v ", p.Move)
			}
		}
		all = append(all, strings.TrimSpace(fmt.Sprintf("%v | %s| %s | %s", l.Moves, policy, l.Tag(TagAvoidMoves),
			l.Tag(TagEPDID))))
	}
	return all
}

func TestEPD(t *testing.T) {
	const p = "4k3/P6r/8/8/8/8/5Q2/4K2R w K - "
	for _, c := range []struct{ text, want string }{
		{p + "bm Qb7+ ; id \"a; b\"", "illegal_move"},
		{p + "bm Qf6; id \"a; b\";", "[f2f6] | |  | a; b"},
		{p + "; bm Qe2 + ; id BK.01\x00", "[f2e2] | |  | BK.01"},
		{p + "bm a8 = B", "[a7a8b] | |  |"},
		{p + "bm a8 =R +", "[a7a8r] | |  |"},
		{p + "bm a8=Q+; Rxh7;", "[a7a8q] | a7a8q h1h7 |  |"},
		{p + "bm O-O Rxh7 Rxh7", "[e1g1] | e1g1 h1h7 |  |"},
		{p + "0 1 am Qb7 Kd2 ? ; bm 0-0 !", "illegal_move"},
		{p + "0 1 am Qf8 Kd2 ? ; bm 0-0 !", "[e1g1] | | f2f8 e1d2 |"},
		{p + "am Kd2 ?", "[] | | e1d2 |"},
		{"4k3/P6r/8/8/8/8/5Q2/4K2R w K -3 12 bm Rxh7", "[h1h7] | |  |"},
		{p + "wdl 2; dtz 1", "no_moves"},
		{"startpos", "no_moves"},
		{"startpos bm e4", "[e2e4] | |  |"},
		{"hello have a nice day", "bad_fen"},
		{"8/8/8/8/8/8/8/8 w - - bm e4", "bad_fen"},
		{p + "bm e4; " + strings.Repeat("x", 2*MaxRow), "bad_row"},
	} {
		if got := readEPD(t, c.text); len(got) != 1 || got[0] != c.want {
			t.Errorf("%.80q: %q, want %q", c.text, got, c.want)
		}
	}
	got := readEPD(t, "# a remark\n\n"+p+"bm Rxh7\r\n4k3/8/8/8/8/8/8/4K2R w K -0 1 bm Rh7\x00\n")
	if len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// TestEPDShared reads every shared EPD file. The counts are of lines (those of the data's README) and of those left
// out.
func TestEPDShared(t *testing.T) {
	files, _ := filepath.Glob(shareddata.Path(t, "epd") + "/*.epd")
	want := map[string]string{
		"bratko-kopec.epd":     "24 read, map[]",
		"destruction-test.epd": "106 read, map[bad_fen:79 chess960:1 no_moves:10]",
		"endgame-wdl-dtz.epd":  "200 read, map[no_moves:200]", // results, no moves
		"fortresses.epd":       "169 read, map[bad_fen:3 no_moves:8]",
		"grief-causers.epd":    "12 read, map[bad_fen:5 no_moves:5]",
		// “Bcx3 +”, and “am Ne5” which two knights can play
		"kaufman.epd":           "25 read, map[illegal_move:2]",
		"lct2.epd":              "35 read, map[chess960:1]",
		"mixed.epd":             "262 read, map[no_moves:10]",
		"silent-but-deadly.epd": "134 read, map[]",
		"sts-v6-odd-lines.epd":  "594 read, map[]",
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all := readEPD(t, string(text))
		rejects := map[string]int{}
		for _, s := range all {
			if !strings.HasPrefix(s, "[") {
				rejects[s]++
			}
		}
		if got := fmt.Sprintf("%d read, %v", len(all), rejects); got != want[filepath.Base(file)] {
			t.Errorf("%s: %s, want %s", filepath.Base(file), got, want[filepath.Base(file)])
		}
	}
}

// FuzzEPD checks that no text breaks the reader and that what it returns is legal.
func FuzzEPD(f *testing.F) {
	f.Add("4k3/P6r/8/8/8/8/5Q2/4K2R w K - bm a8 = B; am Kd2 ?; id \"x;y\"\x00\nstartpos bm e4\n")
	f.Add("4k3/8/8/8/8/8/8/4K2R w K -0 1 bm Rh7 +; Rh8 + ; \"")
	f.Fuzz(func(t *testing.T, text string) { readEPD(t, text) })
}
