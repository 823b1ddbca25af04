package dataset

import "testing"

func TestClass(t *testing.T) {
	for _, c := range []Class{Lost, Drawn, Won} {
		l := ExactLabel(c)
		if got, ok := l.Class(); !ok || got != c {
			t.Errorf("the exact label of a %v says %v, %v", c, got, ok)
		}
		if !l.Lines[0].Score.Valid() {
			t.Errorf("score %d", l.Lines[0].Score)
		}
	}
	for _, c := range []struct {
		line Searched
		want Class
	}{
		{Searched{Score: Centipawns(99)}, Drawn}, {Searched{Score: Centipawns(100)},
			Won}, {Searched{Score: Centipawns(-100)}, Lost},
		{Searched{Score: MateIn(3)}, Won}, {Searched{Score: MateIn(-1)}, Lost}, {Searched{Score: MateIn(0)}, Lost},
		{Searched{Score: Centipawns(500), WDL: WDL{300, 400, 300}},
			Drawn}, {Searched{Score: Centipawns(10), WDL: WDL{501, 499, 0}}, Won},
		{Searched{WDL: WDL{0, 500, 500}}, Drawn}, {Searched{WDL: WDL{1, 498, 501}}, Lost},
	} {
		l := Label{Status: Labelled, Lines: []Searched{c.line}}
		if got, ok := l.Class(); !ok || got != c.want {
			t.Errorf("%+v: %v, %v", c.line, got, ok)
		}
	}
	for _, status := range []LabelStatus{Missing, Terminal, Failed} {
		l := Label{Status: status}
		if _, ok := l.Class(); ok {
			t.Errorf("a label that is %v has a class", status)
		}
	}
}

// TestExactChecked: what tables say that were found to be intact counts before what others say, in any order.
func TestExactChecked(t *testing.T) {
	old := Fingerprint{Engine: "Syzygy tables", Build: "0123456789abcdef", Options: []Tag{}, Limit: ExactLimit}
	prints := []Fingerprint{old, TablesFingerprint("0123456789abcdef"), TablesFingerprint("fedcba9876543210")}
	if prints[0].ID() == prints[1].ID() || !prints[0].IsExact() || !prints[1].IsExact() {
		t.Error("fingerprints")
	}
	column := func(print int, c Class) LabelColumn {
		return LabelColumn{Fingerprint: print, Labels: []Label{ExactLabel(c)}}
	}
	none := LabelColumn{Fingerprint: 2, Labels: []Label{{}}}
	for _, columns := range [][]LabelColumn{
		{column(0, Lost), column(1, Won)}, {column(1, Won), column(0, Lost)}, {column(0, Won), none},
		{none, column(1, Won)}, {column(1, Won), column(2, Lost)},
	} {
		l := Line{Labels: columns}
		label, ok := l.Exact(0, prints)
		if class, _ := label.Class(); !ok || class != Won {
			t.Errorf("%+v: %v, %v", columns, label, ok)
		}
	}
}
