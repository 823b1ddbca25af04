package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"talbot/evaluate"
	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/network/run"
)

// pale maps a measure to the one shown as the pale bar beside it.
var pale = map[string]string{"top1": "top3"}

// group is a table of figures, with a row for each part of the samples.
type group struct {
	*table.Table
	measures []*evaluate.Measure
}

func (e *Eval) newGroup(title, note string, measures []*evaluate.Measure) group {
	g := group{&table.Table{Title: title, Note: note, Columns: table.Columns("", "samples")}, measures}
	for _, m := range measures {
		if g.Columns = append(g.Columns, table.Column{Title: m.Column.Title}); pale[m.Name] != "" {
			g.Columns = append(g.Columns, table.Column{Drawn: true})
		}
	}
	return g
}

func (g group) add(name string, f evaluate.Figures, intervals evaluate.Intervals) {
	samples := f.Count("samples")
	row := table.Row(name, humanize.Thousands(samples))
	for _, m := range g.measures {
		x := f.Of(m.Name)
		c := table.Cell{Text: figure(m, x, 3)}
		if n := m.Samples(f); x != nil && m.Head == evaluate.ValueHead && n != samples {
			c.Small = "of " + humanize.Thousands(n)
		}
		if j, ok := m.Judge(f, intervals); ok {
			c.Hover = beside(m, &j, f)
			if j.Verdict == evaluate.Worse {
				c.Class, c.Word = table.Worse, table.Worse
			}
		}
		if row = append(row, c); pale[m.Name] != "" {
			more := f.Of(pale[m.Name])
			bar := table.Bar(run.OrZero(x), run.OrZero(more))
			bar.Hover = "first " + share(x) + ", of the first three " + share(more)
			row = append(row, bar)
		}
	}
	g.Add(row...)
}

// beside is the text shown by pointing at a figure: the verdict, its interval, and all baselines.
func beside(m *evaluate.Measure, j *evaluate.Judgement, f evaluate.Figures) string {
	parts := []string{j.Verdict.Phrase() + " " + j.BaselineMeasure().As}
	if i := j.Interval; i != nil {
		parts = append(parts, "95 % interval "+figure(m, &i[0], 3)+" to "+figure(m, &i[1], 3))
	} else if j.Verdict == evaluate.Unclear {
		parts = append(parts, "too few games for an interval")
	}
	return strings.Join(append(parts, baselines(m, f, ": ", 3)...), "; ")
}

// baselines are the figures of a measure's baselines after their names.
func baselines(m *evaluate.Measure, f evaluate.Figures, sign string, decimals int) (parts []string) {
	for _, name := range []string{m.Baseline, m.Fitted} {
		if b := evaluate.ByName(name); b != nil && f.Of(name) != nil {
			parts = append(parts, b.As+sign+figure(m, f.Of(name), decimals))
		}
	}
	return parts
}

// columns returns the measures that are columns of the tables. A network that was trained over the legal moves only has
// none of illegal ones.
func (e *Eval) columns() []*evaluate.Measure {
	return slices.DeleteFunc(evaluate.Columns(), func(m *evaluate.Measure) bool {
		return !e.Capabilities.Has(m.Needs) || e.LegalMask && m.Needs.Others
	})
}

// inOrder are names with an order of their own.
var inOrder = []string{"opening", "middlegame", "endgame", "white", "black"}

// addGroups adds the tables with more than one row; the first has all positions and the unseen ones. A terminal shows
// that and the sources.
func (e *Eval) addGroups(p *table.Page) {
	s := table.Section{Title: "Accuracy", Layout: table.Stack}
	if e.Capabilities.Prior {
		s.Note = "The strong bar: the first legal move is the target; the pale one: it is among the first three. " +
			"Cross-entropy is over the legal moves. "
	}
	s.Note += "Worse marks figures that a baseline beats beyond the 95 % interval: chance or move statistics, " +
		"always answering the mean or material alone; hover over a figure to see them. Of fewer than about eight " +
		"games there is no interval, and no mark."
	columns := e.columns()
	all := e.newGroup("All and unseen", "positions that do not occur in the training data are unseen", columns)
	all.add("all", e.Figures, e.Intervals)
	if e.Unseen != nil {
		all.add("unseen", e.Unseen, e.UnseenIntervals)
	}
	s.Add(all, e.others())
	for _, g := range []struct {
		title, note string
		member      string
		figures     map[string]evaluate.Figures
		name        func(string) string
	}{
		{"Source", "source of the line", "by_source", e.BySource, nil},
		{"Phase", "endgame: at most 6 pieces in addition to kings and pawns; opening: more than 10, and one of the " +
			"first ten moves", "by_phase", e.ByPhase, nil},
		{"Pieces", "on the board, kings included", "by_pieces", e.ByPieces,
			func(s string) string { return strings.Replace(s, "-", "–", 1) }},
		{"Rating", "of the player to move, or of the puzzle", "by_rating", e.ByRating, band},
		{"Side to move", "", "by_side", e.BySide, nil},
	} {
		if len(g.figures) < 2 {
			continue
		}
		one := e.newGroup(g.title, g.note, columns)
		for _, name := range ordered(g.figures) {
			shown := name
			if g.name != nil {
				shown = g.name(name)
			}
			one.add(shown, g.figures[name], e.GroupIntervals[g.member][name])
		}
		if g.member == "by_source" {
			s.Add(one)
		} else {
			s.Add(table.PageOnly{Block: one})
		}
	}
	p.Add(s)
}

// others returns a table of the measures that have neither a tile nor a column.
func (e *Eval) others() *table.Table {
	t := &table.Table{Title: "Other figures", Columns: table.Columns("", "all", "95 % interval", "unseen")}
	for _, m := range evaluate.ByHead() {
		x := e.Of(m.Name)
		if m.Row == "" || m.As != "" || m.Kind == evaluate.Count || m.Tile.Name+m.Column.Title != "" || x == nil ||
			!e.Capabilities.Has(m.Needs) || e.LegalMask && m.Needs.Others {
			continue
		}
		t.Add(table.Row(m.Row, figure(m, x, 4), e.interval(m.Name, 4), figure(m, e.Unseen.Of(m.Name), 4))...)
	}
	return t
}

// band writes a band of ratings by its lower end.
func band(from string) string {
	if n, err := strconv.Atoi(from); err == nil {
		return fmt.Sprintf("%d–%d", n, n+199)
	}
	return from
}

// ordered sorts names by the number they begin with, phases as in a game, White first; other names follow by letters.
func ordered[V any](groups map[string]V) []string {
	rank := func(name string) int {
		if i := slices.Index(inOrder, name); i >= 0 {
			return i
		}
		digits, _, _ := strings.Cut(name, "-")
		if n, err := strconv.Atoi(digits); err == nil {
			return n
		}
		return 1 << 30
	}
	return slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}
