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
	"talbot/internal/testkit/shareddata"
)

// readTable reads all of a text: each position as its engine and scores, or its reason.
func readTable(t testing.TB, in io.Reader, stated TableForm) (all []string, labels []dataset.Label) {
	t.Helper()
	r, last := NewTableReader(in, stated), int64(0)
	for {
		l, imported, err := r.Next()
		if err == io.EOF {
			return all, labels
		}
		if errors.Is(err, ErrUnit) || errors.Is(err, ErrMixedUnits) {
			return append(all, "unit"), labels
		}
		var reject *dataset.Reject
		if errors.As(err, &reject) {
			all = append(all, string(reject.Reason))
			l.Number = reject.Number
		} else if err != nil {
			t.Fatal(err)
		}
		if l.Number <= last {
			t.Fatalf("number %d behind %d", l.Number, last)
		}
		last = l.Number
		if reject != nil {
			continue
		}
		l.Labels = []dataset.LabelColumn{{Labels: imported.Labels}}
		if err := l.Check(); err != nil || l.SampleCount() != 1 || l.Source != dataset.SourceTable {
			t.Fatalf("line %d: %v", l.Number, err)
		}
		s := imported.Engine + ":"
		for _, line := range imported.Labels[0].Lines {
			s += " " + line.Score.String()
		}
		all, labels = append(all, s), append(labels, imported.Labels[0])
	}
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
		stated     TableForm
		want       string
	}{
		{"kaggle", "FEN,Evaluation\n" + white + ",+56\n" + black + ",+56\n" + black + ",#+3\n" + mated + ",#+0\n",
			TableForm{}, "table eval: cp 56, table eval: cp -56, table eval: mate -3, table eval:"},
		{"pawns", black + ",0.35\n" + white + ",-1\n" + white + ",#-2\n", TableForm{},
			"table eval: cp -35, table eval: cp -100, table eval: mate -2"},
		{"mover", black + ";0.35\n", TableForm{View: &moverView}, "table eval: cp 35"},
		{"tabs", "fen\tcp\tmate\tdepth\n" + black + "\t12\t\t20\n" + black + "\t\t4\t20\n", TableForm{},
			"table eval: cp -12, table eval: mate -4"},
		{"gaps as pandas writes them", "fen,cp,mate,depth\n" + black + ",12.0,nan,20.0\n" + black + ",,-4.0,20.0\n",
			TableForm{}, "table eval: cp -12, table eval: mate 4"},
		{"sts", "epd,move,eval,depth,pv,engine\n" +
			black[:len(black)-4] + ",e8d7,-900,30,e8d7 f2f5,SF\n" + black[:len(black)-4] + ",e8d8,-950,30,e8d8,SF\n" +
			black[:len(black)-4] + ",e8d7,-900,30,e8d7,Other\n", TableForm{},
			"table eval (SF): cp -900 cp -950, table eval (Other): cp -900"},
		{"bad rows", "FEN,Evaluation\nx,1\n" + white + ",abc\n" + white + ",0.5.5\n" + white + "\n" + white + ",30\n" +
			white + ",#0\n", TableForm{},
			"bad_fen, bad_eval, bad_eval, bad_row, table eval: cp 30, bad_eval"},
		{"decimals where whole numbers are stated", "FEN,Evaluation\n" + white + ",3\n" + white + ",0.5\n",
			TableForm{Unit: &centipawns}, "table eval: cp 3, bad_eval"},
		{"illegal", "epd,move,cp,depth,pv,engine\n" + white + ",e1e5,5,1,,x\n" + white + ",e1e2,5,1,e1e2 e2e4,x\n" +
			white + ",e1e2,5,1,,x\n", TableForm{},
			"illegal_move, illegal_move, table eval (x): cp 5"},
		{"quoted", "\"FEN\",\"cp\"\n\"" + white + "\",\"7\"\n\"" + white + ",7\n", TableForm{},
			"table eval: cp 7, bad_row"},
	} {
		got, _ := readTable(t, strings.NewReader(c.text), c.stated)
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
	_, labels := readTable(t, strings.NewReader("FEN,Evaluation\n"+mated+",#+0\n"), TableForm{})
	if labels[0].Status != dataset.Terminal {
		t.Errorf("%+v", labels[0])
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
		all, labels := readTable(t, in, TableForm{})
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
	f.Fuzz(func(t *testing.T, text string) { readTable(t, strings.NewReader(text), TableForm{}) })
}
