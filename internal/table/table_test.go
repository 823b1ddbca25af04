package table

import (
	"strings"
	"testing"

	"talbot/board"
	"talbot/internal/chart"
	"talbot/internal/chart/pagetest"
)

// all is a page with each kind of block, named by a text from outside.
func all(name string) *Page {
	p := board.StartPosition()
	t := &Table{Title: name, Note: name, Columns: Columns("", "figure", name, ""), Foot: []string{name}}
	t.Columns[3].Drawn = true
	t.Add(Cell{Text: name, Hover: name}, Cell{Text: "3.1", Small: name, Class: Worse, Word: Worse, Tint: -20},
		Cell{Text: name},
		Bar(0.25, 0.5))
	s := Section{Title: "All of it", Note: name, Layout: Stack}
	s.Add(t, &Facts{Title: name, List: []Fact{{name, name}}, Below: t}, &Prose{Title: name, Lines: []string{name}},
		&Prose{Lines: []string{name}, Exact: true},
		&Boards{Shown: 1, Filter: true, List: []Position{{Board: chart.NewBoard(&p), Head: name, Aside: name,
			Where: []string{name}, Source: name, Phase: "opening", Below: t}, {Board: chart.NewBoard(&p)}}})
	return &Page{Kind: "test", Title: name, Intro: name, Sections: []Section{s}, Lead: []Block{
		Tiles{{Name: name, Value: "1", Note: name, Class: Worse, Words: name, Help: name}},
		Verdicts{{Class: Better, Head: name, Title: name, Text: name, Aside: name, Parts: []Verdict{{Head: name,
			Text: name}}}}}}
}

// A page is well formed and what comes from files cannot leave its place.
func TestHostile(t *testing.T) {
	var b strings.Builder
	if err := all(pagetest.Hostile).WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	pagetest.Check(t, b.String(), 1)
	if text := all("\x1b[2J\u202e").Text(); strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("%q", text)
	}
}

// A text has names on the left and figures on the right, each with its verdict, and nothing that only a page can show.
func TestText(t *testing.T) {
	table := &Table{Title: "Groups", Note: "by source", Columns: Columns("", "samples", "error", "", "最新"),
		Foot: []string{"of 12 games"}}
	table.Columns[3].Drawn = true
	table.Add(append(Row("game", "1,200", "0.25"), Bar(1, 1), Cell{Text: "6"})...)
	table.Add(Cell{Text: "puzzle"}, Cell{Text: "7"}, Cell{Text: "0.5", Small: "of 3", Class: Worse, Word: Worse},
		Bar(1, 1),
		Cell{Text: "棋譜"})
	want := `Groups: by source
        samples             error  最新
game      1,200              0.25     6
puzzle        7  0.5 (of 3) worse  棋譜
of 12 games
`
	if got := Text(table, &Boards{}, table); got != want+"\n"+want {
		t.Errorf("got\n%s", got)
	}
}
