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

// TestExact: the first of the tables that have a sample counts.
func TestExact(t *testing.T) {
	prints := []Fingerprint{{Limit: "nodes 1"}, TablesFingerprint("0123456789abcdef"),
		TablesFingerprint("fedcba9876543210")}
	column := func(print int, l Label) LabelColumn { return LabelColumn{Fingerprint: print, Labels: []Label{l}} }
	won, lost := ExactLabel(Won), ExactLabel(Lost)
	for _, columns := range [][]LabelColumn{{column(0, lost), column(1, won)}, {column(1, won), column(2, lost)},
		{column(1, Label{}), column(2, won)}} {
		l := Line{Labels: columns}
		label, ok := l.Exact(0, prints)
		if class, _ := label.Class(); !ok || class != Won {
			t.Errorf("%+v: %v, %v", columns, label, ok)
		}
	}
	if _, ok := (&Line{Labels: []LabelColumn{column(0, won)}}).Exact(0, prints); ok {
		t.Error("a search is exact")
	}
}
