package rows

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/readlines"
)

// A tableStyle is how a program writes centipawns, which it may have rounded before.
type tableStyle struct {
	name  string
	unit  dataset.Unit
	write func(cp float64) string
}

var tableStyles = []tableStyle{
	{"68", dataset.CentipawnUnit, func(cp float64) string { return fmt.Sprintf("%.0f", cp) }},
	{"+68", dataset.CentipawnUnit, func(cp float64) string { return fmt.Sprintf("%+.0f", cp) }},
	{"68.0", dataset.CentipawnUnit, func(cp float64) string { return fmt.Sprintf("%.0f.0", cp) }},
	{"68.25", dataset.CentipawnUnit, func(cp float64) string { return strconv.FormatFloat(cp, 'f', 2, 64) }}, // a mean
	{"0.68", dataset.PawnUnit, func(cp float64) string { return fmt.Sprintf("%.2f", cp/100) }},
	{"+0.68", dataset.PawnUnit, func(cp float64) string { return fmt.Sprintf("%+.2f", cp/100) }},
	{"0.7", dataset.PawnUnit, func(cp float64) string { return fmt.Sprintf("%.1f", cp/100) }},
	{"1.5 or 1", dataset.PawnUnit, func(cp float64) string { // as short as can be, of halves
		return strconv.FormatFloat(float64(int(cp/50))/2, 'f', -1, 64)
	}},
	{"1.0", dataset.PawnUnit, func(cp float64) string { return fmt.Sprintf("%d.0", int(cp)/100) }},
	{"1", dataset.PawnUnit, func(cp float64) string { return fmt.Sprint(int(cp) / 100) }},
}

// tableHeaders are header lines with the unit that the name of the column says, if it does.
var tableHeaders = []struct {
	text string
	unit string
}{
	{"", ""}, {"FEN,Evaluation", ""}, {"fen,eval", ""}, {"fen,score", ""}, {"position,Stockfish eval", ""},
	{"FEN,cp", "centipawns"}, {"fen,Centipawns", "centipawns"}, {"fen,eval_cp", "centipawns"},
	{"FEN,Score (centipawns)", "centipawns"},
	{"fen,pawns", "pawns"}, {"FEN,Evaluation [pawns]", "pawns"},
}

// written is a row of a table made by a generator.
type written struct {
	black bool
	cp    float64 // from the view of the table
	text  string
}

const whiteToMove, blackToMove = "4k3/8/8/8/8/8/5Q2/4K2R w K - 0 1", "4k3/8/8/8/8/8/5Q2/4K2R b - - 0 1"

func tableText(header string, rows []written) string {
	var b strings.Builder
	if header != "" {
		b.WriteString(header + "\n")
	}
	for _, r := range rows {
		fen := whiteToMove
		if r.black {
			fen = blackToMove
		}
		b.WriteString(fen + "," + r.text + "\n")
	}
	return b.String()
}

// typical reports whether half of the numbers are 10 centipawns or more.
func typical(rows []written) bool {
	n := 0
	for _, r := range rows {
		if math.Abs(r.cp) >= 10 {
			n++
		}
	}
	return 2*n > len(rows)
}

// checkTable reads a table and fails if one value is not what was written: a wrong unit is off by 100. It returns how
// many rows were read before the end, whether that was an error on the unit, and how many rows were left out, counted.
func checkTable(t *testing.T, name string, text string, stated Stated, view dataset.View, rows []written) (read int,
	left int, unit error) {
	t.Helper()
	items, err := readlines.All(t, NewTableReader(strings.NewReader(text), stated))
	if err != nil && !errors.Is(err, ErrUnit) && !errors.Is(err, ErrMixedUnits) {
		t.Fatalf("%s: %v", name, err)
	}
	for _, item := range items {
		if item.Reject != nil {
			left++
			continue
		}
		read++
		w := rows[item.Line.Number-1]
		want := w.cp
		if view == dataset.WhiteView && w.black {
			want = -want
		}
		got, ok := item.Line.Labels[0].Labels[0].Lines[0].Score.Centipawns()
		// what a style rounds away: at most a pawn
		if diff := float64(got) - want; !ok || diff > 100 || diff < -100 {
			t.Fatalf("%s: row %d %q is read as %d, not as about %.0f centipawns", name, item.Line.Number, w.text, got,
				want)
		}
	}
	return read, left, err
}

// TestTableUnits is the class of silent factors of 100: over headers, styles, spreads and views each table is read as
// it was meant, or refused with the question for the unit. Where the name of the column says what the table is, and
// where the style is a usual one, nothing is asked. Once the unit is stated, it is read.
func TestTableUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	asked := map[string]int{}
	for range 8 {
		for _, header := range tableHeaders {
			for _, style := range tableStyles {
				for _, spread := range []float64{30, 150, 600} {
					for _, view := range []dataset.View{dataset.WhiteView, dataset.MoverView} {
						var rows []written
						for range 1 + rng.IntN(60) {
							cp := rng.NormFloat64() * spread
							if style.name != "68.25" {
								cp = float64(int(cp))
							}
							rows = append(rows, written{rng.IntN(2) == 0, cp, style.write(cp)})
						}
						if header.unit != "" && header.unit != style.unit.String() {
							continue // the name of the column lies
						}
						if style.name == "68.25" && header.unit == "" && !typical(rows) {
							continue // nothing tells 2.74 centipawns from 2.74 pawns
						}
						name := fmt.Sprintf("%q, %s, spread %.0f, %v", header.text, style.name, spread, view)
						text := tableText(header.text, rows)
						read, left, err := checkTable(t, name, text, Stated{View: &view}, view, rows)
						if err != nil {
							asked[style.name]++
							if head := CheckTable([]byte(text), Stated{View: &view}); errors.Is(err, ErrUnit) &&
								head == nil {
								t.Fatalf("%s: not asked before the work", name)
							}
							if header.unit != "" && style.name != "68.25" {
								t.Fatalf("%s: %v", name, err)
							}
							if spread >= 150 && len(rows) > 10 && (style.name == "68" || style.name == "0.68") {
								t.Fatalf("%s: asked though it is clear: %v", name, err)
							}
						} else if read+left != len(rows) || left > 0 {
							t.Fatalf("%s: %d of %d rows, %d left out", name, read, len(rows), left)
						}
						// stated, all of it is read, or left out row by row
						read, left, err = checkTable(t, name, text,
							Stated{View: &view, Unit: &style.unit}, view, rows)
						if err != nil || read+left != len(rows) || left > 0 && style.name != "68.25" {
							t.Fatalf("%s, stated: %d of %d rows, %d left out, %v", name, read, len(rows), left, err)
						}
					}
				}
			}
		}
	}
	for _, style := range []string{"68.0", "68.25", "1", "1.0"} {
		if asked[style] == 0 {
			t.Errorf("no table of style %s was asked about: the generator is too tame", style)
		}
	}
	t.Log("asked:", asked)
}

// TestTableMixed: whatever the first rows are, a table that goes over to the other unit ends there, and the row is
// named.
func TestTableMixed(t *testing.T) {
	centipawns, pawns := tableStyles[0], tableStyles[4]
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		header   string
		from, to tableStyle
	}{
		{"FEN,Evaluation", centipawns, pawns}, {"FEN,Evaluation", pawns, centipawns}, {"", centipawns, pawns},
		{"FEN,cp", centipawns, pawns}, {"FEN,Evaluation", tableStyles[2], pawns}, {"", pawns, tableStyles[2]},
	} {
		for _, n := range []int{2000, 5000} { // beyond the 64 KiB that decide
			var rows []written
			for i := range n + 200 {
				cp, style := float64(100+rng.IntN(300))+1, c.from // never a whole number of pawns
				if int(cp)%100 == 0 {
					cp++
				}
				if i >= n {
					style = c.to
				}
				rows = append(rows, written{false, cp, style.write(cp)})
			}
			name := fmt.Sprintf("%q, %s then %s", c.header, c.from.name, c.to.name)
			read, left, err := checkTable(t, name, tableText(c.header, rows), Stated{}, dataset.WhiteView, rows)
			if !errors.Is(err, ErrMixedUnits) || read != n || left != 0 ||
				!strings.Contains(err.Error(), fmt.Sprintf("number %d at byte", n+1)) {
				t.Errorf("%s: %d rows read, %d left out, %v; want %d and the next row named", name, read, left, err, n)
			}
		}
	}
}

// TestTableOneDecimal is how tables became 100 times too large: one decimal near the top.
func TestTableOneDecimal(t *testing.T) {
	for _, header := range []string{"FEN,cp", "FEN,Evaluation", ""} {
		for at := range 40 {
			var rows []written
			for i := range 40 {
				rows = append(rows, written{false, float64(35 + i), fmt.Sprint(35 + i)})
			}
			rows[at].text = "0.5"
			rows[at].cp = 0.5
			if _, _, err := checkTable(t, header, tableText(header, rows), Stated{}, dataset.WhiteView,
				rows); err == nil {
				t.Errorf("%q: a decimal in row %d passes unnoticed", header, at+1)
			}
		}
	}
}

// TestTableUnit has the edges.
func TestTableUnit(t *testing.T) {
	for _, c := range []struct{ header, values, want string }{
		{"FEN,Evaluation", "0.5 1 -2", "pawns 100"},
		{"FEN,Evaluation", "0.5 1 -2 0 0 0", "pawns 0"},
		{"FEN,Evaluation", "35.0 -12.0 3.0", "asked"},
		{"FEN,Evaluation", "35.0 -50.0 3.0", "centipawns 35"},
		{"FEN,Evaluation", "1 -2 3", "asked"},
		{"FEN,Evaluation", "1 -2 20", "asked"},
		{"FEN,Evaluation", "1 -2 50", "centipawns 2"},
		{"FEN,Evaluation", "36", "centipawns 36"},
		{"FEN,Evaluation", "36.0", "asked"},
		{"FEN,Evaluation", "0 0.0 #3", "centipawns 0"}, // whatever they are
		{"FEN,Evaluation", "#3 #-2", " 0"},
		{"FEN,Evaluation", "35.5 -12.25 101.33", "asked"},
		{"FEN,Evaluation", "0.35 100.00", "asked"},
		{"FEN,Evaluation", "0.35 66.45", "asked"},
		{"FEN,Evaluation", "0.35 -1.5 66.45", "pawns 150"},
		{"FEN,Evaluation", "0.35 -1.5 20.0", "pawns 150"},
		{"FEN,Evaluation", "0.35 -1.5 50", "asked"},
		{"FEN,cp", "1 2.0 3", "centipawns 2"},
		{"FEN,cp", "1 2.5 3", "mixed"},
		{"FEN,pawns", "1 2.5 3 60", "pawns 250"},
		{"FEN,eval,cp", "0.35,35 -1,-100", "centipawns 35"}, // the column that names its unit
		{"FEN,cp (pawns)", "1", "asked"},                    // contradicts itself
		{"FEN,Evaluation", "40 FEN,Evaluation 50", "centipawns 40"},
		{"FEN,Evaluation", "40 FEN,pawns 0.5", "asked"},
		{"FEN,Evaluation", "40 FEN,pawns 5", "mixed"},
		{"FEN,pawns", "1 FEN,cp 5", "mixed"},
		{"FEN,pawns", "1 FEN,eval 500", "mixed"},
		{"FEN,Evaluation", "40 fen,move,eval,pv " + blackToMove + ",,50,", "mixed"}, // another view
	} {
		text := c.header + "\n"
		for value := range strings.FieldsSeq(strings.ReplaceAll(c.values, blackToMove, "@")) {
			switch {
			case strings.HasPrefix(strings.ToLower(value), "fen"):
				text += value + "\n"
			case value[0] == '@':
				text += blackToMove + value[1:] + "\n"
			default:
				text += whiteToMove + "," + value + "\n"
			}
		}
		r := NewTableReader(strings.NewReader(text), Stated{})
		items, err := readlines.All(t, r)
		got := fmt.Sprintf("%s %d", r.Table().Unit, r.Table().Median)
		switch {
		case errors.Is(err, ErrUnit):
			got = "asked"
		case errors.Is(err, ErrMixedUnits):
			got = "mixed"
		case err != nil || slices.ContainsFunc(items, func(i readlines.Item) bool { return i.Reject != nil }):
			got = "none"
		}
		if got != c.want {
			t.Errorf("%s: %s: %s, want %s", c.header, c.values, got, c.want)
		}
	}
}

// TestTableMedian holds the median against one computed from all labels.
func TestTableMedian(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		var rows []written
		for range 1 + rng.IntN(50) {
			cp := float64(rng.IntN(800) - 400)
			rows = append(rows, written{rng.IntN(2) == 0, cp, fmt.Sprintf("%.0f", cp)})
		}
		r := NewTableReader(strings.NewReader(tableText("fen,cp", rows)), Stated{})
		items, err := readlines.All(t, r)
		if err != nil {
			t.Fatal(err)
		}
		below, above := 0, 0
		for _, item := range items {
			cp, _ := item.Line.Labels[0].Labels[0].Lines[0].Score.Centipawns()
			switch size := max(cp, -cp); {
			case size < r.Table().Median:
				below++
			case size > r.Table().Median:
				above++
			}
		}
		if want := (dataset.Table{Unit: "centipawns", View: "white", Median: r.Table().Median}); r.Table() != want ||
			2*below > len(items) || 2*above > len(items) {
			t.Fatalf("%+v: %d below and %d above of %d", r.Table(), below, above, len(items))
		}
	}
}

// TestEvaluationColumn: the words of a name decide.
func TestEvaluationColumn(t *testing.T) {
	for name, want := range map[string]string{
		"cp": "centipawns", "CP": "centipawns", "eval_cp": "centipawns", "Score (cp)": "centipawns",
		"pawns": "pawns", "evaluation-pawn": "pawns", "Stockfish [pawns]": "pawns",
		"Evaluation": "", "eval": "", "score": "", "stockfish": "", "Stockfish Eval": "",
		"": "none", "depth": "none", "cp pawns": "none", "eval depth": "none", "pawn moves": "none",
	} {
		unit, ok := evaluationColumn(name)
		got := ""
		if !ok {
			got = "none"
		} else if unit != nil {
			got = unit.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if _, err := dataset.KaggleConvention.Parse("68.5", board.White); err == nil {
		t.Error("decimals in centipawns are read")
	}
}
