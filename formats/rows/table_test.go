package rows

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"talbot/dataset"
	"talbot/internal/testkit/readlines"
	"talbot/internal/testkit/shareddata"
)

// readTable reads all of a text: each position as its engine and scores, or its reason.
func readTable(t testing.TB, in io.Reader, stated Stated) (all []string, labels []dataset.Label) {
	t.Helper()
	items, err := readlines.All(t, NewTableReader(in, stated))
	for _, item := range items {
		if item.Reject != nil {
			all = append(all, string(item.Reject.Reason))
			continue
		}
		label := item.Line.Labels[0].Labels[0]
		if item.Line.SampleCount() != 1 || item.Line.Source != dataset.SourceTable {
			t.Fatalf("line %d: %+v", item.Line.Number, item.Line)
		}
		s := item.Engine + ":"
		for _, line := range label.Lines {
			s += " " + line.Score.String()
		}
		all, labels = append(all, s), append(labels, label)
	}
	if errors.Is(err, ErrUnit) || errors.Is(err, ErrMixedUnits) {
		return append(all, "unit"), labels
	}
	if err != nil {
		t.Fatal(err)
	}
	return all, labels
}

func TestTable(t *testing.T) {
	const (
		white = "4k3/8/8/8/8/8/5Q2/4K2R w K - 0 1"
		black = "4k3/8/8/8/8/8/5Q2/4K2R b - - 0 1"
		mated = "4k3/4Q3/4K3/8/8/8/8/8 b - - 0 1"
	)
	moverView, centipawns := dataset.MoverView, dataset.CentipawnUnit
	for _, c := range []struct {
		name, text string
		stated     Stated
		want       string
	}{
		{"kaggle", "FEN,Evaluation\n" + white + ",+56\n" + black + ",+56\n" + black + ",#+3\n" + mated + ",#+0\n",
			Stated{}, "table eval: cp 56, table eval: cp -56, table eval: mate -3, table eval:"},
		{"pawns", black + ",0.35\n" + white + ",-1\n" + white + ",#-2\n", Stated{},
			"table eval: cp -35, table eval: cp -100, table eval: mate -2"},
		{"mover", black + ";0.35\n", Stated{View: &moverView}, "table eval: cp 35"},
		{"tabs", "fen\tcp\tmate\tdepth\n" + black + "\t12\t\t20\n" + black + "\t\t4\t20\n", Stated{},
			"table eval: cp -12, table eval: mate -4"},
		{"gaps as pandas writes them", "fen,cp,mate,depth\n" + black + ",12.0,nan,20.0\n" + black + ",,-4.0,20.0\n",
			Stated{}, "table eval: cp -12, table eval: mate 4"},
		{"sts", "epd,move,eval,depth,pv,engine\n" +
			black[:len(black)-4] + ",e8d7,-900,30,e8d7 f2f5,SF\n" + black[:len(black)-4] + ",e8d8,-950,30,e8d8,SF\n" +
			black[:len(black)-4] + ",e8d7,-900,30,e8d7,Other\n", Stated{},
			"table eval (SF): cp -900 cp -950, table eval (Other): cp -900"},
		{"bad rows", "FEN,Evaluation\nx,1\n" + white + ",abc\n" + white + ",0.5.5\n" + white + "\n" + white + ",30\n" +
			white + ",#0\n", Stated{},
			"bad_fen, bad_eval, bad_eval, bad_row, table eval: cp 30, bad_eval"},
		{"decimals where whole numbers are stated", "FEN,Evaluation\n" + white + ",3\n" + white + ",0.5\n",
			Stated{Unit: &centipawns}, "table eval: cp 3, bad_eval"},
		{"illegal", "epd,move,cp,depth,pv,engine\n" + white + ",e1e5,5,1,,x\n" + white + ",e1e2,5,1,e1e2 e2e4,x\n" +
			white + ",e1e2,5,1,,x\n", Stated{},
			"illegal_move, illegal_move, table eval (x): cp 5"},
		{"quoted", "\"FEN\",\"cp\"\n\"" + white + "\",\"7\"\n\"" + white + ",7\n", Stated{},
			"table eval: cp 7, bad_row"},
	} {
		got, _ := readTable(t, strings.NewReader(c.text), c.stated)
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
	_, labels := readTable(t, strings.NewReader("FEN,Evaluation\n"+mated+",#+0\n"), Stated{})
	if labels[0].Status != dataset.Terminal {
		t.Errorf("%+v", labels[0])
	}
}

// TestTableOrder: rows and rejects come in ascending order, whatever lies between; a reader that resumes behind a
// number relies on it.
func TestTableOrder(t *testing.T) {
	var b strings.Builder
	b.WriteString("FEN,Evaluation\n")
	for i := range 400 {
		switch {
		case i%7 == 3 || i > 395:
			b.WriteString("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,nonsense\n")
		case i%11 == 5:
			b.WriteString("8/8/8/8/8/8/8/8 w - - 0 1,3\n")
		default:
			b.WriteString("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1," + strings.Repeat("1", 1+i%3) +
				"\n")
		}
	}
	items, err := readlines.All(t, NewTableReader(strings.NewReader(b.String()), Stated{}))
	rejects := 0
	for _, item := range items {
		if item.Reject != nil {
			rejects++
		}
	}
	if err != nil || items[len(items)-1].Line.Number != 400 || rejects < 50 {
		t.Errorf("%d items, %d rejects, %v", len(items), rejects, err)
	}
}

// TestTableShared reads the shared tables: their rows are all usable.
func TestTableShared(t *testing.T) {
	for file, want := range map[string]string{
		"sf-d22-anderssen.csv.zst": "39596 positions, 53 terminal, 39543 lines, 1046 mates",
		"sts-sf15-a.csv":           "19 positions, 0 terminal, 190 lines, 0 mates",
	} {
		f, err := os.Open(shareddata.Path(t, "evals/"+file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		in := io.Reader(f)
		if strings.HasSuffix(file, ".zst") {
			z, err := zstd.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			defer z.Close()
			in = z
		}
		all, labels := readTable(t, in, Stated{})
		terminal, lines, mates := 0, 0, 0
		for _, l := range labels {
			if l.Status == dataset.Terminal {
				terminal++
			}
			for _, s := range l.Lines {
				lines++
				if _, ok := s.Score.Mate(); ok {
					mates++
				}
			}
		}
		if got := fmt.Sprintf("%d positions, %d terminal, %d lines, %d mates", len(all), terminal, lines,
			mates); got != want || len(labels) != len(all) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// FuzzTable checks that no text breaks the reader and that what it returns is legal.
func FuzzTable(f *testing.F) {
	f.Add("FEN,Evaluation\n4k3/8/8/8/8/8/5Q2/4K2R w K - 0 1,#+3\n")
	f.Add("epd,move,eval,depth,pv,engine\n4k3/8/8/8/8/8/5Q2/4K2R w K -,e1e2,5,1,e1e2 e8d8,x\n4k3/8/8/8/8/8/5Q2/4K2R " +
		"w K -,e1d2,4,1,,x\n")
	f.Add("4k3/8/8/8/8/8/5Q2/4K2R w K - 0 1\t0.5\n")
	f.Fuzz(func(t *testing.T, text string) { readTable(t, strings.NewReader(text), Stated{}) })
}
